import { OBJECTS_A_TURN } from '../core/turns.ts';
import { HeldObject, isUnreadable } from '../model/held-object.ts';
import { type KubernetesObject, keyOf, type ObjectKey } from '../model/object.ts';
import { isOlder } from '../model/resource-version.ts';
import type { WatchEvent } from '../model/watch-event.ts';

/** One difference between two states of a cache. */
export type Change<T extends KubernetesObject = KubernetesObject> =
  | {
      readonly type: 'add';
      readonly key: ObjectKey;
      readonly object: T;
      /** Part of the first list: it existed before we looked. */
      readonly initial: boolean;
    }
  | {
      readonly type: 'update';
      readonly key: ObjectKey;
      readonly object: T;
      readonly old: T;
      /** Nothing changed, and `old === object`: a handler asked to be told again from time to time. */
      readonly resync?: true;
      /** Found by comparing with a list that came anew: no watch has told of it. */
      readonly relist?: true;
    }
  | {
      readonly type: 'delete';
      readonly key: ObjectKey;
      /** The last state that is known. */
      readonly object: T;
      /** The delete itself was not seen: `object` may not be what was deleted. */
      readonly finalStateUnknown: boolean;
    };

/** What a cache is to become, and how that differs from what it is. */
export interface Replacement<T extends KubernetesObject> {
  readonly objects: Map<ObjectKey, T>;
  readonly changes: readonly Change<T>[];
}

/**
 * What a collection looks like, as far as list and watch have told.
 *
 * Every method changes the whole state at once and answers with the differences, in the order in
 * which they may be delivered. Same name with another uid is a delete and an add, never an update.
 */
export class Cache<T extends KubernetesObject> {
  #objects: Map<ObjectKey, T> | undefined;
  #outdatedCount = 0;

  /** Events that were ignored because something newer is known. */
  get outdatedCount(): number {
    return this.#outdatedCount;
  }

  /** Undefined before the first list. */
  get objects(): ReadonlyMap<ObjectKey, T> | undefined {
    return this.#objects;
  }

  /**
   * Compares with a whole collection, 1,000 objects a step, and leaves the cache as it is; it must
   * not change until the replacement is installed.
   *
   * The changes are deletes first, then adds and updates in the order of the list; there are none
   * for what is the same.
   */
  *compare(items: readonly T[]): Generator<void, Replacement<T>, undefined> {
    const before = this.#objects;
    const after = new Map<ObjectKey, T>();
    const gone: Change<T>[] = [];
    const changes: Change<T>[] = [];
    let compared = 0;
    for (const object of items) {
      if (compared++ > 0 && compared % OBJECTS_A_TURN === 1) yield;
      const key = keyOf(object);
      const old = before?.get(key);
      if (old === undefined || old.metadata.uid !== object.metadata.uid) {
        if (old !== undefined) gone.push(lost(key, old));
        changes.push({ type: 'add', key, object, initial: before === undefined });
      } else if (isUnreadable(old)) {
        // Whoever tried to read it has missed a change: nobody can tell which.
        if (old !== object)
          changes.push({ type: 'update', key, object, old: object, relist: true });
      } else if (old.metadata.resourceVersion !== object.metadata.resourceVersion) {
        follow(object, old);
        changes.push({ type: 'update', key, object, old, relist: true });
      }
      const unchanged = old !== undefined && isSameState(old, object) && !isUnreadable(old);
      after.set(key, unchanged ? old : object);
    }
    for (const [key, old] of before ?? []) {
      if (compared++ > 0 && compared % OBJECTS_A_TURN === 1) yield;
      if (!after.has(key)) gone.push(lost(key, old));
    }
    return { objects: after, changes: [...gone, ...changes] };
  }

  /** In the turn of the call, however much it is: see `compare`. */
  replace(items: readonly T[]): readonly Change<T>[] {
    const comparing = this.compare(items);
    let step = comparing.next();
    while (step.done !== true) step = comparing.next();
    this.install(step.value);
    return step.value.changes;
  }

  /** All of it at once: no reader sees a part. */
  install({ objects }: Replacement<T>): void {
    this.#objects = objects;
  }

  /** Puts `object` in the place of the same state of it, with less of it. Nothing has changed. */
  reduce(key: ObjectKey, object: T): void {
    const old = this.#objects?.get(key);
    if (old !== undefined && isSameState(old, object)) this.#objects?.set(key, object);
  }

  /** The differences that one watch event makes; none for a replayed or outdated one. */
  apply(event: WatchEvent<T>): readonly Change<T>[] {
    return this.applyAll([event]);
  }

  /** The differences that events make, one after the other. */
  applyAll(events: readonly WatchEvent<T>[]): readonly Change<T>[] {
    const changes: Change<T>[] = [];
    this.#objects ??= new Map();
    for (const event of events) {
      if (event.type === 'BOOKMARK') continue;
      const { object } = event;
      const key = keyOf(object);
      const old = this.#objects.get(key);
      if (event.type === 'DELETED') this.#remove(this.#objects, key, object, old, changes);
      else this.#store(this.#objects, key, object, old, changes);
    }
    return changes;
  }

  #store(
    objects: Map<ObjectKey, T>,
    key: ObjectKey,
    object: T,
    old: T | undefined,
    changes: Change<T>[],
  ): void {
    if (old !== undefined && (isSameState(old, object) || this.#isOutdated(object, old))) return;
    objects.set(key, object);
    if (old !== undefined && old.metadata.uid === object.metadata.uid) {
      follow(object, old);
      changes.push({ type: 'update', key, object, old });
      return;
    }
    if (old !== undefined) changes.push(lost(key, old));
    changes.push({ type: 'add', key, object, initial: false });
  }

  #remove(
    objects: Map<ObjectKey, T>,
    key: ObjectKey,
    object: T,
    old: T | undefined,
    changes: Change<T>[],
  ): void {
    if (old === undefined) return;
    const another = old.metadata.uid !== object.metadata.uid;
    if (another && this.#isOutdated(object, old)) return; // the delete of a predecessor, replayed
    objects.delete(key);
    changes.push(
      another ? lost(key, old) : { type: 'delete', key, object, finalStateUnknown: false },
    );
  }

  #isOutdated(object: T, cached: T): boolean {
    const { resourceVersion = '' } = object.metadata;
    const outdated = isOlder(resourceVersion, cached.metadata.resourceVersion ?? '');
    if (outdated) this.#outdatedCount++;
    return outdated;
  }
}

function lost<T extends KubernetesObject>(key: ObjectKey, object: T): Change<T> {
  return { type: 'delete', key, object, finalStateUnknown: true };
}

function follow(object: KubernetesObject, old: KubernetesObject): void {
  if (object instanceof HeldObject && old instanceof HeldObject) object.follow(old);
}

function isSameState(a: KubernetesObject, b: KubernetesObject): boolean {
  return (
    // What mostly differs comes first.
    a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid
  );
}
