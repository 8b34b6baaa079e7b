/**
 * What the opposite function does not bring back of an object: found, written as a list of entries, and put
 * back where nobody has changed the fields meanwhile.
 */

import { goJson } from '../../core/go-json.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import { fieldSchema, type StructuralSchema } from '../../model/structural-schema.ts';
import { jsonEquals } from '../validation/json-equality.ts';

/** Names of fields. An item of a list with keys is named by the values of its keys. */
type KeptPath = readonly (string | Mapping)[];

/** One field that the poorer version does not express. */
export interface KeptField {
  readonly path: KeptPath;
  /** The value of the field; left out if it had none. */
  readonly value?: unknown;
  /** The value that the opposite function gives the field; left out if it gives none. */
  readonly insteadOf?: unknown;
  /** Position of an item in a list with keys. */
  readonly at?: number;
}

/**
 * The fields in which `returned` differs from `original`.
 *
 * @param schema - of both.
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

/** The items of two lists by their keys. */
interface Keyed {
  readonly before: ReadonlyMap<string, Mapping>;
  readonly after: ReadonlyMap<string, Mapping>;
  readonly keys: readonly string[];
}

/** Undefined when the items have no keys, or when those of both lists do not follow in one order. */
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
  // Removed first: an item comes back at the position that it had among the others of its list.
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

/**
 * `fields` with what was kept. A field that was missing comes back if it is still missing, and one that has
 * another value if it still has that value. So a change that was made in the poorer version stays. Nothing
 * comes back below a field that is gone.
 */
export function withKept(fields: Mapping, kept: readonly KeptField[]): Mapping {
  return kept.reduce<Mapping>((all, entry) => {
    const changed = withEntry(all, entry, 0);
    return isMapping(changed) ? changed : all;
  }, fields);
}

/** The value at the step `depth` of the path, changed by the entry. */
function withEntry(value: unknown, entry: KeptField, depth: number): unknown {
  const step = entry.path[depth];
  const isLast = depth === entry.path.length - 1;
  if (typeof step === 'string') {
    if (!isMapping(value)) return value;
    const has = Object.hasOwn(value, step);
    if (!isLast && !has) return value;
    const present = has ? { value: value[step] } : undefined;
    const next = isLast
      ? merged(present, entry)
      : { value: withEntry(value[step], entry, depth + 1) };
    return withMember(value, step, next);
  }
  if (step === undefined || !Array.isArray(value)) return value;
  const index = value.findIndex((item: unknown) => isMapping(item) && hasKey(item, step));
  if (!isLast) {
    return index < 0 ? value : value.with(index, withEntry(value[index], entry, depth + 1));
  }
  const next = merged(index < 0 ? undefined : { value: value[index] as unknown }, entry);
  if (index < 0) {
    return next === undefined ? value : value.toSpliced(entry.at ?? value.length, 0, next.value);
  }
  return next === undefined ? value.toSpliced(index, 1) : value.with(index, next.value);
}

/** A field with a value; undefined for a field that is missing. */
type Present = { readonly value: unknown } | undefined;

function merged(present: Present, entry: KeptField): Present {
  const had = 'insteadOf' in entry;
  if (present === undefined ? had : !had || !jsonEquals(present.value, entry.insteadOf)) {
    return present;
  }
  return 'value' in entry ? { value: entry.value } : undefined;
}

function withMember(mapping: Mapping, name: string, next: Present): Mapping {
  const members = new Map(Object.entries(mapping));
  if (next === undefined) members.delete(name);
  else members.set(name, next.value);
  return Object.fromEntries(members);
}

function hasKey(item: Mapping, key: Mapping): boolean {
  return Object.entries(key).every(([name, value]) => jsonEquals(item[name], value));
}
