import type { FieldError } from '../../failures/invalid.ts';
import { goJson, sortedKeys } from '../../objects/canonical.ts';
import { isObject } from '../../objects/metadata.ts';

/** A problem of one field, with the API server's message. */
export type Problem = FieldError;

/** A value in the format of the server's messages: a string in quotes, and any other value as JSON. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? goQuoted(value) : goJson(value ?? null);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** A string as Go's `%q` prints it. */
function goQuoted(text: string): string {
  const escaped = text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (character) => {
    const known = ESCAPES[character];
    if (known !== undefined) return known;
    const code = (character.codePointAt(0) ?? 0).toString(16);
    if (code.length <= 2 && Number.parseInt(code, 16) < 0x80) return `\\x${code.padStart(2, '0')}`;
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
  });
  return `"${escaped}"`;
}

/** A map of strings as Go prints it: sorted by key, or `null` if the map is absent. */
export function shownMap(value: unknown): string {
  return shown(isObject(value) ? sortedKeys(value) : null);
}

export function invalidValue(field: string, value: unknown, why: string): Problem {
  return invalidShown(field, shown(value), why);
}

/** Like `invalidValue`, for a value that is already formatted. */
export function invalidShown(field: string, value: string, why: string): Problem {
  const message = `Invalid value: ${value}${why === '' ? '' : `: ${why}`}`;
  return { field, reason: 'FieldValueInvalid', message };
}

export function required(field: string, why = ''): Problem {
  return { field, reason: 'FieldValueRequired', message: worded('Required value', why) };
}

export function forbidden(field: string, why: string): Problem {
  return { field, reason: 'FieldValueForbidden', message: worded('Forbidden', why) };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): Problem {
  return notSupportedShown(field, shown(value), supported);
}

/** Like `notSupported`, for a value that is already formatted. */
export function notSupportedShown(
  field: string,
  value: string,
  supported: readonly string[],
): Problem {
  const list = supported.map((text) => JSON.stringify(text)).join(', ');
  const message = worded(`Unsupported value: ${value}`, `supported values: ${list}`);
  return { field, reason: 'FieldValueNotSupported', message };
}

export function duplicate(field: string, value: unknown): Problem {
  return { field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown(value)}` };
}

export function notFoundValue(field: string, value: unknown): Problem {
  return { field, reason: 'FieldValueNotFound', message: `Not found: ${shown(value)}` };
}

export function tooLong(field: string, limit: number): Problem {
  const message = `Too long: may not be more than ${limit} bytes`;
  return { field, reason: 'FieldValueTooLong', message };
}

export function tooMany(field: string, found: number, limit: number): Problem {
  const items = limit === 1 ? 'item' : 'items';
  const message = `Too many: ${found}: must have at most ${limit} ${items}`;
  return { field, reason: 'FieldValueTooMany', message };
}

export const IMMUTABLE = 'field is immutable';

function worded(what: string, why: string): string {
  return why === '' ? what : `${what}: ${why}`;
}
