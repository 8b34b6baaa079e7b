import type { KubernetesObject } from './object.ts';

/**
 * An entry that parses its object when `object` or `metadata` is read. It may release the parsed object
 * afterwards.
 */
interface Lazy<T extends KubernetesObject> {
  readonly metadata: T['metadata'];
  readonly object: T;
}

/**
 * The object of an entry. It is parsed when one of its fields is read; if only `metadata` is read, only its
 * beginning is parsed. The object is read-only, and does not change while the caller has it.
 *
 * Reading a field throws the errors of the entry. `structuredClone` does not accept the object, but `{
 * ...object }` is a plain copy.
 */
export function lazyObject<T extends KubernetesObject>(entry: Lazy<T>): T {
  return new Proxy<T>(TARGET as unknown as T, new LazyFields(entry));
}

/**
 * The target of all proxies. The traps never read it, but Node calls this method of the target to print a
 * proxy. Without the method, `console.log(object)` would print an empty object.
 */
const TARGET = {
  /** Called with the proxy as `this`. */
  [Symbol.for('nodejs.util.inspect.custom')](this: object): object {
    return { ...this };
  },
};

/** Parses at most once, even if the entry releases its object between two reads. */
class LazyFields<T extends KubernetesObject> implements ProxyHandler<T> {
  readonly #entry: Lazy<T>;
  #metadata: T['metadata'] | undefined;
  #object: T | undefined;

  constructor(entry: Lazy<T>) {
    this.#entry = entry;
  }

  get #parsed(): T {
    this.#object ??= this.#entry.object;
    return this.#object;
  }

  get(_: T, name: string | symbol): unknown {
    if (name !== 'metadata' || this.#object !== undefined) return Reflect.get(this.#parsed, name);
    this.#metadata ??= this.#entry.metadata;
    return this.#metadata;
  }

  has(_: T, name: string | symbol): boolean {
    return Reflect.has(this.#parsed, name);
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.#parsed);
  }

  /**
   * The property is reported as configurable, because a proxy must not report a non-configurable property
   * that its target does not have.
   */
  getOwnPropertyDescriptor(_: T, name: string | symbol): PropertyDescriptor | undefined {
    const known = Reflect.getOwnPropertyDescriptor(this.#parsed, name);
    return known && { ...known, configurable: true };
  }

  set(): never {
    throw readOnly();
  }

  defineProperty(): never {
    throw readOnly();
  }

  deleteProperty(): never {
    throw readOnly();
  }

  preventExtensions(): boolean {
    return false;
  }

  setPrototypeOf(): boolean {
    return false;
  }
}

function readOnly(): TypeError {
  return new TypeError('a cached object is read-only, copy one to change it: { ...object }');
}
