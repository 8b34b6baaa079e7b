import {
  fieldSchema,
  OBJECT_FIELDS,
  type StructuralSchema,
  valuesSchema,
} from '../../model/structural-schema.ts';
import { TooMuchWork, type Work } from '../work.ts';
import { sampleNumber } from './sample-number.ts';
import { sampleText } from './sample-text.ts';

/** Fields of a sample are not nested deeper. */
const MAX_DEPTH = 20;

/** A list or a map of a sample has no more items. */
const MAX_ITEMS = 20;

/** The lists of a sample have no more items together: lists of lists would have many. */
const MAX_LISTED = 1_000;

/** Which of several values is wanted. */
interface Choice {
  /** The schema that is taken of `anyOf` and `oneOf`. */
  readonly branch: number;
  /** Different numbers give different values, as far as the schema has them. */
  readonly at: number;
  readonly depth: number;
  /** How many items have been made. */
  readonly listed: { count: number };
  readonly work: Work;
}

/**
 * A small value for a schema: required fields, and fields with a default. Not every schema has one that is found, so
 * the caller checks it. When all work is spent, each further value is `{}`.
 *
 * @param branch - the schema that is taken of `anyOf` and `oneOf`.
 */
export function sampleValue(schema: StructuralSchema, branch: number, work: Work): unknown {
  return valueFor(schema, { branch, at: 0, depth: 0, listed: { count: 0 }, work });
}

function valueFor(given: StructuralSchema, choice: Choice): unknown {
  if (choice.depth > MAX_DEPTH || choice.work.left <= 0) return {};
  try {
    return typedValue(withAlternatives(given, choice), choice);
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return {};
  }
}

function typedValue(schema: StructuralSchema, choice: Choice): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.length) return schema.enum[choice.at % schema.enum.length];
  switch (schema['x-kubernetes-int-or-string'] === true ? 'integer' : schema.type) {
    case 'string':
      return sampleText(schema, { wanted: 'sample', at: choice.at, work: choice.work });
    case 'integer':
    case 'number':
      return sampleNumber(schema, choice.at, choice.work);
    case 'boolean':
      return choice.at % 2 === 1;
    case 'array':
      return sampleItems(schema, choice);
    default:
      return sampleFields(schema, choice);
  }
}

/** A schema with one of its alternatives. What several of them say of a field is merged. */
function withAlternatives(schema: StructuralSchema, { branch, work }: Choice): StructuralSchema {
  const parts = [...partsOf(schema, branch, work)];
  return parts.length === 1 ? schema : merged(parts, work);
}

function* partsOf(
  schema: StructuralSchema,
  branch: number,
  work: Work,
): Generator<StructuralSchema> {
  work.spend(1);
  const { allOf = [], anyOf = [], oneOf = [], ...own } = schema;
  yield own;
  // The alternatives of such a value are its two types.
  const isEither = schema['x-kubernetes-int-or-string'] === true;
  const one = (list: readonly StructuralSchema[]): readonly StructuralSchema[] =>
    isEither ? [] : list.slice(branch % list.length).slice(0, 1);
  for (const part of [...allOf, ...one(anyOf), ...one(oneOf)]) yield* partsOf(part, branch, work);
}

function merged(parts: readonly StructuralSchema[], work: Work): StructuralSchema {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const properties = new Map<string, StructuralSchema[]>();
  for (const part of parts) {
    const own = Object.entries(part.properties ?? {});
    work.spend(1 + own.length);
    for (const [name, schema] of own) {
      const said = properties.get(name);
      if (said === undefined) properties.set(name, [schema]);
      else said.push(schema);
    }
  }
  const all = [...properties].map(([name, said]) => [name, merged(said, work)] as const);
  return {
    ...Object.fromEntries(parts.flatMap((part) => Object.entries(part))),
    properties: Object.fromEntries(all),
    required: [...new Set(parts.flatMap(({ required = [] }) => required))],
  };
}

function sampleItems(schema: StructuralSchema, choice: Choice): readonly unknown[] {
  const { items = {}, minItems = 0 } = schema;
  choice.work.spend(1 + Object.keys(items.properties ?? {}).length);
  const item = minItems > 1 ? distinct(items, schema) : items;
  return Array.from({ length: Math.min(Math.max(minItems, 0), MAX_ITEMS) }, (_none, at) => {
    choice.listed.count += 1;
    if (choice.listed.count > MAX_LISTED) return {};
    return valueFor(item, { ...choice, at, depth: choice.depth + 1 });
  });
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
  const names = Object.keys(properties);
  choice.work.spend(1 + names.length + required.length);
  const wanted = new Set(required);
  const shown = names.filter((name) => wanted.has(name) || properties[name]?.default !== undefined);
  for (const name of [...shown, ...wanted]) add(name);
  for (const name of [...names, ...keysOf(schema)]) {
    if (fields.size < Math.min(minProperties, MAX_ITEMS)) add(name);
  }
  return Object.fromEntries(fields);
}

/** Keys of a map. */
function keysOf(schema: StructuralSchema): readonly string[] {
  if (valuesSchema(schema) === undefined) return [];
  return Array.from({ length: MAX_ITEMS }, (_none, at) => `key-${at + 1}`);
}
