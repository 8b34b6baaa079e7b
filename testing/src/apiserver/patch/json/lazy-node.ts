import { goJson } from '../../objects/canonical.ts';
import { isJsonObject, setField } from '../../objects/json-value.ts';

/**
 * A value of a document that is decoded only when an operation looks into it. The library of real servers
 * does the same (`lazyNode`, evanphx/json-patch v4). This is visible in answers: a decoded value is written
 * with sorted keys, and every other value as it was sent.
 *
 * A null in an object or a list is represented by null, as in the library.
 */
export class LazyNode {
  /**
   * The value; undefined for the `value: null` of an operation. Such a node has no fields or items and is
   * written as null.
   */
  readonly raw: unknown;
  /**
   * Whether the JSON of the value contains `<` as `\\u003c`. In JSON that the server has written, this is
   * always the case.
   */
  readonly isEscaped: boolean;
  #fields: Map<string, LazyNode | null> | undefined;
  #items: (LazyNode | null)[] | undefined;

  constructor(raw: unknown, isEscaped = true) {
    this.raw = raw;
    this.isEscaped = isEscaped;
  }

  /** The fields of an object; undefined for anything else. */
  get fields(): Map<string, LazyNode | null> | undefined {
    if (this.#fields === undefined && isJsonObject(this.raw)) {
      this.#fields = new Map(
        Object.entries(this.raw).map(([name, value]) => [name, this.#nodeOf(value)] as const),
      );
    }
    return this.#fields;
  }

  /** The items of a list; undefined for anything else. */
  get items(): (LazyNode | null)[] | undefined {
    if (this.#items === undefined && Array.isArray(this.raw)) {
      this.#items = this.raw.map((item) => this.#nodeOf(item));
    }
    return this.#items;
  }

  /** Whether the node has been decoded. */
  get isOpen(): boolean {
    return this.#fields !== undefined || this.#items !== undefined;
  }

  #nodeOf(value: unknown): LazyNode | null {
    return value === null ? null : new LazyNode(value, this.isEscaped);
  }
}

/** The value of a node. It may share objects and lists with the values that the node was made from. */
export function plainJson(node: LazyNode | null): unknown {
  let result: unknown;
  const left: { node: LazyNode | null; put: (value: unknown) => void }[] = [
    {
      node,
      put: (value) => {
        result = value;
      },
    },
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { put } = next;
    if (next.node?.isOpen !== true) {
      put(next.node?.raw ?? null);
      continue;
    }
    const { fields, items = [] } = next.node;
    if (fields === undefined) {
      const list: unknown[] = new Array(items.length);
      put(list);
      for (const [at, item] of items.entries()) {
        left.push({
          node: item,
          put: (value) => {
            list[at] = value;
          },
        });
      }
      continue;
    }
    const object: Record<string, unknown> = {};
    put(object);
    for (const name of [...fields.keys()].sort()) {
      setField(object, name, undefined);
      left.push({
        node: fields.get(name) ?? null,
        put: (value) => setField(object, name, value),
      });
    }
  }
  return result;
}

/** A deep copy of a node, and the size of its JSON in bytes. */
export function deepCopy(node: LazyNode | null): { copy: LazyNode | null; bytes: number } {
  if (node === null) return { copy: null, bytes: 0 };
  const value = plainJson(node);
  return { copy: new LazyNode(value), bytes: Buffer.byteLength(goJson(value)) };
}

/** The characters that Go escapes in JSON strings. */
const MARKUP = /[<>&\u2028\u2029]/;

/**
 * Whether two values are equal. The order of an object's fields does not matter. The library compares strings
 * as they are written in JSON, so that `<` and `\\u003c` are different.
 */
export function isSameNode(left: LazyNode, right: LazyNode): boolean {
  const pairs: [LazyNode | null, LazyNode | null][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair;
    if (one === null || other === null) {
      if (one !== other) return false;
    } else if (one.fields !== undefined) {
      if (other.fields?.size !== one.fields.size) return false;
      for (const [name, value] of one.fields) {
        const counterpart = other.fields.get(name);
        if (counterpart === undefined) return false;
        pairs.push([value, counterpart]);
      }
    } else if (one.items !== undefined) {
      const { items } = other;
      if (items?.length !== one.items.length) return false;
      for (const [at, item] of one.items.entries()) pairs.push([item, items[at] ?? null]);
    } else if (one.raw !== other.raw) {
      return false;
    } else if (one.isEscaped !== other.isEscaped && MARKUP.test(String(one.raw))) {
      return false;
    }
  }
  return true;
}

/** Removes the null fields of every object in the value. Null items of lists are kept. */
export function pruneNulls(node: LazyNode): void {
  const left = [node];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const [name, value] of next.fields ?? []) {
      if (value === null) next.fields?.delete(name);
      else left.push(value);
    }
    for (const item of next.items ?? []) if (item !== null) left.push(item);
  }
}
