import { fieldSchema, type StructuralSchema } from './structural-schema.ts';

/**
 * The fields that a controller writes into a status by itself, as far as the definition of the object has them. The
 * API server drops all others, or refuses them.
 */
export interface StatusFields {
  readonly observedGeneration: boolean;
  /** The fields of a condition, or `any`; undefined when the status has no conditions. */
  readonly conditions: ReadonlySet<string> | 'any' | undefined;
}

/** The status fields of a schema: `openAPIV3Schema` of one version of a definition. */
export function statusFieldsOf(schema: StructuralSchema | undefined): StatusFields {
  const status = within(schema, 'status');
  const generation = within(status, 'observedGeneration');
  return {
    observedGeneration: generation !== undefined && holdsInteger(generation),
    conditions: conditionFields(within(status, 'conditions')),
  };
}

/** The members of `condition` that the status can have. */
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
  if (keepsUnknown(items) || items.additionalProperties === true) return 'any';
  const fields = new Set(Object.keys(items.properties ?? {}));
  return fields.has('type') && fields.has('status') ? fields : undefined;
}

function holdsInteger({ type, ...schema }: StructuralSchema): boolean {
  const isAny = type === undefined && keepsUnknown(schema);
  return (
    isAny ||
    type === 'integer' ||
    type === 'number' ||
    schema['x-kubernetes-int-or-string'] === true
  );
}

function keepsUnknown(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}
