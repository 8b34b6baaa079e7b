import { isJsonObject, type JsonObject } from '../../objects/json-value.ts';
import {
  type FieldSchema,
  fieldSchema,
  isAssociative,
  isNamedField,
  itemElement,
  itemSchema,
  schemaBelow,
} from '../fields/field-schema.ts';
import { type FieldSet, fieldSetOf, NO_FIELDS } from '../fields/field-set.ts';
import { type FieldPath, fieldElement } from '../fields/path-element.ts';

/** The fields that a configuration sets: its leaves, its list items and its empty maps. */
export function ownedFields(object: JsonObject, schema: FieldSchema): FieldSet {
  return fieldSetOf(fieldsOf(object, schema, []));
}

function fieldsOf(value: unknown, schema: FieldSchema, path: FieldPath): FieldPath[] {
  if (schema.atomic) return [path];
  if (Array.isArray(value)) return isAssociative(schema) ? itemsOf(value, schema, path) : [path];
  if (!isJsonObject(value)) return [path];
  return Object.entries(value).flatMap(([name, child]) => {
    const at = [...path, fieldElement(name)];
    const below = fieldsOf(child, fieldSchema(schema, name), at);
    const isEmptyMap = isJsonObject(child) && Object.keys(child).length === 0;
    return isEmptyMap || !isNamedField(schema, name) ? [at, ...below] : below;
  });
}

function itemsOf(items: readonly unknown[], schema: FieldSchema, path: FieldPath): FieldPath[] {
  return items.flatMap((item, index) => {
    const at = [...path, itemElement(schema, item, index)];
    return [at, ...fieldsOf(item, itemSchema(schema), at)];
  });
}

/**
 * Adds to the set each declared field in which a nested field belongs to the set. As a result, a struct is
 * removed when no field in it has an owner.
 */
export function withNamedParents(set: FieldSet, schema: FieldSchema): FieldSet {
  if (set === NO_FIELDS) return set;
  const members = new Set(set.members);
  const children = [...set.children].map(([element, child]): [string, FieldSet] => {
    const isField = element.startsWith('f:');
    if (isField && isNamedField(schema, element.slice(2))) members.add(element);
    return [element, withNamedParents(child, schemaBelow(schema, element))];
  });
  return { members, children: new Map(children) };
}
