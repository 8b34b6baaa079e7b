/** Members of a document, or of an object in it. */
export type Fields = Readonly<Record<string, unknown>>;

/** A field does not have the type or value that its operation needs. */
export class FieldError extends Error {}

/**
 * The members of an object.
 *
 * @param what - the path of `value`, for the message.
 * @throws FieldError when `value` is not an object.
 */
export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new FieldError(
    value === undefined ? `${what} is missing` : `${what} must be an object, not ${formOf(value)}`,
  );
}

/**
 * The string in a required field.
 *
 * @param path - the prefix of the field's name in messages.
 * @throws FieldError when the field is not a string, or is empty.
 */
export function textOf(fields: Fields, field: string, path = ''): string {
  const text = optionalText(fields, field, path);
  if (text === undefined) throw new FieldError(`${path}${field} is missing`);
  return text;
}

/**
 * The string in an optional field. Undefined even for null and for an empty string, as in the
 * Kubernetes API.
 */
export function optionalText(fields: Fields, field: string, path = ''): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new FieldError(`${path}${field} must be a string, not ${formOf(value)}`);
}

/**
 * A boolean field. False when the field is missing.
 *
 * @throws FieldError when the field is not a boolean.
 */
export function flagOf(fields: Fields, field: string): boolean {
  const value = fields[field];
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new FieldError(`${field} must be true or false, not ${formOf(value)}`);
}

function formOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return (
    { string: 'a string', object: 'an object', boolean: 'a boolean' }[typeof value as string] ??
    'a number'
  );
}
