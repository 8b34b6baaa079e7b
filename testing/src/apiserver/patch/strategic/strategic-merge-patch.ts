import { fieldOf, isJsonObject, type JsonObject, jsonEquals } from '../../objects/json-value.ts';
import { builtInSchema } from '../fields/built-in-schema.ts';
import { type FieldSchema, fieldSchema, GRANULAR, itemSchema } from '../fields/field-schema.ts';
import { malformedPatch } from '../patch-error.ts';
import { inElementOrder, isSameElement } from './list-order.ts';
import {
  DIRECTIVE,
  deletedValuesOf,
  elementOrderOf,
  isDirective,
  retainedKeysOf,
  withoutDirectives,
} from './strategic-directives.ts';

/**
 * The document after a strategic merge patch: a merge patch that finds the items of the
 * well-known lists by their merge key, with the directives `$patch`, `$retainKeys`,
 * `$setElementOrder/…` and `$deleteFromPrimitiveList/…`. Neither input is changed.
 *
 * The kind is a built-in one: custom resources have no strategic merge patch.
 *
 * @throws ApiError 400 when the patch or a directive in it is not of the form it must have.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: unknown,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): JsonObject {
  if (!isJsonObject(patch)) throw malformedPatch('invalid JSON document');
  return mergeMap(document, patch, builtInSchema(apiVersion, kind) ?? GRANULAR);
}

/** @throws ApiError 400 for a directive that the server does not know. */
function mergeMap(document: JsonObject, patch: JsonObject, schema: FieldSchema): JsonObject {
  const directive = fieldOf(patch, DIRECTIVE);
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge')
    throw malformedPatch(`unknown patch type found: ${JSON.stringify(directive)}`);

  const merged = new Map(Object.entries(document));
  const retained = retainedKeysOf(patch);
  for (const name of retained === undefined ? [] : merged.keys()) {
    if (!retained?.has(name)) merged.delete(name);
  }
  for (const name of fieldsNamedBy(patch)) {
    const value = mergeField(merged.get(name), patch, name, fieldSchema(schema, name));
    if (value === undefined) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/** The fields that a patch names, directly or in a directive about them. */
function fieldsNamedBy(patch: JsonObject): ReadonlySet<string> {
  const names = Object.keys(patch).flatMap((key) => {
    if (key === DIRECTIVE || key === '$retainKeys') return [];
    return isDirective(key) ? [key.slice(key.indexOf('/') + 1)] : [key];
  });
  return new Set(names);
}

/** @returns undefined when the field is removed. */
function mergeField(
  current: unknown,
  patch: JsonObject,
  name: string,
  schema: FieldSchema,
): unknown {
  const deleted = deletedValuesOf(patch, name);
  const start = deleted === undefined ? current : deleteFromList(current, deleted);
  const value = fieldOf(patch, name);
  if (value === null) return undefined;
  const merged = value === undefined ? start : mergeValue(start, value, schema);
  const order = elementOrderOf(patch, name);
  if (order === undefined || !Array.isArray(merged) || schema.mergeKey === undefined) return merged;
  return inElementOrder(merged, order, Array.isArray(current) ? current : [], schema.mergeKey);
}

function mergeValue(current: unknown, patch: unknown, schema: FieldSchema): unknown {
  if (isJsonObject(current) && isJsonObject(patch)) {
    return schema.replaced ? patch : mergeMap(current, patch, schema);
  }
  if (Array.isArray(patch)) {
    const items = Array.isArray(current) ? current : [];
    return schema.mergeKey === undefined
      ? patch.map(withoutDirectivesIn)
      : mergeList(items, patch, schema);
  }
  return isJsonObject(patch) ? mergeMap({}, patch, schema) : patch;
}

function withoutDirectivesIn(item: unknown): unknown {
  return isJsonObject(item) ? withoutDirectives(item) : item;
}

/** A list with a patch merged into it, item by item; new items come first, as the server puts them. */
function mergeList(
  items: readonly unknown[],
  patch: readonly unknown[],
  schema: FieldSchema,
): readonly unknown[] {
  const mergeKey = schema.mergeKey ?? '';
  if (mergeKey === '') {
    const all = [...items, ...patch];
    const unique = all.filter((item, at) => all.findIndex((one) => jsonEquals(one, item)) === at);
    return inElementOrder(unique, patch, items, mergeKey);
  }
  const changes = patch.map((item) => keyedItem(item, mergeKey));
  const directives = new Set(changes.map((item) => fieldOf(item, DIRECTIVE)));
  if (directives.has('replace')) return replacing(changes);
  const doomed = changes.filter((item) => fieldOf(item, DIRECTIVE) === 'delete');
  const merging = changes.filter((item) => fieldOf(item, DIRECTIVE) !== 'delete');
  const left = items.filter((item) => !doomed.some((one) => isSameElement(one, item, mergeKey)));
  const merged = merging.reduce<readonly unknown[]>((list, item) => {
    const at = list.findIndex((one) => isSameElement(one, item, mergeKey));
    const current = list[at];
    if (!isJsonObject(current)) return list.concat(mergeMap({}, item, itemSchema(schema)));
    return list.with(at, mergeMap(current, item, itemSchema(schema)));
  }, left);
  return inElementOrder(merged, merging, left, mergeKey);
}

/** A list without these scalars. */
function deleteFromList(items: unknown, values: readonly unknown[]): unknown {
  if (!Array.isArray(items)) return items;
  return items.filter((item) => !values.some((value) => jsonEquals(value, item)));
}

/** The list after `$patch: replace` in any item: the other items of the patch, and nothing else. */
function replacing(changes: readonly JsonObject[]): readonly unknown[] {
  return changes
    .filter((item) => fieldOf(item, DIRECTIVE) === undefined)
    .map((item) => withoutDirectives(item));
}

function keyedItem(item: unknown, mergeKey: string): JsonObject {
  if (!isJsonObject(item)) throw malformedPatch('invalid JSON document');
  const isReplace = fieldOf(item, DIRECTIVE) === 'replace';
  if (!isReplace && fieldOf(item, mergeKey) === undefined)
    throw malformedPatch(`map does not contain declared merge key: ${mergeKey}`);
  return item;
}
