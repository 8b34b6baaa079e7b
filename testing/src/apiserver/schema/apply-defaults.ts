import { fieldSchema, type StructuralSchema } from 'chancery/internal';
import { isObject } from '../objects/metadata.ts';

/**
 * `value` with the defaults of the schema where fields are missing; the same value when none is.
 *
 * A null where none may be takes the default, and goes where there is no default.
 */
export function applyDefaults(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) return defaultList(value, schema);
  return isObject(value) ? defaultObject(value, schema) : value;
}

function defaultList(value: readonly unknown[], { items }: StructuralSchema): unknown {
  if (items === undefined) return value;
  const filled = value.map((item) => {
    const present = item === null && isWrongNull(items) ? defaultOf(items) : item;
    return applyDefaults(present === undefined ? null : present, items);
  });
  return filled.some((item, at) => item !== value[at]) ? filled : value;
}

function defaultObject(
  value: Readonly<Record<string, unknown>>,
  schema: StructuralSchema,
): unknown {
  const filled = new Map<string, unknown>();
  let same = true;
  for (const [field, child] of Object.entries(value)) {
    const property = fieldSchema(schema, field);
    if (property === undefined) {
      filled.set(field, child);
      continue;
    }
    const present = child === null && isWrongNull(property) ? defaultOf(property) : child;
    const whole = present === undefined ? undefined : applyDefaults(present, property);
    same &&= whole === child;
    if (present !== undefined) filled.set(field, whole);
  }
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    if (filled.has(field) || property.default === undefined) continue;
    filled.set(field, applyDefaults(defaultOf(property), property));
    same = false;
  }
  return same ? value : Object.fromEntries(filled);
}

function isWrongNull({ nullable }: StructuralSchema): boolean {
  return nullable !== true;
}

/** A copy: objects that are stored share nothing with the schema. */
function defaultOf(schema: StructuralSchema): unknown {
  return schema.default === undefined ? undefined : structuredClone(schema.default);
}
