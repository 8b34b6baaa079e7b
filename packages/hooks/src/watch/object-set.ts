import { type ObjectKey, splitKey } from 'chancery';
import type { BindingEvent, BindingObject } from './binding-watch.ts';

/** The objects of one binding. Each update returns the event that it causes. */
export class ObjectSet {
  readonly #objects = new Map<ObjectKey, BindingObject>();
  #sorted: readonly BindingObject[] | undefined;

  /** Number of objects. */
  get size(): number {
    return this.#objects.size;
  }

  /** Stores a state of an object. Returns undefined if the checksum is unchanged. */
  put(object: BindingObject): BindingEvent | undefined {
    const known = this.#objects.get(object.key);
    this.#objects.set(object.key, object);
    this.#sorted = undefined;
    if (known === undefined) return { type: 'Added', object };
    return known.checksum === object.checksum ? undefined : { type: 'Modified', object };
  }

  /**
   * Removes an object. Returns undefined if it was not in the set.
   *
   * @param last - the last state of the object. Default: the stored state.
   */
  delete(key: ObjectKey, last?: BindingObject): BindingEvent | undefined {
    const known = this.#objects.get(key);
    if (known === undefined) return undefined;
    this.#objects.delete(key);
    this.#sorted = undefined;
    return { type: 'Deleted', object: last ?? known };
  }

  /** The keys of the objects in the given namespaces. */
  keysIn(namespaces: ReadonlySet<string>): readonly ObjectKey[] {
    return [...this.#objects.keys()].filter((key) => namespaces.has(splitKey(key).namespace ?? ''));
  }

  /** The objects sorted by namespace and then name. */
  sorted(): readonly BindingObject[] {
    this.#sorted ??= [...this.#objects]
      .map(([key, object]) => ({ ...splitKey(key), object }))
      .sort((a, b) => compared(a.namespace ?? '', b.namespace ?? '') || compared(a.name, b.name))
      .map(({ object }) => object);
    return this.#sorted;
  }
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
