import { isJsonObject, type JsonObject } from '../../objects/json-value.ts';
import {
  type FieldSchema,
  fieldSchema,
  isAssociative,
  itemElement,
  itemSchema,
} from '../fields/field-schema.ts';
import { type FieldSet, isEmptyFieldSet, NO_FIELDS } from '../fields/field-set.ts';
import { fieldElement } from '../fields/path-element.ts';

/** What becomes of a map or a list that loses all of its content: it goes, or it becomes null. */
type Emptied = undefined | null;

/** The object without the members of `fields`; maps and lists that this empties go too. */
export function removeFields(
  object: JsonObject,
  fields: FieldSet,
  schema: FieldSchema,
): JsonObject {
  return removed(object, fields, schema, undefined);
}

/**
 * The object without the members of `fields`, to see which fields are left: a map or a list that
 * this empties becomes null, as in the `RemoveItems` of structured-merge-diff, because it is no
 * member itself.
 */
export function removeFieldsOnly(
  object: JsonObject,
  fields: FieldSet,
  schema: FieldSchema,
): JsonObject {
  return removed(object, fields, schema, null);
}

function removed(
  object: JsonObject,
  fields: FieldSet,
  schema: FieldSchema,
  emptied: Emptied,
): JsonObject {
  const left = removeFrom(object, fields, schema, emptied);
  return isJsonObject(left) ? left : {};
}

/** @returns `emptied` when nothing is left. */
function removeFrom(
  value: unknown,
  fields: FieldSet,
  schema: FieldSchema,
  emptied: Emptied,
): unknown {
  if (isEmptyFieldSet(fields) || schema.atomic) return value;
  if (Array.isArray(value))
    return isAssociative(schema) ? removeItems(value, fields, schema, emptied) : value;
  if (!isJsonObject(value)) return value;
  const left = Object.entries(value).flatMap(([name, child]): [string, unknown][] => {
    const element = fieldElement(name);
    if (fields.members.has(element)) return [];
    const below = fields.children.get(element) ?? NO_FIELDS;
    const kept = removeFrom(child, below, fieldSchema(schema, name), emptied);
    return kept === undefined ? [] : [[name, kept]];
  });
  return left.length === 0 ? emptied : Object.fromEntries(left);
}

function removeItems(
  items: readonly unknown[],
  fields: FieldSet,
  schema: FieldSchema,
  emptied: Emptied,
): unknown {
  const left = items.flatMap((item, index) => {
    const element = itemElement(schema, item, index);
    if (fields.members.has(element)) return [];
    const below = fields.children.get(element) ?? NO_FIELDS;
    const kept = removeFrom(item, below, itemSchema(schema), emptied);
    return kept === undefined ? [] : [kept];
  });
  return left.length === 0 ? emptied : left;
}
