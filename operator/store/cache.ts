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
    }
  | {
      readonly type: 'delete';
      readonly key: ObjectKey;
      /** The last state that is known. */
      readonly object: T;
      /** The delete itself was not seen: `object` may not be what was deleted. */
      readonly finalStateUnknown: boolean;
    };

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

  /** Deletes first, then adds and updates in the order of the list; nothing for what is unchanged. */
  replace(items: readonly T[]): readonly Change<T>[] {
    const before = this.#objects;
    const after = new Map<ObjectKey, T>();
    const gone: Change<T>[] = [];
    const changes: Change<T>[] = [];
    for (const object of items) {
      const key = keyOf(object);
      const old = before?.get(key);
      if (old === undefined || old.metadata.uid !== object.metadata.uid) {
        if (old !== undefined) gone.push(lost(key, old));
        changes.push({ type: 'add', key, object, initial: before === undefined });
      } else if (old.metadata.resourceVersion !== object.metadata.resourceVersion) {
        changes.push({ type: 'update', key, object, old });
      }
      const unchanged = old !== undefined && isSameState(old, object);
      after.set(key, unchanged ? old : object);
    }
    for (const [key, old] of before ?? []) if (!after.has(key)) gone.push(lost(key, old));
    this.#objects = after;
    return [...gone, ...changes];
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

function isSameState(a: KubernetesObject, b: KubernetesObject): boolean {
  return (
    a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion
  );
}
