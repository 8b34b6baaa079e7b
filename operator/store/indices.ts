import { ConfigurationError } from '../core/errors.ts';
import { OBJECTS_PER_SLICE } from '../core/time-slice.ts';
import type { Entry } from '../model/entry.ts';
import {
  type KubernetesObject,
  keyFrom,
  type ObjectKey,
  ownersIn,
  type Target,
} from '../model/object.ts';
import type { Replacement } from './cache.ts';
import type { Change } from './change.ts';

/**
 * Returns the values under which an index finds an object: strings, or names of other objects. It must be a
 * pure function. If it throws, the object has no values. The object is parsed when a field is read, so a
 * function that reads only `metadata` causes no parsing of objects.
 *
 * The type is declared as a method, so that a source of Pods can be used as a source of any object.
 */
export type IndexFunction<T extends KubernetesObject = KubernetesObject> = {
  of(object: T): readonly (string | Target)[];
}['of'];

/** Indexes objects by their namespace. A cluster-scoped object has no value. */
export const byNamespace: IndexFunction = ({ metadata: { namespace } }) =>
  namespace === undefined ? [] : [namespace];

/** Indexes objects by the uid of each owner, whether it is the controller or not. */
export const byOwner: IndexFunction = ({ metadata }) => ownersIn(metadata).map(({ uid }) => uid);

/** Indexes objects by the value of one label. An object without the label has no value. */
export function byLabel(label: string): IndexFunction {
  return ({ metadata }) => {
    const labels = metadata.labels ?? {}; // an aggregated API server may send null
    const value = Object.hasOwn(labels, label) ? labels[label] : undefined;
    return value === undefined ? [] : [value];
  };
}

/** One index: for each value, the keys of the objects that have it. */
export class Index<T extends KubernetesObject> {
  readonly of: IndexFunction<T>;
  readonly #failed: (error: unknown) => void;
  #keys = new Map<string, Set<ObjectKey>>();
  #values = new Map<ObjectKey, readonly string[]>();
  /** True when the index contains everything that was cached before the index was added. */
  complete = false;

  constructor(of: IndexFunction<T>, failed: (error: unknown) => void) {
    this.of = of;
    this.#failed = failed;
  }

  keys(value: string): Iterable<ObjectKey> {
    return this.#keys.get(value) ?? [];
  }

  /**
   * Like `set`, but also frees the parsed object, because no other code needs it in this turn of the event
   * loop.
   */
  take(entry: Entry<T>): void {
    this.set(entry);
    entry.release();
  }

  set(entry: Entry<T>): void {
    const { key } = entry;
    this.delete(key);
    const values = this.valuesOf(entry);
    if (values.length === 0) return;
    this.#values.set(key, values);
    for (const value of values) {
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  delete(key: ObjectKey): void {
    for (const value of this.#values.get(key) ?? []) {
      const keys = this.#keys.get(value);
      if (keys?.delete(key) === true && keys.size === 0) this.#keys.delete(value);
    }
    this.#values.delete(key);
  }

  /**
   * Replaces the contents of this index with those of `other`, without copying them. `other` must not be used
   * afterwards.
   */
  become(other: Index<T>): void {
    this.#keys = other.#keys;
    this.#values = other.#values;
  }

  /** The values of an entry. Empty when the entry cannot be read or the function throws. */
  valuesOf(entry: Entry<T>): readonly string[] {
    try {
      return this.of(entry.lazy()).map(indexValue);
    } catch (error) {
      this.#failed(error);
      return [];
    }
  }
}

/** The string that an index uses for a value. For the name of an object, this is its key. */
export function indexValue(value: string | Target): string {
  return typeof value === 'string' ? value : keyFrom(value);
}

/** The indices of one cache. They are updated together with the cache. */
export class Indices<T extends KubernetesObject> {
  readonly #failed: (name: string, error: unknown) => void;
  readonly #byName = new Map<string, Index<T>>();

  /** @param failed - called for every object whose index function throws. */
  constructor(failed: (name: string, error: unknown) => void) {
    this.#failed = failed;
  }

  /** @throws ConfigurationError `CONFIG` when an index with this name already exists. */
  add(name: string, of: IndexFunction<T>): Index<T> {
    if (this.#byName.has(name)) {
      throw new ConfigurationError('two indices have the same name', { context: { index: name } });
    }
    const index = this.#empty(name, of);
    this.#byName.set(name, index);
    return index;
  }

  get(name: string): Index<T> | undefined {
    return this.#byName.get(name);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /**
   * Prepares the indices for the next state of the cache, 1,000 objects per step, without changing
   * them. The returned function changes every index at once; call it in the turn in which it is
   * returned.
   */
  *prepare({ entries, changes }: Replacement<T>): Generator<void, () => void, undefined> {
    if (changes.length <= OBJECTS_PER_SLICE) return () => this.update(changes);
    const prepared = new Map<Index<T>, Index<T>>();
    // The iteration includes an index that is added between two steps.
    for (const [name, index] of this.#byName) {
      const next = this.#empty(name, index.of);
      let taken = 0;
      for (const entry of entries.values()) {
        if (taken++ % OBJECTS_PER_SLICE === 0) yield;
        next.take(entry);
      }
      prepared.set(index, next);
    }
    return () => {
      for (const [index, next] of prepared) index.become(next);
    };
  }

  #empty(name: string, of: IndexFunction<T>): Index<T> {
    return new Index(of, (error) => this.#failed(name, error));
  }

  update(changes: readonly Change<T>[]): void {
    for (const index of this.#byName.values()) {
      for (const { type, entry } of changes) {
        if (type === 'delete') index.delete(entry.key);
        else index.set(entry);
      }
    }
  }
}

/**
 * Adds an index unless it exists, so that several callers can request it.
 *
 * @throws ConfigurationError `CONFIG` when an index of this name has another function.
 */
export function ensureIndex<T extends KubernetesObject>(
  informer: {
    addIndex(name: string, of: IndexFunction<T>): void;
    indexFunction(name: string): IndexFunction<T> | undefined;
  },
  name: string,
  of: IndexFunction<T>,
): void {
  if (informer.indexFunction(name) !== of) informer.addIndex(name, of);
}
