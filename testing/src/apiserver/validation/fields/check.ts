import { isObject, type Json } from '../../objects/metadata.ts';
import {
  duplicate,
  forbidden,
  invalidValue,
  notSupported,
  type Problem,
  required,
} from './problem.ts';

/**
 * A rule for the value of a field. Every check accepts an absent value, except `needed` and checks whose
 * documentation says so. Use `must` to require a value.
 */
export type Check = (value: unknown, field: string) => readonly Problem[];

/** Runs all checks and returns the problems of all of them. */
export function all(...checks: readonly Check[]): Check {
  return (value, field) => checks.flatMap((check) => check(value, field));
}

/** Runs the checks in order, until one of them finds a problem. */
export function firstOf(...checks: readonly Check[]): Check {
  return (value, field) => {
    for (const check of checks) {
      const problems = check(value, field);
      if (problems.length > 0) return problems;
    }
    return [];
  };
}

/** Whether Go treats a value as unset. An empty string or list counts as unset. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** Requires a value. */
export function needed(why = ''): Check {
  return (value, field) => (isEmpty(value) ? [required(field, why)] : []);
}

/** Requires a value that passes all checks. */
export function must(...checks: readonly Check[]): Check {
  return firstOf(needed(), all(...checks));
}

/** Checks the fields of an object, in the server's order. */
export function fields(
  checks: Readonly<Record<string, Check>>,
  ...whole: readonly ((object: Json, field: string) => readonly Problem[])[]
): Check {
  return (value, field) => {
    if (!isObject(value)) return [];
    const prefix = field === '' ? '' : `${field}.`;
    const inner = Object.entries(checks).flatMap(([name, check]) =>
      check(value[name], `${prefix}${name}`),
    );
    return [...inner, ...whole.flatMap((check) => check(value, field))];
  };
}

/** Checks every item of a list. */
export function each(check: Check): Check {
  return (value, field) =>
    Array.isArray(value) ? value.flatMap((item, at) => check(item, `${field}[${at}]`)) : [];
}

/** Refuses items with the same `key`. Items without a key are ignored. */
export function uniqueBy(key: string): Check {
  return (value, field) => {
    const seen = new Set<unknown>();
    return itemsOf(value).flatMap((item, at) => {
      const found = item[key];
      if (isEmpty(found)) return [];
      if (seen.has(found)) return [duplicate(`${field}[${at}].${key}`, found)];
      seen.add(found);
      return [];
    });
  };
}

/** The items of a list as objects. */
export function itemsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : [];
}

/** Requires one of these words. If the value is missing, reports it as missing. */
export function oneOf(...words: readonly string[]): Check {
  return must((value, field) =>
    words.includes(String(value)) ? [] : [notSupported(field, value, words)],
  );
}

/** Requires one of these words, or no value. */
export function maybeOneOf(...words: readonly string[]): Check {
  return (value, field) =>
    isEmpty(value) || words.includes(String(value)) ? [] : [notSupported(field, value, words)];
}

/** Requires a string in a certain format. `form` returns a message for each problem of the string. */
export function formed(form: (text: string) => readonly string[]): Check {
  return (value, field) =>
    isEmpty(value) ? [] : form(String(value)).map((why) => invalidValue(field, value, why));
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Requires a number of at least `least`. */
function atLeast(least: number, why: string): Check {
  return (value, field) =>
    isNumber(value) && value < least ? [invalidValue(field, value, why)] : [];
}

export const notNegative: Check = atLeast(0, 'must be greater than or equal to 0');
export const positive: Check = atLeast(1, 'must be greater than 0');

export function between(least: number, most: number): Check {
  return (value, field) =>
    isNumber(value) && (value < least || value > most)
      ? [invalidValue(field, value, `must be between ${least} and ${most}, inclusive`)]
      : [];
}

/** Refuses every value: the field must be absent. */
export function absent(why: string): Check {
  return (value, field) => (value === undefined || value === null ? [] : [forbidden(field, why)]);
}
