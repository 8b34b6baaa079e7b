import type { StructuralSchema } from 'chancery/internal';

export const TEXT: StructuralSchema = { type: 'string' };
export const FLAG: StructuralSchema = { type: 'boolean' };
export const TEXTS: StructuralSchema = { type: 'array', items: TEXT };
export const INT32: StructuralSchema = { type: 'integer', format: 'int32' };

/** The schema of an object with these fields. */
export function fields(
  properties: Readonly<Record<string, StructuralSchema>>,
  required: readonly string[] = [],
): StructuralSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export function listOf(items: StructuralSchema): StructuralSchema {
  return { type: 'array', items };
}

/** `schema` with a description for `kubectl explain`. */
export function described(schema: StructuralSchema, description: string): StructuralSchema {
  return { ...schema, description };
}

/** The schema of a string with a default. */
export function textOr(value: string): StructuralSchema {
  return { ...TEXT, default: value };
}
