import { isDeepStrictEqual } from 'node:util';
import { boundedText } from '../core/visible-text.ts';
import { DNS_1035_LABEL } from '../model/dns-name.ts';
import { fieldSchema, type StructuralSchema } from '../model/structural-schema.ts';
import { isFormat } from '../model/text-format.ts';
import { type FieldProblem, joined } from './field-path.ts';
import { isJson, type Json } from './keywords.ts';
import { knownPattern } from './pattern/pattern.ts';
import { PatternCostError } from './pattern/tree.ts';
import { TooMuchWork, Work } from './work.ts';

/**
 * The problems of a value by its schema, as the API server reports them, without rules. For a value of the
 * wrong type it reports only the type.
 *
 * @param value - completed: with defaults, and without what the server prunes.
 * @param work - bounds how much is compared. Default: no limit, except for each pattern.
 * @throws TooMuchWork when that does not suffice.
 */
export function* valueProblems(
  value: unknown,
  schema: StructuralSchema,
  path: string,
  work?: Work,
): Generator<FieldProblem> {
  work?.spend(1 + (schema.enum?.length ?? 0) + (schema.required?.length ?? 0));
  const wanted = typesOf(schema);
  if (wanted.length > 0 && !isOfType(value, wanted, schema)) {
    const found = value === null ? 'null' : typeOf(value);
    yield { path, message: `must be of type ${wanted.join(' or ')}: "${found}"` };
    return;
  }
  if (schema.enum !== undefined && !schema.enum.some((one) => isDeepStrictEqual(one, value))) {
    const values = boundedText(schema.enum.map((one) => JSON.stringify(one)).join(', '));
    yield { path, message: `Unsupported value: supported values: ${values}` };
  }
  if (typeof value === 'string') {
    for (const message of textProblems(value, schema, work)) yield { path, message };
  } else if (typeof value === 'number') {
    for (const message of numberProblems(value, schema)) yield { path, message };
  } else if (Array.isArray(value)) yield* itemProblems(value, schema, path, work);
  else if (isJson(value)) yield* fieldProblems(value, schema, path, work);
}

function typesOf(schema: StructuralSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

function isOfType(value: unknown, wanted: readonly string[], schema: StructuralSchema): boolean {
  if (value === null) return schema.nullable === true;
  const found = typeOf(value);
  return wanted.includes(found) || (found === 'integer' && wanted.includes('number'));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function* itemProblems(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
  work: Work | undefined,
): Generator<FieldProblem> {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems) yield { path, message: `should have at least ${minItems} items` };
  if (value.length > maxItems) {
    yield { path, message: `Too many: ${value.length}: must have at most ${maxItems} items` };
  }
  if (items !== undefined) {
    for (const [at, item] of value.entries()) {
      yield* valueProblems(item, items, `${path}[${at}]`, work);
    }
  }
  yield* listProblems(value, schema, path);
}

function* fieldProblems(
  value: Json,
  schema: StructuralSchema,
  path: string,
  work: Work | undefined,
): Generator<FieldProblem> {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY, required = [] } = schema;
  const fields = Object.keys(value);
  if (fields.length < minProperties) {
    yield { path, message: `should have at least ${minProperties} properties` };
  }
  if (fields.length > maxProperties) {
    yield { path, message: `Too many: ${fields.length}: must have at most ${maxProperties} items` };
  }
  for (const field of required) {
    if (!Object.hasOwn(value, field))
      yield { path: joined(path, field), message: 'Required value' };
  }
  if (schema['x-kubernetes-embedded-resource'] === true) yield* typeMetaProblems(value, path);
  for (const field of fields) {
    const child = fieldSchema(schema, field);
    if (child !== undefined) yield* valueProblems(value[field], child, joined(path, field), work);
  }
}

const KIND = new RegExp(`^${DNS_1035_LABEL}$`, 'i');
const API_VERSION = /^[^/]*(\/[^/]*)?$/;

/** An embedded object must have apiVersion and kind. */
function* typeMetaProblems(value: Json, path: string): Generator<FieldProblem> {
  for (const [field, form] of [
    ['apiVersion', API_VERSION],
    ['kind', KIND],
  ] as const) {
    const text = value[field];
    if (text === undefined) yield { path: joined(path, field), message: 'Required value' };
    else if (typeof text !== 'string' || text === '' || !form.test(text)) {
      yield { path: joined(path, field), message: `Invalid value: must be the ${field} of a kind` };
    }
  }
}

/** Duplicates: a set must not repeat a value, and a list map must not repeat a key. */
function* listProblems(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
): Generator<FieldProblem> {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return;
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  for (const [at, item] of value.entries()) {
    const identity = type === 'map' ? keysOf(item, names) : item;
    const text = canonical(identity);
    if (seen.has(text)) yield { path: `${path}[${at}]`, message: `Duplicate value: ${text}` };
    seen.add(text);
  }
}

function keysOf(item: unknown, names: readonly string[]): unknown {
  if (!isJson(item)) return {};
  const present = names.filter((name) => Object.hasOwn(item, name));
  return Object.fromEntries(present.map((name) => [name, item[name]]));
}

/** JSON with sorted fields, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, child: unknown) =>
    isJson(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child,
  );
}

/** The smallest integers beyond Go's int64 and int32, and the largest float32. */
const INT64_END = 2 ** 63;
const INT32_END = 2 ** 31;
const FLOAT32_MAX = 3.4028234663852886e38;

/**
 * How far a quotient may be from an integer, relative to its size, and still count as one. As on the
 * server.
 */
const MULTIPLE_TOLERANCE = 1e-9;

/** Steps that one text is compared with its pattern for: half a second. */
const PATTERN_STEPS = 20_000_000;

/** The same within bounded work, which has other texts to compare. */
const BOUNDED_PATTERN_STEPS = 200_000;

/** The problems of a text, with the API server's messages. */
function* textProblems(
  value: string,
  schema: StructuralSchema,
  work: Work | undefined,
): Generator<string> {
  const { minLength = 0, maxLength, pattern, format } = schema;
  const length = [...value].length; // code points, as Go counts
  if (maxLength !== undefined && length > maxLength) {
    yield `Too long: may not be more than ${maxLength} characters`;
  } else if (length < minLength) yield `should be at least ${minLength} chars long`;
  else if (pattern !== undefined) yield* patternProblems(value, pattern, work);
  if (format !== undefined && !isFormat(value, format)) yield `must be of type ${format}`;
}

/**
 * Definitions of other tools may have a pattern of RE2 that JavaScript lacks, or one that costs too much to compare.
 */
function* patternProblems(
  value: string,
  pattern: string,
  work: Work | undefined,
): Generator<string> {
  const own = new Work(work === undefined ? PATTERN_STEPS : BOUNDED_PATTERN_STEPS, work);
  const shown = boundedText(pattern);
  try {
    own.spend(pattern.length); // it is read, at least
    if (!knownPattern(pattern).test(value, own)) yield `should match '${shown}'`;
  } catch (error) {
    const isOwn = error instanceof TooMuchWork && (work === undefined || work.left >= 0);
    if (!(error instanceof SyntaxError || error instanceof PatternCostError || isOwn)) throw error;
    yield `cannot be compared with '${shown}': ${boundedText(error.message)}`;
  }
}

/** The problems of a number. */
function* numberProblems(value: number, schema: StructuralSchema): Generator<string> {
  const { type, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (!isInRange(value, type, format)) yield `must be of type ${type} ${format ?? ''}`.trimEnd();
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    yield `should be a multiple of ${multipleOf}`;
  }
  if (minimum !== undefined && (value < minimum || (value === minimum && exclusiveMinimum))) {
    yield `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`;
  }
  if (maximum !== undefined && (value > maximum || (value === maximum && exclusiveMaximum))) {
    yield `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`;
  }
}

function isInRange(value: number, type: string | undefined, format: string | undefined): boolean {
  if (type === 'number') return format !== 'float' || Math.abs(value) <= FLOAT32_MAX;
  if (type !== 'integer') return true;
  const end = format === 'int32' ? INT32_END : INT64_END;
  return value >= -end && value < end;
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  const distance = Math.abs(quotient - Math.round(quotient));
  return distance <= Math.abs(quotient) * MULTIPLE_TOLERANCE;
}
