import type { StructuralSchema } from '../model/structural-schema.ts';
import { isFormat } from '../model/text-format.ts';
import { patternMatcher } from './pattern.ts';

/** The first integers that Go's int64 and int32 do not hold, and the largest float32. */
const INT64_END = 2 ** 63;
const INT32_END = 2 ** 31;
const FLOAT32_MAX = 3.4028234663852886e38;

/** How far a quotient may be from an integer, by its size, to count as one: as the server divides. */
const MULTIPLE_TOLERANCE = 1e-9;

/** Compiled once for each schema. */
const MATCHERS = new WeakMap<StructuralSchema, RegExp>();

/** What is wrong with a text, in the words of the API server. */
export function* textProblems(value: string, schema: StructuralSchema): Generator<string> {
  const { minLength = 0, maxLength, pattern, format } = schema;
  const length = [...value].length; // code points, as Go counts
  if (maxLength !== undefined && length > maxLength) {
    yield `Too long: may not be more than ${maxLength} characters`;
  } else if (length < minLength) yield `should be at least ${minLength} chars long`;
  else if (pattern !== undefined && !matcherOf(schema, pattern).test(value)) {
    yield `should match '${pattern}'`;
  }
  if (format !== undefined && !isFormat(value, format)) yield `must be of type ${format}`;
}

function matcherOf(schema: StructuralSchema, pattern: string): RegExp {
  let matcher = MATCHERS.get(schema);
  if (matcher === undefined) {
    matcher = patternMatcher(pattern);
    MATCHERS.set(schema, matcher);
  }
  return matcher;
}

/** What is wrong with a number. */
export function* numberProblems(value: number, schema: StructuralSchema): Generator<string> {
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
