import type { JsonObject } from './json-value.ts';
import {
  fieldElement,
  indexElement,
  keyElement,
  type PathElement,
  valueElement,
} from './path-element.ts';

/**
 * How one value is merged and owned. Without a word about it a map is merged field by field and a
 * list is replaced as a whole.
 */
export interface FieldSchema {
  /** The fields of a map that the schema names. */
  readonly fields?: Readonly<Record<string, FieldSchema>>;
  /** The items of a list, or the values of a map's other fields. */
  readonly items?: FieldSchema;
  /** True where fields that `fields` leaves out are named ones too: in all built-in kinds. */
  readonly open?: boolean;
  /** The map or list is one field with one owner. */
  readonly atomic?: boolean;
  /** A list whose items are told apart by these fields in server-side apply. */
  readonly keys?: readonly string[];
  /** Values of key fields that an item leaves out. */
  readonly keyDefaults?: JsonObject;
  /** A list of distinct scalars. */
  readonly set?: boolean;
  /** What an object of this kind has here even when nobody set it (a Go struct that is no pointer). */
  readonly present?: unknown;
  /** The field by which strategic merge patch tells list items apart; it knows one at most. */
  readonly mergeKey?: string;
}

export const GRANULAR: FieldSchema = {};

/** The schema of one field of a map. */
export function fieldSchema(schema: FieldSchema, name: string): FieldSchema {
  const named = schema.fields;
  if (named !== undefined && Object.hasOwn(named, name)) return named[name] ?? GRANULAR;
  if (schema.items !== undefined) return schema.items;
  return schema.open ? BUILT_IN_VALUE : GRANULAR;
}

const BUILT_IN_VALUE: FieldSchema = { open: true };

/** The schema of the items of a list. */
export function itemSchema(schema: FieldSchema): FieldSchema {
  return schema.items ?? GRANULAR;
}

/** True when the schema names the field, false for a key of a free map such as labels. */
export function isNamedField(schema: FieldSchema, name: string): boolean {
  if (schema.fields !== undefined && Object.hasOwn(schema.fields, name)) return true;
  return schema.open === true;
}

/** True for a list whose items are owned one by one. */
export function isAssociative(schema: FieldSchema): boolean {
  return !schema.atomic && (schema.set === true || schema.keys !== undefined);
}

/** The path element of an item of an associative list. */
export function itemElement(schema: FieldSchema, item: unknown, index: number): PathElement {
  if (schema.keys === undefined) return valueElement(item);
  return keyElement(item, schema.keys, schema.keyDefaults ?? {}) ?? indexElement(index);
}

/** The element and schema of whatever `element` names below a value of this schema. */
export function schemaBelow(schema: FieldSchema, element: PathElement): FieldSchema {
  return element.startsWith(fieldElement(''))
    ? fieldSchema(schema, element.slice(2))
    : itemSchema(schema);
}
