import { isMapping, type Mapping } from '../../../generate/crd-check/schema.ts';
import type { StructuralSchema } from '../../../model/structural-schema.ts';
import { textForPattern } from './pattern-text.ts';
import { problemsOf } from './sample-problems.ts';

/** Samples have no more fields than these below one another. */
const MAX_DEPTH = 20;

/** Lists and maps of a sample have no more items. */
const MAX_ITEMS = 20;

/** Texts that are tried where a format or a pattern is asked for. */
const TEXTS = [
  ...[
    'sample',
    'a',
    'A',
    '1',
    'sample1',
    '2026-01-01T00:00:00Z',
    '2026-01-01',
    '1m',
    '1Gi',
    '100m',
  ],
  ...['aGVsbG8=', 'https://example.com', 'example.com', 'someone@example.com', '192.0.2.1'],
  ...['2001:db8::1', '192.0.2.0/24', '00000000-0000-4000-8000-000000000000', '00:00:5e:00:53:00'],
  ...['v1', '1.0.0', 'v1.0.0', 'example.com/sample', '#000000', '978-3-16-148410-0'],
  ...['000-00-0000', '4111111111111111', '65f0a0a0a0a0a0a0a0a0a0a0'],
];

/** Which of several values is wanted. */
interface Choice {
  /** The schema that is taken of `anyOf` and `oneOf`. */
  readonly branch: number;
  /** Different numbers give different values, as far as the schema allows. */
  readonly at: number;
  readonly depth: number;
}

/**
 * The smallest value that a schema may take: required fields only, and what has a default is left out.
 *
 * @param branch - the schema that is taken of `anyOf` and `oneOf`. Default: the first.
 */
export function sampleValue(schema: unknown, branch: number = 0): unknown {
  return valueFor(schema, { branch, at: 0, depth: 0 });
}

function valueFor(given: unknown, choice: Choice): unknown {
  if (!isMapping(given) || choice.depth > MAX_DEPTH) return {};
  const schema = withAlternatives(given, choice.branch);
  if (schema.default !== undefined && choice.at === 0) return schema.default;
  const values = schema.enum;
  if (Array.isArray(values) && values.length > 0) return values[choice.at % values.length];
  switch (schema['x-kubernetes-int-or-string'] === true ? 'integer' : schema.type) {
    case 'string':
      return sampleText(schema, 'sample', choice.at);
    case 'integer':
    case 'number':
      return sampleNumber(schema, choice.at);
    case 'boolean':
      return choice.at % 2 === 0;
    case 'array':
      return sampleItems(schema, choice);
    default:
      return sampleFields(schema, choice);
  }
}

/** A schema with one of its alternatives. What both say of a field is merged. */
function withAlternatives(schema: Mapping, branch: number): Mapping {
  const { allOf, anyOf, oneOf, ...own } = schema;
  const listOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
  const one = (list: unknown): unknown => listOf(list)[branch % Math.max(listOf(list).length, 1)];
  const isEither = schema['x-kubernetes-int-or-string'] === true;
  const parts = [...listOf(allOf), ...(isEither ? [] : [one(anyOf), one(oneOf)])].filter(isMapping);
  return parts.map((part) => withAlternatives(part, branch)).reduce(merged, own);
}

function merged(one: Mapping, other: Mapping): Mapping {
  const [fields, more] = [one.properties, other.properties];
  const required = [one.required, other.required].flatMap((list) =>
    Array.isArray(list) ? (list as readonly unknown[]) : [],
  );
  const all: Mapping = { ...one, ...other, ...(required.length > 0 ? { required } : {}) };
  if (!isMapping(fields) || !isMapping(more)) {
    return isMapping(fields) ? { ...all, properties: fields } : all;
  }
  const both = Object.entries(more).map(([name, field]) => {
    const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return [name, isMapping(before) && isMapping(field) ? merged(before, field) : field] as const;
  });
  return { ...all, properties: { ...fields, ...Object.fromEntries(both) } };
}

/** A text that the schema allows, if one of those that are tried is; else the first of them. */
export function sampleText(schema: Mapping, preferred: string, at: number = 0): string {
  const { pattern, minLength, maxLength } = schema;
  const least = Math.min(Math.max(Number(minLength ?? 0), 0), 2_000);
  const most = Math.max(Number(maxLength ?? Infinity), 0);
  const sized = (text: string): string => text.padEnd(least, 'x').slice(0, most);
  const end = at === 0 ? '' : String(at);
  const own = typeof pattern === 'string' ? [0, 1, 2, 3, least] : [];
  const fromPattern = own.map((more) => textForPattern(String(pattern), more + at));
  const varied = [preferred, ...fromPattern].map((text) => sized(`${text}${end}`));
  // The others differ less, so a list of them may repeat a text.
  const all = [...varied, ...fromPattern, preferred, ...TEXTS, ...TEXTS.map(sized)];
  const fitting = all.find((text) => problemsOf(text, textSchema(schema), '').length === 0);
  return fitting ?? sized(`${preferred}${end}`);
}

function textSchema({ pattern, minLength, maxLength, format }: Mapping): StructuralSchema {
  const keywords = { pattern, minLength, maxLength, format };
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}

function sampleNumber(schema: Mapping, at: number): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = schema;
  const isWhole = type !== 'number';
  const step = Number(multipleOf ?? (isWhole ? 1 : 0)) || 1;
  const most = Number(maximum ?? Infinity);
  if (minimum === undefined && most < 1) {
    const highest = Math.floor(most / step) * step;
    return (exclusiveMaximum === true && highest === most ? highest - step : highest) - at * step;
  }
  const least = Number(minimum ?? 1);
  const lowest = Math.ceil(least / step) * step;
  const number = exclusiveMinimum === true && lowest === least ? lowest + step : lowest;
  const isOver = number > most || (exclusiveMaximum === true && number === most);
  // Between two limits there may be no whole number.
  return isOver && !isWhole ? (least + most) / 2 : number + at * step;
}

function sampleItems(schema: Mapping, choice: Choice): readonly unknown[] {
  const length = Math.min(Number(schema.minItems ?? 0), MAX_ITEMS);
  return Array.from({ length }, (_, at) =>
    valueFor(schema.items, { ...choice, at, depth: choice.depth + 1 }),
  );
}

function sampleFields(schema: Mapping, choice: Choice): Mapping {
  const { properties, required, additionalProperties: values, minProperties } = schema;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = isMapping(properties) ? properties : {};
  const embedded =
    schema['x-kubernetes-embedded-resource'] === true
      ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sample' } }
      : {};
  const below = { ...choice, depth: choice.depth + 1 };
  const entries = new Map<string, unknown>(Object.entries(embedded));
  for (const name of names) {
    if (typeof name !== 'string' || entries.has(name)) continue;
    const field = Object.hasOwn(fields, name) ? fields[name] : values;
    if (!hasDefault(field) || choice.at > 0) entries.set(name, valueFor(field, below));
  }
  const spare = [...Object.keys(fields), ...(isMapping(values) ? spareNames() : [])];
  const least = Math.min(Number(minProperties ?? 0), MAX_ITEMS);
  for (const name of spare) {
    if (entries.size >= least) break;
    const field = Object.hasOwn(fields, name) ? fields[name] : values;
    if (!entries.has(name)) entries.set(name, valueFor(field, below));
  }
  return Object.fromEntries(entries);
}

function spareNames(): readonly string[] {
  return Array.from({ length: MAX_ITEMS }, (_, at) => `sample${at === 0 ? '' : at}`);
}

function hasDefault(schema: unknown): boolean {
  return isMapping(schema) && schema.default !== undefined;
}
