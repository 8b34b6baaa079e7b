import { fieldOf, isJsonObject, type JsonObject, jsonEquals } from '../../objects/json-value.ts';
import { type FieldSchema, itemSchema } from '../fields/field-schema.ts';
import { malformedPatch } from '../patch-error.ts';
import { inElementOrder, isSameElement } from './list-order.ts';
import { DIRECTIVE, withoutDirectives } from './strategic-directives.ts';

type MergeMap = (document: JsonObject, patch: JsonObject, schema: FieldSchema) => JsonObject;

/** A list with a patch merged into it, item by item; new items come first, as the server puts them. */
export function mergeList(
  items: readonly unknown[],
  patch: readonly unknown[],
  schema: FieldSchema,
  mergeMap: MergeMap,
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

/** A list without the given scalars. */
export function deleteFromList(items: unknown, values: readonly unknown[]): unknown {
  if (!Array.isArray(items)) return items;
  return items.filter((item) => !values.some((value) => jsonEquals(value, item)));
}

/** `$patch: replace` in any item: what the other items say is the whole list. */
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
