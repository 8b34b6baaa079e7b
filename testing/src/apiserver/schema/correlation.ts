import { fieldSchema, type StructuralSchema } from 'chancery/internal';
import { jsonEquals } from '../objects/json-value.ts';
import { isObject } from '../objects/metadata.ts';

/**
 * A value and the one that it replaces. Where the two can be matched, what was wrong before may
 * stay wrong: only what a write changes has to be valid.
 */
export class Correlation {
  readonly #value: unknown;
  readonly #schema: StructuralSchema;
  readonly old: unknown;
  #unchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: StructuralSchema) {
    this.#value = value;
    this.old = old;
    this.#schema = schema;
  }

  get unchanged(): boolean {
    this.#unchanged ??= jsonEquals(this.#value, this.old);
    return this.#unchanged;
  }

  /** Of a field of an object or map; undefined where there was none before. */
  field(name: string): Correlation | undefined {
    const schema = fieldSchema(this.#schema, name);
    if (schema === undefined || !isObject(this.#value) || !isObject(this.old)) return undefined;
    if (!Object.hasOwn(this.old, name)) return undefined;
    return new Correlation(this.#value[name], this.old[name], schema);
  }

  /** Of an item of a list whose items have keys; undefined in any other list. */
  item(index: number): Correlation | undefined {
    const { items } = this.#schema;
    if (items === undefined || !Array.isArray(this.#value)) return undefined;
    const value: unknown = this.#value[index];
    const old = itemLike(value, this.old, this.#schema);
    return old === undefined ? undefined : new Correlation(value, old, items);
  }
}

/** The item of `list` with the keys of `item`, in a list of type map. */
export function itemLike(item: unknown, list: unknown, schema: StructuralSchema): unknown {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys === undefined || !Array.isArray(list) || !isObject(item)) return undefined;
  return list.find(
    (other) => isObject(other) && keys.every((key) => jsonEquals(other[key], item[key])),
  );
}
