import type { JsonObject } from '../../objects/json-value.ts';
import {
  fieldElement,
  indexElement,
  keyElement,
  type PathElement,
  valueElement,
} from './path-element.ts';

/**
 * The rules for merging one value and for the ownership of its fields. By default a map is merged field by
 * field, and a list is replaced as a whole.
 */
export interface FieldSchema {
  /** The fields of a map that the schema declares. */
  readonly fields?: Readonly<Record<string, FieldSchema>>;
  /** True if only the fields in `fields` may be applied. */
  readonly closed?: boolean;
  /** True for a map, whether or not it has declared fields. */
  readonly map?: boolean;
  /** True for a list, whatever its list type. */
  readonly list?: boolean;
  /** The schema of a list's items, or of the values of a map's fields that are not declared. */
  readonly items?: FieldSchema;
  /** The schema of a map's values if `items` is omitted. Default: `GRANULAR`. */
  readonly deeper?: FieldSchema;
  /** True if the map or list is one field with one owner. */
  readonly atomic?: boolean;
  /** The fields by which server-side apply identifies the items of a list. */
  readonly keys?: readonly string[];
  /** The default values of key fields, for items that omit these fields. */
  readonly keyDefaults?: JsonObject;
  /** True for a list of distinct scalars. */
  readonly set?: boolean;
  /**
   * Fields that Go writes even when they are unset, because they are not pointers in the Go struct. Each
   * field is mapped to the value that Go writes.
   */
  readonly present?: ReadonlyMap<string, unknown>;
  /** The kind of the scalar; undefined for a map or list. */
  readonly scalar?: 'string' | 'numeric' | 'boolean' | 'untyped';
}

/**
 * In a value without a schema, the fields of this many levels have separate owners. Below these levels, each
 * value is one field with one owner. A real server has no such limit. It is needed here, because the cost of
 * `managedFields` grows with the square of the depth.
 */
const OWNED_LEVELS = 200;

/**
 * The rules for a value that no schema describes: maps are merged field by field, and lists are replaced as a
 * whole.
 */
const GRANULAR: FieldSchema = granular(OWNED_LEVELS);

function granular(levels: number): FieldSchema {
  let schema: FieldSchema = { atomic: true };
  for (let level = 1; level < levels; level++) schema = { deeper: schema };
  return schema;
}

/** The schema of one field of a map. */
export function fieldSchema(schema: FieldSchema, name: string): FieldSchema {
  const named = schema.fields;
  if (named !== undefined && Object.hasOwn(named, name)) return named[name] ?? GRANULAR;
  return schema.items ?? schema.deeper ?? GRANULAR;
}

/** The schema of the items of a list. */
export function itemSchema(schema: FieldSchema): FieldSchema {
  return schema.items ?? GRANULAR;
}

/**
 * True when the schema declares the field; false for a key of a map that can have any keys, such as labels.
 */
export function isNamedField(schema: FieldSchema, name: string): boolean {
  return schema.fields !== undefined && Object.hasOwn(schema.fields, name);
}

/** True for a list whose items have separate owners. */
export function isAssociative(schema: FieldSchema): boolean {
  return !schema.atomic && (schema.set === true || schema.keys !== undefined);
}

/** The path element of an item of an associative list. */
export function itemElement(schema: FieldSchema, item: unknown, index: number): PathElement {
  if (schema.keys === undefined) return valueElement(item);
  return keyElement(item, schema.keys, schema.keyDefaults ?? {}) ?? indexElement(index);
}

/** The schema of the field or item to which `element` refers. */
export function schemaBelow(schema: FieldSchema, element: PathElement): FieldSchema {
  return element.startsWith(fieldElement(''))
    ? fieldSchema(schema, element.slice(2))
    : itemSchema(schema);
}
