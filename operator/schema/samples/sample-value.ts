import {
  fieldSchema,
  OBJECT_FIELDS,
  type StructuralSchema,
  valuesSchema,
} from '../../model/structural-schema.ts';
import { sampleNumber } from './sample-number.ts';
import { sampleText } from './sample-text.ts';

/** Fields of a sample are not nested deeper. */
const MAX_DEPTH = 20;

/** A list or a map of a sample has no more items. */
const MAX_ITEMS = 20;

/** A sample has no more values: lists of lists would have many. */
const MAX_VALUES = 1_000;

/** Which of several values is wanted. */
interface Choice {
  /** The schema that is taken of `anyOf` and `oneOf`. */
  readonly branch: number;
  /** Different numbers give different values, as far as the schema has them. */
  readonly at: number;
  readonly depth: number;
  /** How many values have been made. */
  readonly made: { count: number };
}

/**
 * A small value for a schema: required fields, and fields with a default. Not every schema has one that is found, so
 * the caller checks it.
 *
 * @param branch - the schema that is taken of `anyOf` and `oneOf`.
 */
export function sampleValue(schema: StructuralSchema, branch: number): unknown {
  return valueFor(schema, { branch, at: 0, depth: 0, made: { count: 0 } });
}

function valueFor(given: StructuralSchema, choice: Choice): unknown {
  choice.made.count += 1;
  if (choice.depth > MAX_DEPTH || choice.made.count > MAX_VALUES) return {};
  const schema = withAlternatives(given, choice.branch);
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.length) return schema.enum[choice.at % schema.enum.length];
  switch (schema['x-kubernetes-int-or-string'] === true ? 'integer' : schema.type) {
    case 'string':
      return sampleText(schema, 'sample', choice.at);
    case 'integer':
    case 'number':
      return sampleNumber(schema, choice.at);
    case 'boolean':
      return choice.at % 2 === 1;
    case 'array':
      return sampleItems(schema, choice);
    default:
      return sampleFields(schema, choice);
  }
}

/** A schema with one of its alternatives. */
function withAlternatives(schema: StructuralSchema, branch: number): StructuralSchema {
  const { allOf = [], anyOf = [], oneOf = [], ...own } = schema;
  // The alternatives of such a value are its two types.
  const isEither = schema['x-kubernetes-int-or-string'] === true;
  const one = (list: readonly StructuralSchema[]): readonly StructuralSchema[] =>
    isEither ? [] : list.filter((_each, at) => at === branch % list.length);
  return [...allOf, ...one(anyOf), ...one(oneOf)]
    .map((part) => withAlternatives(part, branch))
    .reduce(merged, own);
}

/** What both say of a field is merged. */
function merged(one: StructuralSchema, other: StructuralSchema): StructuralSchema {
  const properties = new Map(Object.entries(one.properties ?? {}));
  for (const [name, added] of Object.entries(other.properties ?? {})) {
    properties.set(name, merged(properties.get(name) ?? {}, added));
  }
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])];
  return { ...one, ...other, properties: Object.fromEntries(properties), required };
}

function sampleItems(schema: StructuralSchema, choice: Choice): readonly unknown[] {
  const { items = {}, minItems = 0 } = schema;
  const item = minItems > 1 ? distinct(items, schema) : items;
  return Array.from({ length: Math.min(minItems, MAX_ITEMS) }, (_none, at) =>
    valueFor(item, { ...choice, at, depth: choice.depth + 1 }),
  );
}

/** The schema of items without the defaults that would make them equal where they must not be. */
function distinct(items: StructuralSchema, list: StructuralSchema): StructuralSchema {
  const { default: _default, ...item } = items;
  const keys = list['x-kubernetes-list-map-keys'] ?? [];
  if (list['x-kubernetes-list-type'] === 'set') return item;
  if (list['x-kubernetes-list-type'] !== 'map') return items;
  const properties = Object.entries(items.properties ?? {}).map(([name, property]) => {
    const { default: _equal, ...own } = property;
    return [name, keys.includes(name) ? own : property] as const;
  });
  const required = [...(items.required ?? []), ...keys];
  return { ...item, properties: Object.fromEntries(properties), required };
}

function sampleFields(schema: StructuralSchema, choice: Choice): object {
  const { properties = {}, required = [], minProperties = 0 } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const embedded = isEmbedded
    ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sample' } }
    : {};
  // A map, because a field may have any name, such as `__proto__`.
  const fields = new Map<string, unknown>(Object.entries(embedded));
  const add = (name: string): void => {
    if (fields.has(name) || (isEmbedded && OBJECT_FIELDS.has(name))) return;
    const below = { ...choice, depth: choice.depth + 1 };
    fields.set(name, valueFor(fieldSchema(schema, name) ?? {}, below));
  };
  const shown = Object.entries(properties).filter(
    ([name, property]) => required.includes(name) || property.default !== undefined,
  );
  for (const name of [...shown.map(([each]) => each), ...required]) add(name);
  for (const name of [...Object.keys(properties), ...keysOf(schema)]) {
    if (fields.size < Math.min(minProperties, MAX_ITEMS)) add(name);
  }
  return Object.fromEntries(fields);
}

/** Keys of a map. */
function keysOf(schema: StructuralSchema): readonly string[] {
  if (valuesSchema(schema) === undefined) return [];
  return Array.from({ length: MAX_ITEMS }, (_none, at) => `key-${at + 1}`);
}
