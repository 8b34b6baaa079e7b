import { fieldSchema, OBJECT_FIELDS, type StructuralSchema } from 'chancery/internal';
import { isObject } from '../objects/metadata.ts';
import { isResource, join } from './structural-schema.ts';

/**
 * `value` without the fields that the schema does not know; the same value when it has none.
 *
 * Where a schema keeps unknown fields, what lies below them is kept whole, and what lies below its
 * known fields is pruned.
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
    const kept = value.map((item, at) => prune(item, items, report, `${path}[${at}]`));
    return kept.some((item, at) => item !== value[at]) ? kept : value;
  }
  return isObject(value) ? pruneObject(value, schema, report, path) : value;
}

function pruneObject(
  value: Readonly<Record<string, unknown>>,
  schema: StructuralSchema,
  report: (path: string) => void,
  path: string,
): unknown {
  const kept: [string, unknown][] = [];
  let same = true;
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const resource = isResource(schema, path);
  for (const [field, child] of Object.entries(value)) {
    const below = join(path, field);
    const known = resource && OBJECT_FIELDS.has(field) ? undefined : fieldSchema(schema, field);
    if (known !== undefined) {
      const pruned = prune(child, known, report, below);
      same &&= pruned === child;
      kept.push([field, pruned]);
    } else if (preserve || (resource && OBJECT_FIELDS.has(field))) {
      kept.push([field, child]);
    } else {
      same = false;
      report(below);
    }
  }
  // `__proto__` is a field like any other here.
  return same ? value : Object.fromEntries(kept);
}
