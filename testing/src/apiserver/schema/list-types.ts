import { fieldSchema, type StructuralSchema } from 'chancery/internal';
import type { FieldError } from '../failures/invalid.ts';
import { sortedDeep } from '../objects/canonical.ts';
import { jsonText } from '../objects/json-text.ts';
import { isObject } from '../objects/metadata.ts';
import { duplicate, invalid } from './field-errors.ts';
import { childPath } from './structural-schema.ts';

/** What breaks the promise of a list: sets have no value twice, maps no key. */
export function listTypeProblems(
  value: unknown,
  schema: StructuralSchema,
  path = '',
): readonly FieldError[] {
  if (Array.isArray(value))
    return [...ownProblems(value, schema, path), ...below(value, schema, path)];
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .flatMap((field) => {
      const child = fieldSchema(schema, field);
      return child === undefined
        ? []
        : listTypeProblems(value[field], child, childPath(schema, path, field));
    });
}

function below(
  value: readonly unknown[],
  { items }: StructuralSchema,
  path: string,
): readonly FieldError[] {
  if (items === undefined) return [];
  return value.flatMap((item, at) => listTypeProblems(item, items, `${path}[${at}]`));
}

function ownProblems(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
): readonly FieldError[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return repeated(value).map((at) => duplicate(`${path}[${at}]`, value[at]));
    case 'map':
      return keyProblems(value, schema['x-kubernetes-list-map-keys'] ?? [], path);
    default:
      return [];
  }
}

function keyProblems(
  value: readonly unknown[],
  names: readonly string[],
  path: string,
): readonly FieldError[] {
  const wrong = value.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) {
    const why = 'must be an object for an array of list-type map';
    return [invalid(`${path}[${wrong}]`, value[wrong], why)];
  }
  const keys = value.map((item) => keyOf(item, names));
  return repeated(keys).map((at) => duplicate(`${path}[${at}]`, keys[at]));
}

function keyOf(item: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isObject(item)) return {};
  const present = names.filter((name) => Object.hasOwn(item, name));
  return Object.fromEntries(present.map((name) => [name, item[name]]));
}

/** Where a value stands for the second time; the third goes without saying. */
function repeated(values: readonly unknown[]): readonly number[] {
  const times = new Map<string, number>();
  const found: number[] = [];
  for (const [at, value] of values.entries()) {
    const text = ordered(value);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    if (before === 1) found.push(at);
  }
  return found;
}

/** As JSON whose fields stand in order, so that equal values are equal texts. */
function ordered(value: unknown): string {
  return jsonText(sortedDeep(value));
}
