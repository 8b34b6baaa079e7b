import type { FieldError } from '../failures/invalid.ts';
import { jsonText } from '../objects/json-text.ts';

/** How the server names the value at the root, and what is wrong with no field in particular. */
const NO_FIELD = '<nil>';

export function fieldName(path: string): string {
  return path === '' ? NO_FIELD : path;
}

/** A value as it stands in a message. */
function shown(value: unknown): string {
  return jsonText(value);
}

export function required(path: string, detail = ''): FieldError {
  const message = detail === '' ? 'Required value' : `Required value: ${detail}`;
  return { field: fieldName(path), reason: 'FieldValueRequired', message };
}

export function invalid(path: string, value: unknown, detail: string): FieldError {
  const message = `Invalid value: ${shown(value)}: ${detail}`;
  return { field: fieldName(path), reason: 'FieldValueInvalid', message };
}

/** Like `invalid`, of a value that is too large to be shown. */
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
