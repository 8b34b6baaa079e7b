import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { Added, type Change, type Deleted, Updated, type UpdateReason } from './change.ts';

/** Changes that wait for one handler, above which they are merged key by key. */
export const COALESCE_ABOVE = 1_000;

/** All that a handler must be told of one key: at most that an object went, and that one is there. */
interface Merged<T extends KubernetesObject> {
  readonly gone: Deleted<T> | undefined;
  readonly there: Added<T> | Updated<T> | undefined;
}

/**
 * What a handler has not been told of yet: every change in order up to 1,000, above that at most two
 * for each key, so that a handler that never returns costs no more memory than the cache.
 *
 * Merging keeps the first `old` and the last `entry`. A delete and an add are never merged into an
 * update; an add that was never told of and its delete cancel each other. The order of one key's
 * changes is kept, that between keys is the order of their first change that waits.
 */
export class Backlog<T extends KubernetesObject> {
  #changes: Change<T>[] = [];
  #byKey: Map<ObjectKey, Merged<T>> | undefined;

  get isEmpty(): boolean {
    return this.#changes.length === 0 && (this.#byKey?.size ?? 0) === 0;
  }

  /** How many changes wait, at the least. */
  get size(): number {
    return this.#byKey?.size ?? this.#changes.length;
  }

  add(changes: readonly Change<T>[]): void {
    if (this.#byKey === undefined) {
      for (const change of changes) this.#changes.push(change);
      if (this.#changes.length <= COALESCE_ABOVE) return;
      this.#byKey = new Map();
      this.#merge(this.#byKey, this.#changes);
      this.#changes = [];
    } else {
      this.#merge(this.#byKey, changes);
    }
  }

  /** Everything that waits; then nothing does. */
  take(): readonly Change<T>[] {
    const taken = this.#byKey === undefined ? this.#changes : [...unmerged(this.#byKey)];
    this.#changes = [];
    this.#byKey = undefined;
    return taken;
  }

  #merge(byKey: Map<ObjectKey, Merged<T>>, changes: readonly Change<T>[]): void {
    for (const change of changes) {
      const merged = follow(byKey.get(change.key) ?? NOTHING, change);
      if (merged.gone === undefined && merged.there === undefined) byKey.delete(change.key);
      else byKey.set(change.key, merged);
    }
  }
}

const NOTHING = { gone: undefined, there: undefined };

function follow<T extends KubernetesObject>(
  { gone, there }: Merged<T>,
  change: Change<T>,
): Merged<T> {
  if (change.type === 'delete') {
    const neverTold = there?.type === 'add' && gone?.entry.uid !== change.entry.uid;
    return { gone: neverTold ? gone : change, there: undefined };
  }
  if (there === undefined || change.type === 'add') return { gone, there: change };
  const { entry } = change;
  if (there.type === 'add') return { gone, there: new Added(entry, there.initial) };
  return { gone, there: new Updated(entry, there.old, sharedReason(there, change)) };
}

/** Why nobody waits for two updates as one: a live one among them is waited for. */
function sharedReason(a: UpdateReason, b: UpdateReason): UpdateReason {
  if (a.resync === true && b.resync === true) return { resync: true };
  const isLive = ({ resync, relist }: UpdateReason): boolean => resync !== true && relist !== true;
  return isLive(a) || isLive(b) ? {} : { relist: true };
}

function* unmerged<T extends KubernetesObject>(
  byKey: ReadonlyMap<ObjectKey, Merged<T>>,
): Generator<Change<T>, void, undefined> {
  for (const { gone, there } of byKey.values()) {
    if (gone !== undefined) yield gone;
    if (there !== undefined) yield there;
  }
}
