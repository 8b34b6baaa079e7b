import { isOlder, type ObjectKey } from '../../../model/object.ts';
import type { TimelineObject, TimelineVersion } from '../timeline-data.ts';
import { objectLines } from './object-lines.ts';
import type { PackedTexts } from './packed-texts.ts';

/** Identifies the history of one object, either of the whole object or only of its metadata. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly key: ObjectKey;
  /** `metadata`: only the object's metadata is known, because the object comes from a cache of metadata. */
  readonly form: 'full' | 'metadata';
}

/** The state of an object at a given time, and the previous state to compare with. */
export interface Moment {
  readonly object: number;
  readonly version?: number;
  readonly before?: number;
}

interface History {
  readonly kind: string;
  readonly key: string;
  readonly versions: TimelineVersion[];
  /** The index in `versions` of each resourceVersion. */
  readonly known: Map<string, number>;
  /** The state that the operator knows from its caches and from the answers to its own writes. */
  current: number | undefined;
  /** The index of the text that the text of the next version probably resembles. */
  lastText: number | undefined;
}

/** The states of all objects, in the order in which the operator received them. */
export class ObjectHistories {
  readonly #texts: PackedTexts;
  readonly #histories: History[] = [];
  readonly #indices = new Map<string, number>();
  readonly #byKind = new Map<string, number>();

  constructor(texts: PackedTexts) {
    this.#texts = texts;
  }

  get objects(): readonly TimelineObject[] {
    return this.#histories.map(({ kind, key, versions }) => ({ kind, key, versions }));
  }

  /** The index of an object. The object is added if it is not known yet, even without a state. */
  refer(name: ObjectName): number {
    const { apiVersion, kind, key, form } = name;
    const id = `${apiVersion} ${kind} ${form} ${key}`;
    const known = this.#indices.get(id);
    if (known !== undefined) return known;
    const blank = { versions: [], known: new Map(), current: undefined, lastText: undefined };
    const index = this.#histories.push({ kind, key, ...blank }) - 1;
    this.#indices.set(id, index);
    const shown = `${kind} ${key}`;
    if (form === 'full' || !this.#byKind.has(shown)) this.#byKind.set(shown, index);
    return index;
  }

  /**
   * The index of an object such as `Deployment demo/web`. Undefined when no line of the record is about that
   * object.
   */
  find(kindAndKey: string): number | undefined {
    return this.#byKind.get(kindAndKey);
  }

  /** The state that the operator knows now, and the previous state. */
  now(object: number): Moment {
    const { current } = this.#histories[object] ?? {};
    if (current === undefined) return { object };
    return { object, version: current, ...(current > 0 && { before: current - 1 }) };
  }

  isKnown(object: number): boolean {
    const { current, versions } = this.#at(object);
    return current !== undefined && versions[current]?.deleted !== true;
  }

  keyOf(object: number): string {
    return this.#at(object).key;
  }

  /**
   * Adds a state that the operator has received. If it is older than the current state, it is kept but does
   * not become current: a watch may deliver an older state after the answer to a write.
   */
  learn(
    object: number,
    state: unknown,
    facts: Pick<TimelineVersion, 'at' | 'how' | 'deleted'>,
  ): Moment {
    const history = this.#at(object);
    const before = history.current;
    const resourceVersion = resourceVersionIn(state);
    const known = resourceVersion === undefined ? undefined : history.known.get(resourceVersion);
    const isSame = known !== undefined && history.versions[known]?.deleted === facts.deleted;
    const version = isSame ? known : this.#add(history, state, resourceVersion, facts);
    const latest = before === undefined ? undefined : history.versions[before]?.resourceVersion;
    const isLate =
      latest !== undefined && resourceVersion !== undefined && isOlder(resourceVersion, latest);
    if (!isLate) history.current = version;
    const earlier = before === version ? version - 1 : before;
    return { object, version, ...(earlier !== undefined && earlier >= 0 && { before: earlier }) };
  }

  /** Call this when a list no longer contains the object. */
  vanished(object: number, at: number): Moment {
    const history = this.#at(object);
    const before = history.current;
    const text = before === undefined ? undefined : history.versions[before]?.text;
    const gone = { at, how: 'listed', deleted: true, ...(text !== undefined && { text }) } as const;
    history.current = history.versions.push(gone) - 1;
    return { object, version: history.current, ...(before !== undefined && { before }) };
  }

  #add(
    history: History,
    state: unknown,
    resourceVersion: string | undefined,
    facts: Pick<TimelineVersion, 'at' | 'how' | 'deleted'>,
  ): number {
    const text = this.#texts.add(objectLines(state), history.lastText);
    if (text !== undefined) history.lastText = text;
    const index =
      history.versions.push({
        ...facts,
        ...(resourceVersion !== undefined && { resourceVersion }),
        ...(text !== undefined && { text }),
      }) - 1;
    if (resourceVersion !== undefined) history.known.set(resourceVersion, index);
    return index;
  }

  #at(object: number): History {
    const history = this.#histories[object];
    if (history === undefined) throw new RangeError(`no object has the index ${object}`);
    return history;
  }
}

function resourceVersionIn(state: unknown): string | undefined {
  const { resourceVersion } =
    (state as { metadata?: { resourceVersion?: unknown } }).metadata ?? {};
  return typeof resourceVersion === 'string' ? resourceVersion : undefined;
}
