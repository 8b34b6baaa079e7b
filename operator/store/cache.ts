import { OBJECTS_PER_SLICE } from '../core/time-slice.ts';
import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { isOlder } from '../model/object.ts';
import { Added, type Change, Deleted, Updated } from './change.ts';

/** What a cache is to become, and how that differs from what it is. */
export interface Replacement<T extends KubernetesObject> {
  readonly entries: Map<ObjectKey, Entry<T>>;
  readonly changes: readonly Change<T>[];
}

/**
 * What a collection looks like, as far as list and watch have told.
 *
 * Every method changes the whole state at once and answers with the differences, in the order in
 * which they may be delivered. Same name with another uid is a delete and an add, never an update.
 */
export class Cache<T extends KubernetesObject> {
  #entries: Map<ObjectKey, Entry<T>> | undefined;
  #outdatedCount = 0;

  /** Events that were ignored because something newer is known. */
  get outdatedCount(): number {
    return this.#outdatedCount;
  }

  /** Undefined before the first list. */
  get entries(): ReadonlyMap<ObjectKey, Entry<T>> | undefined {
    return this.#entries;
  }

  /**
   * Compares with a whole collection, 1,000 objects a step, and leaves the cache as it is; it must
   * not change until the replacement is installed.
   *
   * The changes are deletes first, then adds and updates in the order of the list; there are none
   * for what is the same.
   */
  *compare(items: readonly Entry<T>[]): Generator<void, Replacement<T>, undefined> {
    const before = this.#entries;
    const after = new Map<ObjectKey, Entry<T>>();
    const gone: Change<T>[] = [];
    const changes: Change<T>[] = [];
    let compared = 0;
    for (const entry of items) {
      if (compared++ > 0 && compared % OBJECTS_PER_SLICE === 1) yield;
      const old = before?.get(entry.key);
      if (old === undefined || old.uid !== entry.uid) {
        if (old !== undefined) gone.push(new Deleted(old, true));
        changes.push(new Added(entry, before === undefined));
      } else if (old.isUnreadable) {
        // A change of it was missed: nobody can tell which.
        if (old !== entry) changes.push(new Updated(entry, entry, { relist: true }));
      } else if (old.resourceVersion !== entry.resourceVersion) {
        entry.follow(old);
        changes.push(new Updated(entry, old, { relist: true }));
      }
      const isUnchanged = old !== undefined && isSameState(old, entry) && !old.isUnreadable;
      const kept = isUnchanged ? old : entry;
      after.set(kept.key, kept);
    }
    for (const [key, old] of before ?? []) {
      if (compared++ > 0 && compared % OBJECTS_PER_SLICE === 1) yield;
      if (!after.has(key)) gone.push(new Deleted(old, true));
    }
    return { entries: after, changes: [...gone, ...changes] };
  }

  /** In the turn of the call, however much it is: see `compare`. */
  replace(items: readonly Entry<T>[]): readonly Change<T>[] {
    const comparing = this.compare(items);
    let step = comparing.next();
    while (step.done !== true) step = comparing.next();
    this.install(step.value);
    return step.value.changes;
  }

  /** All of it at once: no reader sees a part. */
  install({ entries }: Replacement<T>): void {
    this.#entries = entries;
  }

  /** Puts `entry` in the place of the same state of its object, with less of it. Nothing has changed. */
  reduce(entry: Entry<T>): void {
    const old = this.#entries?.get(entry.key);
    if (old !== undefined && isSameState(old, entry)) this.#entries?.set(old.key, entry);
  }

  /** The differences that one watch event makes; none for a replayed or outdated one. */
  apply(event: WatchEvent<T>): readonly Change<T>[] {
    return this.applyAll([event]);
  }

  /** The differences that events make, one after the other. */
  applyAll(events: readonly WatchEvent<T>[]): readonly Change<T>[] {
    const changes: Change<T>[] = [];
    this.#entries ??= new Map();
    for (const event of events) {
      if (event.type === 'BOOKMARK') continue;
      const { entry } = event;
      const old = this.#entries.get(entry.key);
      if (event.type === 'DELETED') this.#remove(this.#entries, entry, old, changes);
      else this.#store(this.#entries, entry, old, changes);
    }
    return changes;
  }

  #store(
    entries: Map<ObjectKey, Entry<T>>,
    entry: Entry<T>,
    old: Entry<T> | undefined,
    changes: Change<T>[],
  ): void {
    if (old === undefined) {
      entries.set(entry.key, entry);
      changes.push(new Added(entry, false));
      return;
    }
    if (isSameState(old, entry) || this.#isOutdated(entry, old)) return;
    entry.follow(old);
    entries.set(old.key, entry);
    if (old.uid === entry.uid) {
      changes.push(new Updated(entry, old));
      return;
    }
    changes.push(new Deleted(old, true), new Added(entry, false));
  }

  #remove(
    entries: Map<ObjectKey, Entry<T>>,
    entry: Entry<T>,
    old: Entry<T> | undefined,
    changes: Change<T>[],
  ): void {
    if (old === undefined) return;
    const isAnother = old.uid !== entry.uid;
    if (isAnother && this.#isOutdated(entry, old)) return; // the delete of a predecessor, replayed
    entries.delete(old.key);
    changes.push(isAnother ? new Deleted(old, true) : new Deleted(entry, false));
  }

  #isOutdated(entry: Entry<T>, cached: Entry<T>): boolean {
    const outdated = isOlder(entry.resourceVersion, cached.resourceVersion);
    if (outdated) this.#outdatedCount++;
    return outdated;
  }
}

function isSameState(a: Entry, b: Entry): boolean {
  // What mostly differs comes first.
  return a.resourceVersion === b.resourceVersion && a.uid === b.uid;
}
