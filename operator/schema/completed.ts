import { fieldSchema, OBJECT_FIELDS, type StructuralSchema } from '../model/structural-schema.ts';
import { isJson, type Json } from './keywords.ts';

/**
 * `value` as the API server would store it: without unknown fields, without nulls that are not allowed, and
 * with defaults.
 *
 * @param isObject - `value` is a whole object. Its metadata is left as it is.
 */
export function completed(value: unknown, schema: StructuralSchema, isObject = false): unknown {
  if (Array.isArray(value)) return completedList(value, schema);
  return isJson(value) ? completedFields(value, schema, isObject) : value;
}

function completedList(value: readonly unknown[], { items }: StructuralSchema): unknown {
  if (items === undefined) return value;
  return value.map((item) => {
    const isWrong = item === null && items.nullable !== true && items.default !== undefined;
    return completed(isWrong ? items.default : item, items);
  });
}

function completedFields(value: Json, schema: StructuralSchema, isObject: boolean): unknown {
  const kept = new Map<string, unknown>();
  const isWhole = isObject || schema['x-kubernetes-embedded-resource'] === true;
  for (const [field, child] of Object.entries(value)) {
    const known = isWhole && OBJECT_FIELDS.has(field) ? undefined : fieldSchema(schema, field);
    if (known !== undefined) keep(kept, field, child, known);
    else if (isKept(schema, field, isWhole)) kept.set(field, child);
  }
  for (const [field, child] of Object.entries(schema.properties ?? {})) {
    if (!kept.has(field) && child.default !== undefined) keep(kept, field, child.default, child);
  }
  return Object.fromEntries(kept);
}

/** A null that is not allowed counts as a missing field. */
function keep(
  kept: Map<string, unknown>,
  field: string,
  value: unknown,
  schema: StructuralSchema,
): void {
  const present = value === null && schema.nullable !== true ? schema.default : value;
  if (present !== undefined) kept.set(field, completed(present, schema));
}

function isKept(schema: StructuralSchema, field: string, isWhole: boolean): boolean {
  if (isWhole && OBJECT_FIELDS.has(field)) return true;
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}
