import type { KubernetesObject } from '../model/object.ts';
import type { ValidationRule } from '../model/structural-schema.ts';
import { type TArray, type TObject, type TSchema, type TUnsafe, Type } from './type.ts';

/** Options of every schema. */
interface SchemaOptions {
  /** The description that `kubectl explain` prints. Default: none. */
  readonly description?: string;
  /** The value of a missing field. Default: none. */
  readonly default?: unknown;
}

/** Options of every list. */
interface ListOptions extends SchemaOptions {
  /** Minimum number of items. Default 0. */
  readonly minItems?: number;
  /** Maximum number of items. Default: no limit. */
  readonly maxItems?: number;
}

/** The syntax of quantities: `100m`, `1.5Gi`, `1e3`, each with or without a sign. */
const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$';

/** An integer, or a string such as `50%`. */
export function IntOrString(
  options: SchemaOptions & { readonly pattern?: string } = {},
): TUnsafe<number | string> {
  return Type.Unsafe({ 'x-kubernetes-int-or-string': true, ...options });
}

/** A quantity, as in resource limits: `100m`, `1.5Gi`, or a plain integer. */
export function Quantity(options: SchemaOptions = {}): TUnsafe<number | string> {
  return IntOrString({ pattern: QUANTITY, ...options });
}

/**
 * A list of objects that are identified by the values of `keys`. Server-side apply merges it item by item,
 * and the API server refuses two items with the same keys.
 *
 * @param keys - scalar fields of `item` that are required or have a default.
 */
export function ListMap<Item extends TObject>(
  item: Item,
  keys: readonly (keyof Item['properties'] & string)[],
  options: ListOptions = {},
): TArray<Item> {
  return Type.Array(item, {
    ...options,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  });
}

/** A list of unique values. Server-side apply merges it value by value. */
export function ListSet<Item extends TSchema>(item: Item, options: ListOptions = {}): TArray<Item> {
  return Type.Array(item, { ...options, 'x-kubernetes-list-type': 'set' });
}

/**
 * A list that server-side apply replaces as a whole. The same applies to a list that declares no list type.
 */
export function ListAtomic<Item extends TSchema>(
  item: Item,
  options: ListOptions = {},
): TArray<Item> {
  return Type.Array(item, { ...options, 'x-kubernetes-list-type': 'atomic' });
}

/**
 * A copy of `schema` with which server-side apply replaces a value as a whole, so that the value has a single
 * owner. `schema` must describe an object or a map.
 */
export function atomic<Schema extends TSchema>(schema: Schema): Schema {
  return withKeywords(schema, { 'x-kubernetes-map-type': 'atomic' });
}

/** A schema that allows the values of `schema`, and null. */
export function Nullable<Schema extends TSchema>(
  schema: Schema,
  options: SchemaOptions = {},
): ReturnType<typeof Type.Union<[Schema, ReturnType<typeof Type.Null>]>> {
  return Type.Union([schema, Type.Null()], { ...options });
}

/** Any value. The API server neither checks nor prunes it. */
export function Anything(options: SchemaOptions = {}): TUnsafe<unknown> {
  return Type.Unsafe({ 'x-kubernetes-preserve-unknown-fields': true, ...options });
}

/**
 * `schema`, but with additional fields allowed. The API server keeps these fields and does not check them.
 */
export function preserveUnknownFields<Schema extends TObject>(schema: Schema): Schema {
  return withKeywords(schema, { 'x-kubernetes-preserve-unknown-fields': true });
}

/** A complete Kubernetes object of any kind, with all its fields. */
export function EmbeddedResource(options: SchemaOptions = {}): TUnsafe<KubernetesObject> {
  return Type.Unsafe({
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
    ...options,
  });
}

/**
 * `schema` with additional CEL rules, which follow the rules that it already has. Only the API server
 * evaluates them.
 */
export function withRules<Schema extends TSchema>(
  schema: Schema,
  rules: readonly ValidationRule[],
): Schema {
  const before = (schema as { readonly [RULES]?: readonly ValidationRule[] })[RULES] ?? [];
  return withKeywords(schema, { [RULES]: [...before, ...rules] });
}

const RULES = 'x-kubernetes-validations';

/**
 * A copy of `schema` with more keywords. The copy keeps the hidden fields by which TypeBox recognises its
 * schemas.
 */
function withKeywords<Schema extends TSchema>(
  schema: Schema,
  keywords: Readonly<Record<string, unknown>>,
): Schema {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, keywords) as Schema;
}
