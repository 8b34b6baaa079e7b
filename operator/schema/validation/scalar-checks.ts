import type { StructuralSchema } from '../../model/structural-schema.ts';
import { isFormat, isTextFormat } from '../../model/text-format.ts';
import { knownPattern } from '../pattern/pattern.ts';
import { PatternCostError } from '../pattern/tree.ts';
import { TooMuchWork, Work } from '../work.ts';
import { type FieldError, invalid, tooLong, typeInvalid } from './field-errors.ts';
import { isInt64, isJsonInteger } from './number-checks.ts';

/** True if a schema restricts the type of its values. */
export function isTyped(schema: StructuralSchema): boolean {
  return typesOf(schema).length > 0 || checkedFormat(schema) !== undefined;
}

/** The problem with the type of a value. Its message contains the type of the value. */
export function typeProblem(
  value: unknown,
  schema: StructuralSchema,
  path: string,
): FieldError | undefined {
  const types = typesOf(schema);
  const found = typeOf(value);
  if (value === null) {
    const wrong = types.length > 0 && schema.nullable !== true;
    return wrong ? mustBe(path, types.join(','), found) : undefined;
  }
  const fits =
    types.includes(found) ||
    (found === 'integer' && types.includes('number')) ||
    (found === 'number' && isJsonInteger(value as number) && types.includes('integer'));
  const format = checkedFormat(schema);
  const isText = typeof value === 'string' || Array.isArray(value);
  const isNumeric = types.includes('number') || types.includes('integer');
  if (format !== undefined && !isText && !fits) return mustBe(path, format, goFormat(found));
  // If the schema requires a string with a known format, and the value is a string or a list, the API server
  // checks only the format, not the type.
  if (format !== undefined && isText && !isNumeric) return undefined;
  return fits || types.length === 0 ? undefined : mustBe(path, types.join(','), found);
}

function mustBe(path: string, wanted: string, found: string): FieldError {
  const detail = `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
  return typeInvalid(path, found, detail);
}

function typesOf(schema: StructuralSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || typeof value === 'bigint') {
    return isInt64(value) ? 'integer' : 'number';
  }
  return typeof value;
}

/** The format by which the API server reports a value of the wrong type. */
function goFormat(found: string): string {
  if (found === 'integer') return 'int64';
  return found === 'number' ? 'float64' : '';
}

/** The format of a schema, if the API server checks it. Other formats are documentation. */
function checkedFormat({ type, format }: StructuralSchema): string | undefined {
  if (format === undefined) return undefined;
  switch (type) {
    case undefined:
    case 'string':
      return isTextFormat(format) ? format : undefined;
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : undefined;
    case 'number':
      return format === 'float' || format === 'double' ? format : undefined;
    default:
      return undefined;
  }
}

/**
 * Number of characters that count as one step when the length of a text is determined, or when a text is
 * compared with a format.
 */
const CHARACTERS_OF_A_STEP = 8;

/** The problems of a text: the first problem with its length or pattern, and the problem with its format. */
export function* textProblems(
  value: string,
  schema: StructuralSchema,
  path: string,
  work: Work,
): Generator<FieldError> {
  const { maxLength, minLength, pattern } = schema;
  const format = checkedFormat(schema);
  work.spend(Math.ceil(value.length / CHARACTERS_OF_A_STEP));
  const length = maxLength === undefined && minLength === undefined ? 0 : characters(value);
  if (maxLength !== undefined && length > maxLength) yield tooLong(path, maxLength);
  else if (minLength !== undefined && length < minLength) {
    yield invalid(path, value, `${path} in body should be at least ${minLength} chars long`);
  } else if (pattern !== undefined && pattern !== '') {
    const problem = patternProblem(value, pattern, path, work);
    if (problem !== undefined) yield problem;
  }
  if (format !== undefined && !isFormat(value, format)) {
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    yield typeInvalid(path, value, detail);
  }
}

/** The number of characters as Go counts them, which is the number of code points. */
function characters(value: string): number {
  let count = 0;
  for (const _character of value) count++;
  return count;
}

/** Maximum number of steps to compare one text with its pattern. They take half a second. */
const PATTERN_STEPS = 20_000_000;

/** Minimum for the limit of one text. It suffices for a text of a few thousand characters. */
const LEAST_PATTERN_STEPS = 200_000;

/**
 * The maximum number of steps for one text: a fifth of the steps for the whole object, so that other texts
 * can be compared as well.
 */
function patternSteps(work: Work): number {
  return Math.min(Math.max(work.limit / 5, LEAST_PATTERN_STEPS), PATTERN_STEPS);
}

/**
 * The problem of a text that does not match its pattern. A text that takes too many steps to compare is
 * refused, too. The API server has no such limit, and so no such message.
 */
function patternProblem(
  value: string,
  pattern: string,
  path: string,
  work: Work,
): FieldError | undefined {
  const own = new Work(patternSteps(work), work);
  try {
    own.spend(pattern.length); // the pattern is read, at least
    if (knownPattern(pattern).test(value, own)) return undefined;
    return invalid(path, value, `${path} in body should match '${pattern}'`);
  } catch (error) {
    const isOwn = error instanceof TooMuchWork && work.left >= 0;
    if (!(error instanceof SyntaxError || error instanceof PatternCostError || isOwn)) throw error;
    const why = `${path} in body cannot be compared with '${pattern}': ${error.message}`;
    return invalid(path, value, why);
  }
}
