import { isMapping } from '../../core/mapping.ts';
import { fieldSchema, type StructuralSchema } from '../../model/structural-schema.ts';
import { UNLIMITED, type Work } from '../work.ts';
import { keysOf } from './correlation.ts';
import { duplicate, type FieldError, invalid } from './field-errors.ts';
import { identityOf } from './json-equality.ts';
import { childPath } from './schema-places.ts';

/**
 * The duplicates in lists that allow none: a set may contain each value once, and a list map may contain each
 * key once.
 *
 * @throws TooMuchWork
 */
export function listTypeProblems(
  value: unknown,
  schema: StructuralSchema,
  path: string = '',
  work: Work = UNLIMITED,
): readonly FieldError[] {
  work.spend(1);
  if (Array.isArray(value)) {
    const { items } = schema;
    const own = ownProblems(value, schema, path, work);
    if (items === undefined) return own;
    const below = value.flatMap((item, at) =>
      listTypeProblems(item, items, `${path}[${at}]`, work),
    );
    return [...own, ...below];
  }
  if (!isMapping(value)) return [];
  return Object.keys(value)
    .sort()
    .flatMap((field) => {
      const child = fieldSchema(schema, field);
      return child === undefined
        ? []
        : listTypeProblems(value[field], child, childPath(schema, path, field), work);
    });
}

function ownProblems(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
  work: Work,
): readonly FieldError[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return repeated(value, work).map((at) => duplicate(`${path}[${at}]`, value[at]));
    case 'map':
      return keyProblems(value, schema['x-kubernetes-list-map-keys'] ?? [], path, work);
    default:
      return [];
  }
}

function keyProblems(
  value: readonly unknown[],
  names: readonly string[],
  path: string,
  work: Work,
): readonly FieldError[] {
  const wrong = value.findIndex((item) => item !== null && !isMapping(item));
  if (wrong >= 0) {
    const why = 'must be an object for an array of list-type map';
    return [invalid(`${path}[${wrong}]`, value[wrong], why)];
  }
  const keys = value.map((item) => keysOf(item, names));
  return repeated(keys, work).map((at) => duplicate(`${path}[${at}]`, keys[at]));
}

/** For each value that occurs several times, the position where it occurs for the second time. */
function repeated(values: readonly unknown[], work: Work): readonly number[] {
  const times = new Map<string, number>();
  const found: number[] = [];
  for (const [at, value] of values.entries()) {
    const identity = identityOf(value);
    work.spend(identity.length);
    const before = times.get(identity) ?? 0;
    times.set(identity, before + 1);
    if (before === 1) found.push(at);
  }
  return found;
}
