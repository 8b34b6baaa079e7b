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

/**
 * The object without the members of `fields`. Like in `RemoveItems` of structured-merge-diff v6.4, a map or
 * list that becomes empty is kept, unless the map or list is itself a member of `fields`.
 */
export function removeFields(
  object: JsonObject,
  fields: FieldSet,
  schema: FieldSchema,
): JsonObject {
  const left = removeFrom(object, fields, schema);
  return isJsonObject(left) ? left : {};
}

function removeFrom(value: unknown, fields: FieldSet, schema: FieldSchema): unknown {
  if (isEmptyFieldSet(fields) || schema.atomic) return value;
  if (Array.isArray(value)) {
    return isAssociative(schema) ? removeItems(value, fields, schema) : value;
  }
  if (!isJsonObject(value)) return value;
  const left = Object.entries(value).flatMap(([name, child]): [string, unknown][] => {
    const element = fieldElement(name);
    if (fields.members.has(element)) return [];
    const below = fields.children.get(element) ?? NO_FIELDS;
    return [[name, removeFrom(child, below, fieldSchema(schema, name))]];
  });
  return Object.fromEntries(left);
}

function removeItems(items: readonly unknown[], fields: FieldSet, schema: FieldSchema): unknown {
  return items.flatMap((item, index) => {
    const element = itemElement(schema, item, index);
    if (fields.members.has(element)) return [];
    const below = fields.children.get(element) ?? NO_FIELDS;
    return [removeFrom(item, below, itemSchema(schema))];
  });
}
