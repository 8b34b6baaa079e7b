import { isMapping } from '../../core/mapping.ts';
import { fieldSchema, type StructuralSchema } from '../../model/structural-schema.ts';
import type { Json } from '../keywords.ts';
import { UNLIMITED, type Work } from '../work.ts';
import { identityOf, jsonEquals } from './json-equality.ts';

/**
 * A value and the value that an update replaces with it. Only fields and items that the update changes must
 * be valid. An invalid field or item may stay if it did not change and its previous value can be identified.
 */
export class Correlation {
  readonly #value: unknown;
  readonly #schema: StructuralSchema;
  readonly #work: Work;
  readonly old: unknown;
  #unchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: StructuralSchema, work: Work = UNLIMITED) {
    this.#value = value;
    this.old = old;
    this.#schema = schema;
    this.#work = work;
  }

  /**
   * True when the value did not change.
   *
   * @throws TooMuchWork
   */
  get unchanged(): boolean {
    this.#unchanged ??= jsonEquals(this.#value, this.old, this.#work);
    return this.#unchanged;
  }

  /**
   * Pairs a field of an object or map with its previous value; undefined if the field did not exist before.
   */
  field(name: string): Correlation | undefined {
    const schema = fieldSchema(this.#schema, name);
    if (schema === undefined || !isMapping(this.#value) || !isMapping(this.old)) return undefined;
    if (!Object.hasOwn(this.old, name)) return undefined;
    return new Correlation(this.#value[name], this.old[name], schema, this.#work);
  }

  /**
   * Pairs an item with the previous item that has the same keys; undefined for a list whose items have no
   * keys.
   */
  item(index: number): Correlation | undefined {
    const { items } = this.#schema;
    if (items === undefined || !Array.isArray(this.#value)) return undefined;
    const value: unknown = this.#value[index];
    const old = itemLike(value, this.old, this.#schema, this.#work);
    return old === undefined ? undefined : new Correlation(value, old, items, this.#work);
  }
}

/** The items of a list, keyed by the values of their keys as one string, see `identityOf`. */
interface KeyedItems {
  readonly keys: readonly string[];
  readonly items: ReadonlyMap<string, unknown>;
}

/**
 * The items of lists by their keys. Each list is read only once, because a search for each item would take a
 * time that grows with the square of the list's length.
 */
const KEYED = new WeakMap<readonly unknown[], KeyedItems>();

/**
 * The item of `list` that has the same keys as `item`, for a list of the type `map`.
 *
 * @throws TooMuchWork
 */
export function itemLike(
  item: unknown,
  list: unknown,
  schema: StructuralSchema,
  work: Work = UNLIMITED,
): unknown {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys === undefined || !Array.isArray(list) || !isMapping(item)) return undefined;
  let keyed = KEYED.get(list);
  if (keyed?.keys !== keys) {
    work.spend(list.length);
    keyed = { keys, items: byKeys(list, keys) };
    KEYED.set(list, keyed);
  }
  return keyed.items.get(identityOf(keysOf(item, keys)));
}

/**
 * The items, keyed by the values of their keys. If several items have the same keys, only the first of these
 * items is used.
 */
function byKeys(list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const items = new Map<string, unknown>();
  for (const item of list) {
    if (!isMapping(item)) continue;
    const identity = identityOf(keysOf(item, keys));
    if (!items.has(identity)) items.set(identity, item);
  }
  return items;
}

/** The keys of an item. Missing keys are omitted. */
export function keysOf(item: unknown, keys: readonly string[]): Json {
  if (!isMapping(item)) return {};
  const present = keys.filter((key) => Object.hasOwn(item, key));
  return Object.fromEntries(present.map((key) => [key, item[key]]));
}
