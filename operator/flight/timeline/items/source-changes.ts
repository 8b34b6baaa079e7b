import type { RequestPath } from '../../../access/request-path.ts';
import { isMapping } from '../../../core/mapping.ts';
import { keyOf } from '../../../model/object.ts';
import type { CachedLine, RecordedSource } from '../../record-line.ts';
import { isNamed, isPartial } from '../objects/learned-answer.ts';
import type { Moment, ObjectHistories } from '../objects/object-histories.ts';
import { objectIn, type RecordedSources } from '../objects/recorded-sources.ts';
import type { TimelineItems } from './timeline-items.ts';

interface SourceParts {
  readonly items: TimelineItems;
  readonly histories: ObjectHistories;
  readonly sources: RecordedSources;
}

/** The objects of a source that one list and one watch include, for example the objects in one namespace. */
interface View {
  /** The indices of the objects that exist. */
  present: Set<number>;
  /** The indices of the objects in a list that is not complete yet. */
  listing: Set<number>;
}

/**
 * Finds the changes of a source's objects in lists and watches. Each change results in an item, and so does
 * each object that no longer exists.
 */
export class SourceChanges {
  readonly #parts: SourceParts;
  readonly #views = new Map<string, View>();
  /** The resourceVersion of each object in the last list or watch event that contained it. */
  readonly #brought = new Map<number, unknown>();

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  /**
   * Adds the objects in the cache of a source at the beginning of a segment of the record. Objects that are
   * already known cause no change.
   */
  cached({ at, source: id, scope, objects }: CachedLine): void {
    const { histories, sources } = this.#parts;
    const source = sources.get(id);
    if (source === undefined) return;
    const view = this.#view(source, scope ?? source.namespaces?.[0]);
    for (const state of objects) {
      if (!isNamed(state)) continue;
      const object = histories.refer(objectIn(source, keyOf(state)));
      view.present.add(object);
      this.#brought.set(object, versionOf(state));
      if (!histories.isKnown(object)) histories.learn(object, state, { at, how: 'cached' });
    }
  }

  /** Handles a page of a list. After the last page, objects that are not in the list are gone. */
  listed(path: RequestPath, query: URLSearchParams, answer: unknown, at: number): void {
    const source = this.#parts.sources.ofCollection(path, query);
    if (source === undefined || !isMapping(answer) || !Array.isArray(answer.items)) return;
    const view = this.#view(source, path.namespace);
    if (!query.has('continue')) view.listing = new Set();
    const isForeign = isPartial(answer) !== (source.form === 'metadata');
    for (const state of answer.items as readonly unknown[]) {
      if (!isNamed(state)) continue;
      const object = this.#parts.histories.refer(objectIn(source, keyOf(state)));
      view.listing.add(object);
      if (!isForeign) this.#relisted(source, object, withKind(source, state), at);
    }
    const { continue: next } = isMapping(answer.metadata) ? answer.metadata : {};
    if (typeof next !== 'string' || next === '') this.#complete(source, view, at);
  }

  /** Handles the beginning of a watch that first sends all existing objects. */
  streaming(source: RecordedSource, namespace: string | undefined): void {
    this.#view(source, namespace).listing = new Set();
  }

  /** Handles the moment when a watch, for which `streaming` was called, has sent all existing objects. */
  streamed(source: RecordedSource, namespace: string | undefined, at: number): void {
    this.#complete(source, this.#view(source, namespace), at);
  }

  /** Handles an event of a watch. */
  watched(
    source: RecordedSource,
    namespace: string | undefined,
    type: string,
    state: unknown,
    at: number,
  ): void {
    if (!isNamed(state)) return;
    const { histories } = this.#parts;
    const object = histories.refer(objectIn(source, keyOf(state)));
    const view = this.#view(source, namespace);
    const wasKnown = histories.isKnown(object);
    const deleted = type === 'DELETED' && ({ deleted: true } as const);
    const isSame = this.#isBrought(object, state);
    const isNews = deleted !== false || !wasKnown || !isSame;
    if (deleted) {
      view.present.delete(object);
      view.listing.delete(object);
    } else {
      view.present.add(object);
      view.listing.add(object);
    }
    if (!isNews) return;
    const facts = { at, how: 'watched', ...deleted } as const;
    const moment = histories.learn(object, withKind(source, state), facts);
    this.#add(source, moment, at, deleted ? 'deleted' : wasKnown ? 'changed' : 'created');
  }

  #relisted(
    source: RecordedSource,
    object: number,
    state: { readonly metadata: object },
    at: number,
  ): void {
    const { histories } = this.#parts;
    const wasKnown = histories.isKnown(object);
    if (this.#isBrought(object, state) && wasKnown) return;
    const moment = histories.learn(object, state, { at, how: 'listed' });
    if (wasKnown) this.#add(source, moment, at, 'changed, seen by a list');
  }

  /**
   * True if the last list or watch event that contained the object had the same state. Otherwise remembers
   * this state.
   */
  #isBrought(object: number, state: { readonly metadata: object }): boolean {
    const version = versionOf(state);
    if (version !== undefined && this.#brought.get(object) === version) return true;
    this.#brought.set(object, version);
    return false;
  }

  #complete(source: RecordedSource, view: View, at: number): void {
    for (const object of view.present) {
      if (view.listing.has(object) || !this.#parts.histories.isKnown(object)) continue;
      this.#add(source, this.#parts.histories.vanished(object, at), at, 'gone, seen by a list');
    }
    view.present = view.listing;
    view.listing = new Set(view.present);
  }

  #add(source: RecordedSource, moment: Moment, at: number, how: string): void {
    const { items, histories } = this.#parts;
    const key = histories.keyOf(moment.object);
    items.add({
      kind: 'change',
      row: items.source(source.id),
      at,
      summary: `${source.kind} ${key} ${how}`,
      ...moment,
    });
  }

  #view({ id, namespaces }: RecordedSource, namespace: string | undefined): View {
    const name = namespaces === undefined ? id : `${id} ${namespace ?? ''}`;
    const known = this.#views.get(name);
    if (known !== undefined) return known;
    const view = { present: new Set<number>(), listing: new Set<number>() };
    this.#views.set(name, view);
    return view;
  }
}

/**
 * Adds the source's `apiVersion` and `kind`, because items of lists have none, and events with only metadata
 * have other values.
 */
function withKind<T extends object>({ apiVersion, kind }: RecordedSource, state: T): T {
  return { ...state, apiVersion, kind };
}

function versionOf({ metadata }: { readonly metadata: object }): unknown {
  return (metadata as { readonly resourceVersion?: unknown }).resourceVersion;
}
