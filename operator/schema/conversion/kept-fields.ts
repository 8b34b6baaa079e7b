/**
 * The fields of an object that are lost when it is converted to another version and back, as a list of
 * entries.
 */

import { goJson } from '../../core/go/go-json.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import { fieldSchema, type StructuralSchema } from '../../model/structural-schema.ts';
import { jsonEquals } from '../validation/json-equality.ts';

/**
 * The path of a field. A step is the name of a field, or for an item of a list with keys, the values of its
 * keys.
 */
export type KeptPath = readonly (string | Mapping)[];

/** A field that the other version cannot express. */
export interface KeptField {
  readonly path: KeptPath;
  /** The original value of the field; absent if the field had no value. */
  readonly value?: unknown;
  /** The value that the field gets when the object is converted back; absent if the field is then missing. */
  readonly insteadOf?: unknown;
  /** If the entry is an item of a list with keys, the position of the item in the list. */
  readonly at?: number;
}

/**
 * The fields in which `returned` differs from `original`.
 *
 * @param schema - the schema of both objects.
 */
export function keptFields(
  original: Mapping,
  returned: Mapping,
  schema: StructuralSchema,
): readonly KeptField[] {
  return [...differences(original, returned, schema, [])];
}

function* differences(
  before: unknown,
  after: unknown,
  schema: StructuralSchema | undefined,
  path: KeptPath,
): Generator<KeptField> {
  if (jsonEquals(before, after)) return;
  if (isMapping(before) && isMapping(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const field = [...path, name];
      const inner = schema && fieldSchema(schema, name);
      if (!Object.hasOwn(after, name)) yield { path: field, value: before[name] };
      else if (!Object.hasOwn(before, name)) yield { path: field, insteadOf: after[name] };
      else yield* differences(before[name], after[name], inner, field);
    }
    return;
  }
  const items = schema && itemsByKey(before, after, schema);
  if (items === undefined) yield { path, value: before, insteadOf: after };
  else yield* itemDifferences(items, schema?.items, path);
}

/** The items of two lists, keyed by the values of their keys. */
interface Keyed {
  readonly before: ReadonlyMap<string, Mapping>;
  readonly after: ReadonlyMap<string, Mapping>;
  readonly keys: readonly string[];
}

/**
 * The items of both lists, keyed by the values of their keys. Undefined when the items have no
 * keys, or when the common items of both lists have different orders.
 */
function itemsByKey(
  before: unknown,
  after: unknown,
  { 'x-kubernetes-list-map-keys': keys = [] }: StructuralSchema,
): Keyed | undefined {
  if (keys.length === 0) return undefined;
  const [old, now] = [byKey(before, keys), byKey(after, keys)];
  if (old === undefined || now === undefined) return undefined;
  const common = [...old.keys()].filter((key) => now.has(key));
  const inOrder = [...now.keys()].filter((key) => old.has(key));
  if (common.some((key, at) => key !== inOrder[at])) return undefined;
  return { before: old, after: now, keys };
}

function byKey(list: unknown, keys: readonly string[]): ReadonlyMap<string, Mapping> | undefined {
  if (!Array.isArray(list) || !list.every(isMapping)) return undefined;
  const hasKeys = list.every((item) => keys.every((key) => Object.hasOwn(item, key)));
  const found = new Map(list.map((item) => [goJson(keyOf(item, keys)), item]));
  return hasKeys && found.size === list.length ? found : undefined;
}

function keyOf(item: Mapping, keys: readonly string[]): Mapping {
  return Object.fromEntries(keys.map((key) => [key, item[key]]));
}

function* itemDifferences(
  { before, after, keys }: Keyed,
  schema: StructuralSchema | undefined,
  path: KeptPath,
): Generator<KeptField> {
  // Items to be removed come first. When an item is restored later, its position then counts only the items
  // of the original list.
  for (const [key, item] of after) {
    if (!before.has(key)) yield { path: [...path, keyOf(item, keys)], insteadOf: item };
  }
  let at = 0;
  for (const [key, item] of before) {
    const own = [...path, keyOf(item, keys)];
    const now = after.get(key);
    if (now === undefined) yield { path: own, value: item, at };
    else yield* differences(item, now, schema, own);
    at += 1;
  }
}
