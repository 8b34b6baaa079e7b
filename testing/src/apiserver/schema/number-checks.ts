import type { StructuralSchema } from 'chancery/internal';
import type { FieldError } from '../failures/invalid.ts';
import { invalid } from './field-errors.ts';

/** The first integers that Go's int64 and int32 do not hold. */
const INT64_END = 2 ** 63;
const INT32_END = 2 ** 31;
/** The largest value of Go's float32. */
const FLOAT32_MAX = 3.4028234663852886e38;

/** What is wrong with a number, in the order of the server. */
export function numberProblems(
  value: number | bigint,
  schema: StructuralSchema,
  path: string,
): readonly FieldError[] {
  return [
    rangeProblem(value, schema, path),
    multipleProblem(value, schema, path),
    minimumProblem(value, schema, path),
    maximumProblem(value, schema, path),
  ].filter((problem) => problem !== undefined);
}

/** A number that its format does not hold. The server tells of it without naming the field. */
function rangeProblem(
  value: number | bigint,
  { type, format }: StructuralSchema,
  path: string,
): FieldError | undefined {
  const name = type === 'integer' || type === 'number' ? type : '';
  if (isInRange(value, name, format)) return undefined;
  const form = format === undefined ? '(default format)' : `with format ${format}`;
  return invalid('', '', `Checked value must be of type ${name} ${form} in ${path}`);
}

function isInRange(value: number | bigint, type: string, format: string | undefined): boolean {
  if (type === 'number') return format !== 'float' || Math.abs(Number(value)) <= FLOAT32_MAX;
  if (type !== 'integer') return true;
  const end = format === 'int32' ? INT32_END : INT64_END;
  return value >= -end && value < end;
}

function multipleProblem(
  value: number | bigint,
  { multipleOf }: StructuralSchema,
  path: string,
): FieldError | undefined {
  if (multipleOf === undefined) return undefined;
  if (multipleOf <= 0) {
    const why = `factor MultipleOf declared for ${path} must be positive: ${multipleOf}`;
    return invalid(path, multipleOf, why);
  }
  // As the server divides: 0.3 is no multiple of 0.1 by plain division.
  if (typeof value === 'bigint' && Number.isInteger(multipleOf)) {
    if (value % BigInt(multipleOf) === 0n) return undefined;
    return invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`);
  }
  const number = Number(value);
  const quotient = multipleOf < 1 ? (1 / multipleOf) * number : number / multipleOf;
  const nearest = Math.round(quotient);
  if (Math.abs(quotient - nearest) <= Math.abs(quotient) * 1e-9) return undefined;
  return invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`);
}

function minimumProblem(
  value: number | bigint,
  { minimum, exclusiveMinimum }: StructuralSchema,
  path: string,
): FieldError | undefined {
  if (minimum === undefined) return undefined;
  if (exclusiveMinimum === true ? value > minimum : value >= minimum) return undefined;
  const relation = exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
  return invalid(path, value, `${path} in body should be ${relation} ${minimum}`);
}

function maximumProblem(
  value: number | bigint,
  { maximum, exclusiveMaximum }: StructuralSchema,
  path: string,
): FieldError | undefined {
  if (maximum === undefined) return undefined;
  if (exclusiveMaximum === true ? value < maximum : value <= maximum) return undefined;
  const relation = exclusiveMaximum === true ? 'less than' : 'less than or equal to';
  return invalid(path, value, `${path} in body should be ${relation} ${maximum}`);
}
