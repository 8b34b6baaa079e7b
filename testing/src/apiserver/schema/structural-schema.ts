import { isObject } from '../objects/metadata.ts';

/** One entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The part of an `openAPIV3Schema` that the server acts upon. */
export interface StructuralSchema {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** The schema of the values of a map, where it has one. */
export function valuesSchema(schema: StructuralSchema): StructuralSchema | undefined {
  const { additionalProperties } = schema;
  if (additionalProperties === true) return { 'x-kubernetes-preserve-unknown-fields': true };
  return isObject(additionalProperties) ? (additionalProperties as StructuralSchema) : undefined;
}

/** Fields that every object has, whatever its schema says. */
export const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The schema of one field of an object, where it has one. */
export function fieldSchema(schema: StructuralSchema, field: string): StructuralSchema | undefined {
  const { properties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, field)) return properties[field];
  return valuesSchema(schema);
}

/** True for the root, and for an object inside another one. */
export function isResource(schema: StructuralSchema, path: string): boolean {
  return path === '' || schema['x-kubernetes-embedded-resource'] === true;
}

/** Every schema in a schema, itself first; not those of `allOf`, `anyOf`, `oneOf` and `not`. */
export function* spineOf(schema: StructuralSchema): Generator<StructuralSchema> {
  yield schema;
  const { items, additionalProperties } = schema;
  const below = [
    ...Object.values(schema.properties ?? {}),
    ...(isObject(items) ? [items as StructuralSchema] : []),
    ...(isObject(additionalProperties) ? [additionalProperties as StructuralSchema] : []),
  ];
  for (const child of below) yield* spineOf(child);
}

/** The path of a field as the server writes it: a field of an object, or an entry of a map. */
export function childPath(schema: StructuralSchema, path: string, field: string): string {
  const named = schema.properties !== undefined && Object.hasOwn(schema.properties, field);
  return named ? join(path, field) : `${path}[${field}]`;
}

export function join(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}
