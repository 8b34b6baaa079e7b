import type { Condition } from './condition.ts';
import { fieldSchema, type StructuralSchema } from './structural-schema.ts';

/**
 * The fields of a status that the toolkit itself writes, as far as the definition of the object declares
 * them. The API server drops or refuses all other fields.
 */
export interface StatusFields {
  readonly observedGeneration: boolean;
  /**
   * The fields that a condition may have; `any` if the definition allows all fields. Undefined when the
   * status has no conditions that a controller can write.
   */
  readonly conditions: ReadonlySet<string> | 'any' | undefined;
}

/**
 * The status fields that a schema declares. The schema is `openAPIV3Schema` of one version of a definition.
 */
export function statusFieldsOf(schema: StructuralSchema | undefined): StatusFields {
  const status = within(schema, 'status');
  const generation = within(status, 'observedGeneration');
  return {
    observedGeneration: generation !== undefined && holdsInteger(generation),
    conditions: conditionFields(within(status, 'conditions')),
  };
}

/** `condition` with only the members that the definition declares. */
export function knownPart<T extends object>(
  condition: T,
  { conditions }: StatusFields,
): Partial<T> {
  if (conditions === 'any' || conditions === undefined) return condition;
  const members = Object.entries(condition).filter(([name]) => conditions.has(name));
  return Object.fromEntries(members) as Partial<T>;
}

const ANYTHING: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** The schema of a field; undefined when the API server drops the field. */
function within(schema: StructuralSchema | undefined, field: string): StructuralSchema | undefined {
  if (schema === undefined) return undefined;
  const declared = fieldSchema(schema, field);
  return declared ?? (keepsUnknown(schema) ? ANYTHING : undefined);
}

function conditionFields(schema: StructuralSchema | undefined): StatusFields['conditions'] {
  if (schema === undefined) return undefined;
  const { items, type } = schema;
  if (items === undefined) return type === undefined && keepsUnknown(schema) ? 'any' : undefined;
  const { properties = {}, required = [] } = items;
  const isOpen = keepsUnknown(items) || items.additionalProperties === true;
  const fields = CONDITION_FIELDS.filter((name) => {
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return declared === undefined ? isOpen : holdsField(name, declared);
  });
  const isWritable = ['type', 'status', ...required].every((name) => fields.includes(name));
  if (!isWritable) return undefined;
  return isOpen && fields.length === CONDITION_FIELDS.length ? 'any' : new Set(fields);
}

const CONDITION_FIELDS: readonly string[] = [
  'type',
  'status',
  'reason',
  'message',
  'lastTransitionTime',
  'observedGeneration',
] satisfies readonly (keyof Condition)[];

/**
 * True if a schema accepts a field of a condition. A controller chooses its own types and reasons, so a
 * schema with an `enum` does not accept them.
 */
function holdsField(name: string, schema: StructuralSchema): boolean {
  if (name === 'observedGeneration') return holdsInteger(schema);
  const { enum: words, type } = schema;
  if (type !== 'string' && !holdsAny(schema)) return false;
  return (
    words === undefined ||
    (name === 'status' && ['True', 'False'].every((word) => words.includes(word)))
  );
}

function holdsInteger(schema: StructuralSchema): boolean {
  return holdsAny(schema) || schema.type === 'integer' || schema.type === 'number';
}

function holdsAny(schema: StructuralSchema): boolean {
  const isAny = schema.type === undefined && keepsUnknown(schema);
  return isAny || schema['x-kubernetes-int-or-string'] === true;
}

function keepsUnknown(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}
