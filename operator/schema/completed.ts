import { fieldSchema, OBJECT_FIELDS, type StructuralSchema } from '../model/structural-schema.ts';
import { isJson, type Json } from './keywords.ts';
import type { Work } from './work.ts';

/**
 * `value` as the API server would store it: without unknown fields, without nulls that are not allowed, and
 * with defaults.
 *
 * @param isObject - `value` is a whole object. Its metadata is left as it is.
 * @param work - bounds how many values and fields are looked at. Default: no limit.
 * @throws TooMuchWork
 */
export function completed(
  value: unknown,
  schema: StructuralSchema,
  isObject: boolean = false,
  work?: Work,
): unknown {
  work?.spend(1);
  if (Array.isArray(value)) return completedList(value, schema, work);
  return isJson(value) ? completedFields(value, schema, isObject, work) : value;
}

function completedList(
  value: readonly unknown[],
  { items }: StructuralSchema,
  work: Work | undefined,
): unknown {
  if (items === undefined) return value;
  return value.map((item) => {
    const isWrong = item === null && items.nullable !== true && items.default !== undefined;
    return completed(isWrong ? items.default : item, items, false, work);
  });
}

function completedFields(
  value: Json,
  schema: StructuralSchema,
  isObject: boolean,
  work: Work | undefined,
): unknown {
  const kept = new Map<string, unknown>();
  const isWhole = isObject || schema['x-kubernetes-embedded-resource'] === true;
  for (const [field, child] of Object.entries(value)) {
    const known = isWhole && OBJECT_FIELDS.has(field) ? undefined : fieldSchema(schema, field);
    if (known !== undefined) keep(kept, field, child, known, work);
    else if (isKept(schema, field, isWhole)) kept.set(field, child);
  }
  const properties = Object.entries(schema.properties ?? {});
  work?.spend(properties.length);
  for (const [field, child] of properties) {
    if (kept.has(field) || child.default === undefined) continue;
    keep(kept, field, child.default, child, work);
  }
  return Object.fromEntries(kept);
}

/** A null that is not allowed counts as a missing field. */
function keep(
  kept: Map<string, unknown>,
  field: string,
  value: unknown,
  schema: StructuralSchema,
  work: Work | undefined,
): void {
  const present = value === null && schema.nullable !== true ? schema.default : value;
  if (present !== undefined) kept.set(field, completed(present, schema, false, work));
}

function isKept(schema: StructuralSchema, field: string, isWhole: boolean): boolean {
  if (isWhole && OBJECT_FIELDS.has(field)) return true;
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}
