import { HeldObject, readObject } from '../model/held-object.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { Change } from './cache.ts';

/** Changes as handlers see them: an object that is held as text is read when they look at it. */
export function readable<T extends KubernetesObject>(
  changes: readonly Change<T>[],
): readonly Change<T>[] {
  return changes.some(isHeld) ? changes.map(readableChange) : changes;
}

function isHeld(change: Change): boolean {
  return (
    change.object instanceof HeldObject ||
    (change.type === 'update' && change.old instanceof HeldObject)
  );
}

/** With properties of its own, so that it may be spread and compared as any change. */
function readableChange<T extends KubernetesObject>(change: Change<T>): Change<T> {
  const { key } = change;
  switch (change.type) {
    case 'add':
      return {
        type: 'add',
        key,
        get object() {
          return readObject(change.object);
        },
        initial: change.initial,
      };
    case 'delete':
      return {
        type: 'delete',
        key,
        get object() {
          return readObject(change.object);
        },
        finalStateUnknown: change.finalStateUnknown,
      };
    case 'update':
      return {
        type: 'update',
        key,
        get object() {
          return readObject(change.object);
        },
        get old() {
          return readObject(change.old);
        },
        ...(change.resync === true && { resync: true }),
        ...(change.relist === true && { relist: true }),
      };
  }
}

/** What a cache has, each object read when somebody asks for it. */
export class ReadableObjects<T extends KubernetesObject> implements ReadonlyMap<ObjectKey, T> {
  readonly #objects: ReadonlyMap<ObjectKey, T>;

  constructor(objects: ReadonlyMap<ObjectKey, T>) {
    this.#objects = objects;
  }

  get size(): number {
    return this.#objects.size;
  }

  has(key: ObjectKey): boolean {
    return this.#objects.has(key);
  }

  get(key: ObjectKey): T | undefined {
    const found = this.#objects.get(key);
    return found === undefined ? undefined : readObject(found);
  }

  keys(): MapIterator<ObjectKey> {
    return this.#objects.keys();
  }

  *values(): Generator<T, undefined, undefined> {
    for (const object of this.#objects.values()) yield readObject(object);
  }

  *entries(): Generator<[ObjectKey, T], undefined, undefined> {
    for (const [key, object] of this.#objects) yield [key, readObject(object)];
  }

  [Symbol.iterator](): Generator<[ObjectKey, T], undefined, undefined> {
    return this.entries();
  }

  forEach(tell: (object: T, key: ObjectKey, map: ReadonlyMap<ObjectKey, T>) => void): void {
    for (const [key, object] of this.entries()) tell(object, key, this);
  }
}
