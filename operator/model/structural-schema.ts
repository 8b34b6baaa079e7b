import type { OpenEnum } from './kubernetes/forms.ts';

/** One entry of `x-kubernetes-validations`: what must hold, in the Common Expression Language. */
export interface ValidationRule {
  /** True for a valid value, which is `self`; `oldSelf` is the one before an update. */
  readonly rule: string;
  /** What the API server says of an object that breaks the rule. Default: the rule itself. */
  readonly message?: string;
  /** Expression for the message; stands before `message`, which is used when it fails. */
  readonly messageExpression?: string;
  /** The reason of the cause in the answer. Default `FieldValueInvalid`. */
  readonly reason?:
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueInvalid'
    | 'FieldValueRequired';
  /** The field that is shown as wrong, from here: `.maxReplicas`. */
  readonly fieldPath?: string;
  /** Judge a creation too; `oldSelf` is then an optional value. Only for rules that use `oldSelf`. */
  readonly optionalOldSelf?: boolean;
}

export type SchemaType = 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';

/**
 * A structural schema, as it stands in a definition: the OpenAPI v3 that the API server acts upon. One
 * that a client sent may have other types than those that are known, which the API server refuses.
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
  /** The schema of the values of a map. True: the values may be anything. */
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

/** The schema of the values of a map; undefined where it has none. */
export function valuesSchema({
  additionalProperties,
}: StructuralSchema): StructuralSchema | undefined {
  if (additionalProperties === true) return { 'x-kubernetes-preserve-unknown-fields': true };
  return additionalProperties || undefined;
}

/** The schema of a field of an object, or of a value of a map; undefined where it has none. */
export function fieldSchema(schema: StructuralSchema, field: string): StructuralSchema | undefined {
  const { properties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, field)) return properties[field];
  return valuesSchema(schema);
}
