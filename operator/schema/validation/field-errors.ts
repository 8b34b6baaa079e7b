import { deepJson } from '../../core/json/deep-json.ts';
import type { FieldProblem } from '../field-path.ts';

/** One cause of a 422 in the words of the API server: the field, the reason and the message. */
export interface FieldError {
  readonly field: string;
  readonly reason: FieldProblem['reason'];
  readonly message: string;
}

/** The name that a problem gives as its field if it is about the whole value or not about one field. */
export const NO_FIELD = '<nil>';

export function fieldName(path: string): string {
  return path === '' ? NO_FIELD : path;
}

/**
 * `JSON.rawJSON` is part of ES2025 and of every supported Node. TypeScript's library does not declare it yet.
 */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * A value as a message contains it: as JSON, with all digits of long integers. If the value itself is a
 * number, it is written as Go prints numbers.
 */
export function shown(value: unknown): string {
  if (typeof value === 'number') return goNumber(value);
  return deepJson(value, (_key, part) => (typeof part === 'bigint' ? rawJSON(String(part)) : part));
}

/** The first integer above Go's int64. */
const INT64_END = 2 ** 63;

/**
 * A number as Go prints it: an integer of 64 bits has all its digits, and any other number is printed as a
 * float64.
 */
export function goNumber(value: number | bigint): string {
  if (typeof value === 'bigint') return String(value);
  const isInteger = Number.isInteger(value) && Math.abs(value) < INT64_END;
  return isInteger && !Object.is(value, -0) ? String(BigInt(value)) : goFloat(value);
}

/**
 * A number is written without an exponent if its power of ten is at least `LEAST_POWER` and below `POWER_END`
 * (the format `g` of Go's strconv).
 */
const LEAST_POWER = -4;
const POWER_END = 6;

/** A float64 as Go formats it with the verb `%v`: `1.5`, `1e+06`. */
export function goFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (!Number.isFinite(value)) return String(value);
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= LEAST_POWER && exponent < POWER_END) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

export function required(path: string, detail = ''): FieldError {
  const message = detail === '' ? 'Required value' : `Required value: ${detail}`;
  return { field: fieldName(path), reason: 'FieldValueRequired', message };
}

export function invalid(path: string, value: unknown, detail: string): FieldError {
  const message = `Invalid value: ${shown(value)}: ${detail}`;
  return { field: fieldName(path), reason: 'FieldValueInvalid', message };
}

/** Like `invalid`, but without the value, which is too large for a message. */
export function invalidUnshown(path: string, detail: string): FieldError {
  const message = `Invalid value: ${detail}`;
  return { field: fieldName(path), reason: 'FieldValueInvalid', message };
}

export function typeInvalid(path: string, value: unknown, detail: string): FieldError {
  const message = `Invalid value: ${shown(value)}: ${detail}`;
  return { field: fieldName(path), reason: 'FieldValueTypeInvalid', message };
}

export function forbidden(path: string, detail: string): FieldError {
  const message = `Forbidden: ${detail}`;
  return { field: fieldName(path), reason: 'FieldValueForbidden', message };
}

export function duplicate(path: string, value: unknown): FieldError {
  const message = `Duplicate value: ${shown(value)}`;
  return { field: fieldName(path), reason: 'FieldValueDuplicate', message };
}

export function notSupported(
  path: string,
  value: unknown,
  supported: readonly unknown[],
): FieldError {
  const list = supported.map((one) => shown(typeof one === 'string' ? one : shown(one)));
  const message = `Unsupported value: ${shown(value)}: supported values: ${list.join(', ')}`;
  return { field: fieldName(path), reason: 'FieldValueNotSupported', message };
}

export function tooLong(path: string, limit: number): FieldError {
  const message = `Too long: may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`;
  return { field: fieldName(path), reason: 'FieldValueTooLong', message };
}

export function tooMany(path: string, count: number, limit: number): FieldError {
  const message = `Too many: ${count}: must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`;
  return { field: fieldName(path), reason: 'FieldValueTooMany', message };
}
