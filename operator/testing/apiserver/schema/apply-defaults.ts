import { isObject } from '../objects/metadata.ts';
import { type StructuralSchema, valuesSchema } from './structural-schema.ts';

/** `value` with the defaults of the schema where fields are missing, or null and not nullable. */
export function applyDefaults(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => applyDefaults(item, items));
  }
  if (!isObject(value)) return value;
  const filled: Record<string, unknown> = {};
  const values = valuesSchema(schema);
  for (const [field, child] of Object.entries(value)) {
    const property = schema.properties?.[field] ?? values;
    // A null where none may be, with a default, counts as missing.
    if (child === null && property?.default !== undefined && property.nullable !== true) continue;
    filled[field] = property === undefined ? child : applyDefaults(child, property);
  }
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    if (filled[field] !== undefined || property.default === undefined) continue;
    filled[field] = applyDefaults(structuredClone(property.default), property);
  }
  return filled;
}
