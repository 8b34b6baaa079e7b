import type { OpenEnum } from './kubernetes/forms.ts';

/** One entry of `x-kubernetes-validations`: a condition in the Common Expression Language. */
export interface ValidationRule {
  /** True for a valid value. `self` is the value, and `oldSelf` is the value before an update. */
  readonly rule: string;
  /** The API server's message about an object that breaks the rule. Default: the rule itself. */
  readonly message?: string;
  /**
   * An expression that computes the message. It takes precedence over `message`, which is used when the
   * expression fails.
   */
  readonly messageExpression?: string;
  /** The reason of the cause in the answer. Default `FieldValueInvalid`. */
  readonly reason?:
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueInvalid'
    | 'FieldValueRequired';
  /** The field that the answer reports, as a path relative to the field with the rule: `.maxReplicas`. */
  readonly fieldPath?: string;
  /**
   * True if the rule is also checked when the object is created; `oldSelf` is then an optional value. Only
   * for rules that use `oldSelf`.
   */
  readonly optionalOldSelf?: boolean;
}

export type SchemaType = 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';

/**
 * A structural schema as in a definition: OpenAPI v3 as the API server interprets it. A schema from a client
 * may contain unknown types, which the API server refuses.
 */
export interface StructuralSchema {
  readonly type?: OpenEnum<SchemaType>;
  readonly title?: string;
  readonly description?: string;
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
  /** The schema of a map's values. True if the values may be anything. */
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: OpenEnum<'atomic' | 'map' | 'set'>;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: OpenEnum<'atomic' | 'granular'>;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** Fields that every object has, whatever its schema says. */
export const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The schema of a map's values; undefined if the values have no schema. */
export function valuesSchema({
  additionalProperties,
}: StructuralSchema): StructuralSchema | undefined {
  if (additionalProperties === true) return { 'x-kubernetes-preserve-unknown-fields': true };
  return additionalProperties || undefined;
}

/** The schema of an object's field or of a map's value; undefined if the field or value has no schema. */
export function fieldSchema(schema: StructuralSchema, field: string): StructuralSchema | undefined {
  const { properties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, field)) return properties[field];
  return valuesSchema(schema);
}
