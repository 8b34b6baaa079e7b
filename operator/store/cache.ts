import { OBJECTS_PER_SLICE } from '../core/time-slice.ts';
import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { isOlder } from '../model/object.ts';
import { Added, type Change, Deleted, Updated } from './change.ts';

/** The next state of a cache, and how it differs from the current state. */
export interface Replacement<T extends KubernetesObject> {
  readonly entries: Map<ObjectKey, Entry<T>>;
  readonly changes: readonly Change<T>[];
}

/**
 * The state of a collection according to lists and watches.
 *
 * Every method changes the whole state at once and returns the differences, in an order in which they can be
 * delivered to handlers. If an object has the name of a previous object but another uid, the result is a
 * delete and an add, never an update.
 */
export class Cache<T extends KubernetesObject> {
  #entries: Map<ObjectKey, Entry<T>> | undefined;
  #outdatedCount = 0;

  /** The number of events that were ignored because the cache has a newer state. */
  get outdatedCount(): number {
    return this.#outdatedCount;
  }

  /** The cached entries; undefined before the first list. */
  get entries(): ReadonlyMap<ObjectKey, Entry<T>> | undefined {
    return this.#entries;
  }

  /**
   * Compares the cache with a whole collection, 1,000 objects per step, without changing it. The cache must
   * not change until the replacement is installed. The changes are first deletes, and then adds and updates
   * in the order of the list. An unchanged object results in no change.
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
        // The cached state is unreadable, so it is not known whether the object has changed. The change
        // contains the new state in place of the old state.
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

  /** Compares and installs in the same turn of the event loop, even for many objects: see `compare`. */
  replace(items: readonly Entry<T>[]): readonly Change<T>[] {
    const comparing = this.compare(items);
    let step = comparing.next();
    while (step.done !== true) step = comparing.next();
    this.install(step.value);
    return step.value.changes;
  }

  /** Replaces the whole state at once, so that no reader gets only some of the objects. */
  install({ entries }: Replacement<T>): void {
    this.#entries = entries;
  }

  /**
   * Replaces an entry with another entry of the same state that contains less data. This does not count as a
   * change.
   */
  reduce(entry: Entry<T>): void {
    const old = this.#entries?.get(entry.key);
    if (old !== undefined && isSameState(old, entry)) this.#entries?.set(old.key, entry);
  }

  /**
   * Applies one watch event and returns the differences. The result is empty for a repeated or outdated
   * event.
   */
  apply(event: WatchEvent<T>): readonly Change<T>[] {
    return this.applyAll([event]);
  }

  /** Applies several events and returns the differences, in order. */
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

  /** Adds the objects of a list that may be older than the cache. */
  include(entries: readonly Entry<T>[]): readonly Change<T>[] {
    return this.applyAll(entries.map((entry) => ({ type: 'ADDED', entry })));
  }

  /**
   * Removes the objects for which `isDropped` returns true from the cache, 1,000 per step. They may still
   * exist in the cluster. `isDropped` is called for an object in the same turn in which the object is
   * removed.
   */
  *drop(
    isDropped: (entry: Entry<T>) => boolean,
    took: (changes: readonly Change<T>[]) => void,
  ): Generator<void, void, undefined> {
    const keys = [...(this.#entries?.keys() ?? [])];
    for (let from = 0; from < keys.length; from += OBJECTS_PER_SLICE) {
      if (from > 0) yield;
      const dropped: Change<T>[] = [];
      for (const key of keys.slice(from, from + OBJECTS_PER_SLICE)) {
        const entry = this.#entries?.get(key);
        if (entry === undefined || !isDropped(entry)) continue;
        this.#entries?.delete(key);
        dropped.push(new Deleted(entry, true, true));
      }
      if (dropped.length > 0) took(dropped);
    }
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
    if (isAnother && this.#isOutdated(entry, old)) return; // a replayed delete of a predecessor
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
  // The resourceVersion is compared first, because it differs most often.
  return a.resourceVersion === b.resourceVersion && a.uid === b.uid;
}
