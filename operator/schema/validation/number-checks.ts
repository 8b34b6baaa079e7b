import type { StructuralSchema } from '../../model/structural-schema.ts';
import { type FieldError, goFloat, goNumber, invalid } from './field-errors.ts';

/**
 * The first integer above the range of int64, the first integer above the range of int32, and the largest
 * float32.
 */
const INT64_END = 2 ** 63;
const INT32_END = 2 ** 31;
const FLOAT32_MAX = 3.4028234663852886e38;

/**
 * True if the API server stores a number as an int64. It stores every other number as a float64. JavaScript
 * does not distinguish `1` and `1.0`: both count as `1`. Minus zero counts as a float64.
 */
export function isInt64(value: number | bigint): boolean {
  const isWhole = typeof value === 'bigint' || (Number.isInteger(value) && !Object.is(value, -0));
  return isWhole && value >= -INT64_END && value < INT64_END;
}

/**
 * A float counts as an integer if its distance from the nearest integer, relative to its size, is less than
 * this.
 */
const INTEGER_TOLERANCE = 1e-9;

/**
 * True for a number that the API server accepts as an integer, like `IsFloat64AJSONInteger`
 * (github.com/go-openapi/swag, conv/convert.go).
 */
export function isJsonInteger(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const rounded = Math.round(value);
  if (value === rounded) return true;
  return Math.abs(value - rounded) < INTEGER_TOLERANCE * Math.abs(rounded);
}

/**
 * The problems of a number, in the order of the API server (k8s.io/kube-openapi,
 * pkg/validation/validate/validator.go).
 */
export function numberProblems(
  value: number | bigint,
  schema: StructuralSchema,
  path: string,
): readonly FieldError[] {
  const { multipleOf, minimum, maximum } = schema;
  return [
    rangeProblem(value, schema, path, 'Checked'),
    rangeProblem(multipleOf, schema, path, 'MultipleOf'),
    multipleProblem(value, schema, path),
    rangeProblem(minimum, schema, path, 'Minimum boundary'),
    minimumProblem(value, schema, path),
    rangeProblem(maximum, schema, path, 'Maximum boundary'),
    maximumProblem(value, schema, path),
  ].filter((problem) => problem !== undefined);
}

/** The problem of a number that does not fit the format. As in the API server, the cause has no field. */
function rangeProblem(
  value: number | bigint | undefined,
  { type, format }: StructuralSchema,
  path: string,
  what: string,
): FieldError | undefined {
  const name = type === 'integer' || type === 'number' ? type : '';
  if (value === undefined || isInRange(value, name, format)) return undefined;
  const form = format === undefined ? '(default format)' : `with format ${format}`;
  return invalid('', '', `${what} value must be of type ${name} ${form} in ${path}`);
}

function isInRange(value: number | bigint, type: string, format: string | undefined): boolean {
  if (type === 'number') return format !== 'float' || Math.abs(Number(value)) <= FLOAT32_MAX;
  if (type !== 'integer') return true;
  const end = format === 'int32' ? INT32_END : INT64_END;
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  return isWhole && value >= -end && value < end;
}

/**
 * The limit with which a number is compared. If the number is an int64, the fraction of the limit is removed.
 * If the type of the schema cannot represent the limit, the number and the limit are compared as floats.
 */
function limitFor(
  value: number | bigint,
  limit: number,
  { type, format }: StructuralSchema,
): number {
  const isNative = isInRange(limit, type ?? '', format);
  return isNative && isInt64(value) ? Math.trunc(limit) + 0 : limit;
}

/** The limit as a message contains it: if the value is a float, the limit is written as a float, too. */
function shownLimit(value: number | bigint, limit: number): string {
  return isInt64(value) ? goNumber(limit) : goFloat(limit);
}

function multipleProblem(
  value: number | bigint,
  schema: StructuralSchema,
  path: string,
): FieldError | undefined {
  if (schema.multipleOf === undefined) return undefined;
  const factor = limitFor(value, schema.multipleOf, schema);
  if (factor <= 0) {
    const why = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
    return invalid(path, factor, why);
  }
  if (isMultiple(value, factor)) return undefined;
  return invalid(
    path,
    value,
    `${path} in body should be a multiple of ${shownLimit(value, factor)}`,
  );
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (isInt64(value) && Number.isInteger(factor)) return BigInt(value) % BigInt(factor) === 0n;
  const number = Number(value);
  return isJsonInteger(factor < 1 ? (1 / factor) * number : number / factor);
}

function minimumProblem(
  value: number | bigint,
  schema: StructuralSchema,
  path: string,
): FieldError | undefined {
  if (schema.minimum === undefined) return undefined;
  const minimum = limitFor(value, schema.minimum, schema);
  const isExclusive = schema.exclusiveMinimum === true;
  if (isExclusive ? value > minimum : value >= minimum) return undefined;
  const relation = isExclusive ? 'greater than' : 'greater than or equal to';
  return invalid(
    path,
    value,
    `${path} in body should be ${relation} ${shownLimit(value, minimum)}`,
  );
}

function maximumProblem(
  value: number | bigint,
  schema: StructuralSchema,
  path: string,
): FieldError | undefined {
  if (schema.maximum === undefined) return undefined;
  const maximum = limitFor(value, schema.maximum, schema);
  const isExclusive = schema.exclusiveMaximum === true;
  if (isExclusive ? value < maximum : value <= maximum) return undefined;
  const relation = isExclusive ? 'less than' : 'less than or equal to';
  return invalid(
    path,
    value,
    `${path} in body should be ${relation} ${shownLimit(value, maximum)}`,
  );
}
