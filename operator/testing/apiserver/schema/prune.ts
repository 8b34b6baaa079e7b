import { isObject } from '../objects/metadata.ts';
import {
  isResource,
  join,
  OBJECT_FIELDS,
  type StructuralSchema,
  valuesSchema,
} from './structural-schema.ts';

/**
 * `value` without the fields that the schema does not know.
 *
 * @param report - takes the path of each field that was dropped.
 */
export function prune(
  value: unknown,
  schema: StructuralSchema,
  report: (path: string) => void = () => {},
  path = '',
): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    return value.map((item, at) => prune(item, items, report, `${path}[${at}]`));
  }
  return isObject(value) ? pruneObject(value, schema, report, path) : value;
}

function pruneObject(
  value: Readonly<Record<string, unknown>>,
  schema: StructuralSchema,
  report: (path: string) => void,
  path: string,
): unknown {
  const kept: Record<string, unknown> = {};
  const values = valuesSchema(schema);
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true;
  for (const [field, child] of Object.entries(value)) {
    const below = join(path, field);
    const property = schema.properties?.[field];
    if (isResource(schema, path) && OBJECT_FIELDS.has(field)) kept[field] = child;
    else if (property !== undefined) kept[field] = prune(child, property, report, below);
    else if (values !== undefined) kept[field] = prune(child, values, report, below);
    else if (preserve) kept[field] = child;
    else report(below);
  }
  return kept;
}
