import {
  type FieldSchema,
  fieldSchema,
  isAssociative,
  itemElement,
  itemSchema,
} from './field-schema.ts';
import { type FieldSet, isEmptyFieldSet, NO_FIELDS } from './field-set.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { fieldElement } from './path-element.ts';

/** The object without the members of `fields`; maps and lists that this empties go too. */
export function removeFields(
  object: JsonObject,
  fields: FieldSet,
  schema: FieldSchema,
): JsonObject {
  const left = removeFrom(object, fields, schema);
  return isJsonObject(left) ? left : {};
}

/** @returns undefined when nothing is left. */
function removeFrom(value: unknown, fields: FieldSet, schema: FieldSchema): unknown {
  if (isEmptyFieldSet(fields) || schema.atomic) return value;
  if (Array.isArray(value))
    return isAssociative(schema) ? removeItems(value, fields, schema) : value;
  if (!isJsonObject(value)) return value;
  const left = Object.entries(value).flatMap(([name, child]): [string, unknown][] => {
    const element = fieldElement(name);
    if (fields.members.has(element)) return [];
    const below = fields.children.get(element) ?? NO_FIELDS;
    const kept = removeFrom(child, below, fieldSchema(schema, name));
    return kept === undefined ? [] : [[name, kept]];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function removeItems(items: readonly unknown[], fields: FieldSet, schema: FieldSchema): unknown {
  const left = items.flatMap((item, index) => {
    const element = itemElement(schema, item, index);
    if (fields.members.has(element)) return [];
    const below = fields.children.get(element) ?? NO_FIELDS;
    const kept = removeFrom(item, below, itemSchema(schema));
    return kept === undefined ? [] : [kept];
  });
  return left.length === 0 ? undefined : left;
}
