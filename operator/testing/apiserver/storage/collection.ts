import type { ObjectKey } from '../../../model/object.ts';
import type { CommittedEvent, StoredObject } from '../cluster-access.ts';

/** A committed event with its place in the global order. */
export interface StorageEvent extends CommittedEvent {
  readonly revision: number;
  readonly key: ObjectKey;
}

/** The current objects of one resource, and as much of their past as watches may still ask for. */
export class Collection {
  readonly #objects = new Map<ObjectKey, StoredObject>();
  /** Ascending by revision, all greater than `#floor`. */
  readonly #history: StorageEvent[] = [];
  /** Undefined when the set of keys has changed since it was sorted. */
  #sortedKeys: readonly ObjectKey[] | undefined;
  /** The youngest forgotten revision: what happened after it is all known. */
  #floor: number;
  readonly #historyLimit: number;

  constructor(floor: number, historyLimit: number) {
    this.#floor = floor;
    this.#historyLimit = historyLimit;
  }

  get floor(): number {
    return this.#floor;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /** Ordered as etcd orders its keys: by the bytes of `namespace/name`. */
  list(namespace?: string): readonly StoredObject[] {
    this.#sortedKeys ??= [...this.#objects.keys()].sort(byText);
    const objects: StoredObject[] = [];
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    for (const key of this.#sortedKeys) {
      const object = key.startsWith(prefix) ? this.#objects.get(key) : undefined;
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  apply(event: StorageEvent): void {
    if (event.type === 'DELETED') this.#objects.delete(event.key);
    else this.#objects.set(event.key, event.object);
    if (event.type !== 'MODIFIED') this.#sortedKeys = undefined;
    this.#history.push(event);
    if (this.#history.length > this.#historyLimit) {
      this.#floor = this.#history.shift()?.revision ?? this.#floor;
    }
  }

  /** What happened after `revision`, or undefined when some of it is forgotten. */
  eventsAfter(revision: number): readonly StorageEvent[] | undefined {
    if (revision < this.#floor) return undefined;
    return this.#history.filter((event) => event.revision > revision);
  }

  /** The objects as they were at `revision`, or undefined when that is forgotten. */
  listAt(revision: number, namespace?: string): readonly StoredObject[] | undefined {
    const since = this.eventsAfter(revision);
    if (since === undefined) return undefined;
    if (since.length === 0) return this.list(namespace);
    const past = new Map(this.#objects);
    for (const { key, previous } of since.toReversed()) {
      if (previous === undefined) past.delete(key);
      else past.set(key, previous);
    }
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    return [...past]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => byText(a, b))
      .map(([, object]) => object);
  }

  /** Forgets the past up to `revision`. */
  compact(revision: number): void {
    this.#floor = Math.max(this.#floor, revision);
    const keep = this.#history.findIndex((event) => event.revision > revision);
    this.#history.splice(0, keep < 0 ? this.#history.length : keep);
  }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
