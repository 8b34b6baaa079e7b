import type { SchemaType } from '../model/structural-schema.ts';

/** A schema as plain data. */
export type Json = Readonly<Record<string, unknown>>;

const RULES_INSTEAD = 'say it as a CEL rule, with withRules(…)';
const ONE_OBJECT = 'write one Type.Object with optional fields, and which go together withRules(…)';
const WRITTEN_OUT =
  'write the schema out where it is used, and Anything() where it contains itself';
const ONE_MAP = 'write Type.Record(Type.String(), …), and what keys may be withRules(…)';

/** Keywords of JSON Schema that are not allowed in a structural schema, each with what to write instead. */
export const REMEDIES: Readonly<Record<string, string>> = {
  $ref: WRITTEN_OUT,
  $dynamicRef: WRITTEN_OUT,
  $defs: WRITTEN_OUT,
  definitions: WRITTEN_OUT,
  allOf: 'write one Type.Object: Type.Evaluate(Type.Intersect([…])) makes one of several',
  anyOf: ONE_OBJECT,
  oneOf: ONE_OBJECT,
  not: RULES_INSTEAD,
  if: RULES_INSTEAD,
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: RULES_INSTEAD,
  else: RULES_INSTEAD,
  dependencies: RULES_INSTEAD,
  dependentRequired: RULES_INSTEAD,
  dependentSchemas: RULES_INSTEAD,
  contains: RULES_INSTEAD,
  minContains: RULES_INSTEAD,
  maxContains: RULES_INSTEAD,
  patternProperties: ONE_MAP,
  propertyNames: ONE_MAP,
  prefixItems: 'write a Type.Object with a field for each place, or a Type.Array',
  additionalItems: 'write a Type.Object with a field for each place, or a Type.Array',
  unevaluatedItems: 'leave it out',
  unevaluatedProperties: 'leave it out: unknown fields are pruned',
  uniqueItems: 'write ListSet(…)',
  readOnly: "withRules(…, [{ rule: 'self == oldSelf' }])",
  writeOnly: 'keep the value in a Secret, and its name here',
  contentEncoding: "write { format: 'byte' }",
  contentMediaType: 'leave it out',
};

/** Keywords for people and tools. They are omitted from the definition. */
export const DROPPED: ReadonlySet<string> = new Set([
  '$id',
  '$schema',
  '$comment',
  '$anchor',
  'examples',
]);

const ANY_TYPE = [
  'title',
  'description',
  'default',
  'enum',
  'nullable',
  'x-kubernetes-validations',
];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const TEXTS = ['minLength', 'maxLength', 'pattern'];

/**
 * The keywords that are allowed for each type, in addition to `type` and to keywords that contain other
 * schemas.
 */
export const KEYWORDS: Readonly<Record<SchemaType | 'int-or-string' | 'anything', string[]>> = {
  array: [
    ...ANY_TYPE,
    'minItems',
    'maxItems',
    'x-kubernetes-list-type',
    'x-kubernetes-list-map-keys',
  ],
  boolean: ANY_TYPE,
  integer: [...ANY_TYPE, ...NUMBERS, 'format'],
  number: [...ANY_TYPE, ...NUMBERS, 'format'],
  object: [
    ...ANY_TYPE,
    'minProperties',
    'maxProperties',
    'x-kubernetes-map-type',
    'x-kubernetes-embedded-resource',
    'x-kubernetes-preserve-unknown-fields',
  ],
  string: [...ANY_TYPE, ...TEXTS, 'format'],
  'int-or-string': [...ANY_TYPE, ...NUMBERS, ...TEXTS, 'x-kubernetes-int-or-string'],
  anything: [...ANY_TYPE, 'x-kubernetes-preserve-unknown-fields'],
};

export const SCHEMA_TYPES: readonly string[] = [
  'array',
  'boolean',
  'integer',
  'number',
  'object',
  'string',
];

/** Keywords whose value is a number. */
export const NUMERIC: ReadonlySet<string> = new Set([
  ...NUMBERS,
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]);

/** Type names of TypeBox that the API does not have, each with what to write instead. */
export const OTHER_TYPES: Readonly<Record<string, string>> = {
  null: 'write Nullable(…) around what it may be besides null',
  bigint: "write Type.Integer({ format: 'int64' })",
  undefined: 'write Type.Optional(…) around the field',
  void: 'write Type.Optional(…) around the field',
};
