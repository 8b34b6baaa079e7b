import type { JsonObject } from '../../objects/json-value.ts';
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
  /** No other field than those of `fields` may be applied. */
  readonly closed?: boolean;
  /** It is a map, of whatever kind. */
  readonly map?: boolean;
  /** It is a list, of whatever kind. */
  readonly list?: boolean;
  /** The items of a list, or the values of a map's other fields. */
  readonly items?: FieldSchema;
  /** What the values of a map without `items` are. Default: `GRANULAR`. */
  readonly deeper?: FieldSchema;
  /** The map or list is one field with one owner. */
  readonly atomic?: boolean;
  /** A list whose items server-side apply identifies by these fields. */
  readonly keys?: readonly string[];
  /** Values of key fields that an item leaves out. */
  readonly keyDefaults?: JsonObject;
  /** A list of distinct scalars. */
  readonly set?: boolean;
  /** The values of fields that are not set (Go structs that are no pointers). */
  readonly present?: ReadonlyMap<string, unknown>;
  /** What kind of scalar it is, where it is one. */
  readonly scalar?: 'string' | 'numeric' | 'boolean' | 'untyped';
}

/**
 * Levels of a value without a schema whose fields have owners of their own. Everything deeper is one
 * field with one owner. A real server goes on to the last level; here the cost of `managedFields`
 * grows with the square of the depth.
 */
const OWNED_LEVELS = 200;

/** A value without a schema: maps are merged field by field, lists are replaced as a whole. */
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

/** True when the schema names the field, false for a key of a free map such as labels. */
export function isNamedField(schema: FieldSchema, name: string): boolean {
  return schema.fields !== undefined && Object.hasOwn(schema.fields, name);
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
