import {
  fieldSchema,
  OBJECT_FIELDS,
  type StructuralSchema,
  valuesSchema,
} from '../../model/structural-schema.ts';
import { TooMuchWork, type Work } from '../work.ts';
import { sampleNumber } from './sample-number.ts';
import { sampleText } from './sample-text.ts';

/** Maximum depth of the fields of a sample. */
const MAX_DEPTH = 20;

/** Maximum number of items of a list or a map of a sample. */
const MAX_ITEMS = 20;

/** Maximum number of items of all lists of a sample together, because lists of lists could have very many. */
const MAX_LISTED = 1_000;

/** The choices that determine which of the possible values is made for a schema. */
interface Choice {
  /** The index of the alternative that is used from `anyOf` and `oneOf`. */
  readonly branch: number;
  /** Different numbers result in different values, if the schema allows that. */
  readonly at: number;
  readonly depth: number;
  /** Number of list items in the sample so far. */
  readonly listed: { count: number };
  readonly work: Work;
  /** Returns random numbers from 0 to 1. If undefined, the value is small and always the same. */
  readonly random?: (() => number) | undefined;
}

/** Number of different values that `at` can have in a varied value. */
const VARIANTS = 20;

/**
 * The probability that a varied value has an optional field, and the probability that a field has its
 * default.
 */
const SHOWN = 0.6;
const DEFAULTED = 0.3;

/** Probability that a varied value is null if null is allowed. */
const NULL = 0.1;

/**
 * Maximum number of items in a varied list in addition to the required items, and maximum number of keys in a
 * varied map.
 */
const MORE_ITEMS = 3;

/**
 * A small value for a schema: required fields, and fields with a default. The value may be invalid, because a
 * valid value is not found for every schema. So the caller must check it. After the maximum number of steps,
 * each further value is `{}`.
 *
 * @param branch - the index of the alternative that is used from `anyOf` and `oneOf`.
 */
export function sampleValue(schema: StructuralSchema, branch: number, work: Work): unknown {
  return valueFor(schema, { branch, at: 0, depth: 0, listed: { count: 0 }, work });
}

/**
 * Returns a random value for a schema. The value has some of the optional fields, and its lists and maps have
 * different lengths. Most of the values fit the schema, but not all.
 *
 * @param random - returns numbers from 0 to 1, as `Math.random` does.
 */
export function variedValue(schema: StructuralSchema, random: () => number, work: Work): unknown {
  const choice = { branch: 0, at: 0, depth: 0, listed: { count: 0 }, work, random };
  return valueFor(schema, choice);
}

/** The settings with which the value of a field or item below the current value is chosen. */
function within(choice: Choice, at: number = choice.at): Choice {
  const below = { ...choice, at, depth: choice.depth + 1 };
  const { random } = choice;
  if (random === undefined) return below;
  const shift = Math.floor(random() * VARIANTS);
  return { ...below, at: at + shift, branch: shift };
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
  const { random } = choice;
  if (schema.nullable === true && random !== undefined && random() < NULL) return null;
  if (schema.default !== undefined && (random === undefined || random() < DEFAULTED)) {
    return schema.default;
  }
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

/**
 * `schema` merged with one of its alternatives. If several of the merged schemas describe the same field,
 * their schemas for this field are merged, too.
 */
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
  // The `anyOf` of an int-or-string only lists its two types.
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
      const known = properties.get(name);
      if (known === undefined) properties.set(name, [schema]);
      else known.push(schema);
    }
  }
  const all = [...properties].map(([name, known]) => [name, merged(known, work)] as const);
  return {
    ...Object.fromEntries(parts.flatMap((part) => Object.entries(part))),
    properties: Object.fromEntries(all),
    required: [...new Set(parts.flatMap(({ required = [] }) => required))],
  };
}

function sampleItems(schema: StructuralSchema, choice: Choice): readonly unknown[] {
  const { items = {} } = schema;
  choice.work.spend(1 + Object.keys(items.properties ?? {}).length);
  const length = lengthOf(schema, choice);
  const item = length > 1 ? distinct(items, schema) : items;
  const first = within(choice, 0);
  return Array.from({ length }, (_none, at) => {
    choice.listed.count += 1;
    if (choice.listed.count > MAX_LISTED) return {};
    return valueFor(item, { ...first, at: first.at + at });
  });
}

function lengthOf({ minItems = 0, maxItems }: StructuralSchema, { random }: Choice): number {
  const least = Math.max(minItems, 0);
  const more = random === undefined ? 0 : Math.floor(random() * (MORE_ITEMS + 1));
  return Math.min(least + more, Math.max(maxItems ?? MAX_ITEMS, least), MAX_ITEMS);
}

/**
 * The schema of a list's items, without defaults that would make two items equal although the list requires
 * different items.
 */
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
  const { random } = choice;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const embedded = isEmbedded
    ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sample' } }
    : {};
  const unknown: StructuralSchema = random === undefined ? {} : { type: 'string' };
  // A Map is used, because a field may have any name, such as `__proto__`.
  const fields = new Map<string, unknown>(Object.entries(embedded));
  const add = (name: string): void => {
    if (fields.has(name) || (isEmbedded && OBJECT_FIELDS.has(name))) return;
    fields.set(name, valueFor(fieldSchema(schema, name) ?? unknown, within(choice)));
  };
  const names = Object.keys(properties);
  choice.work.spend(1 + names.length + required.length);
  const wanted = new Set(required);
  const shown = names.filter(
    (name) =>
      wanted.has(name) ||
      (random === undefined ? properties[name]?.default !== undefined : random() < SHOWN),
  );
  for (const name of [...shown, ...wanted, ...moreKeys(schema, choice)]) add(name);
  for (const name of [...names, ...keysOf(schema)]) {
    if (fields.size < Math.min(minProperties, MAX_ITEMS)) add(name);
  }
  return Object.fromEntries(fields);
}

/**
 * Further keys of a varied object: some keys of a map, and the name of an unknown field if the schema allows
 * unknown fields.
 */
function moreKeys(schema: StructuralSchema, { random }: Choice): readonly string[] {
  if (random === undefined) return [];
  const { maxProperties = MAX_ITEMS } = schema;
  const count = Math.min(Math.floor(random() * (MORE_ITEMS + 1)), maxProperties);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return [...keysOf(schema).slice(0, count), ...(isOpen && random() < SHOWN ? ['other'] : [])];
}

/** The keys that a sample of a map gets. */
function keysOf(schema: StructuralSchema): readonly string[] {
  if (valuesSchema(schema) === undefined) return [];
  return Array.from({ length: MAX_ITEMS }, (_none, at) => `key-${at + 1}`);
}
