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
 * A rule for the value of a field. An absent value passes, unless the check is `needed` or says otherwise: whether a
 * value must exist and which form it must have are two checks.
 */
export type Check = (value: unknown, field: string) => readonly Problem[];

/** All of these checks, and the problems of all of them. */
export function all(...checks: readonly Check[]): Check {
  return (value, field) => checks.flatMap((check) => check(value, field));
}

/** The second check only where the first finds nothing. */
export function firstOf(...checks: readonly Check[]): Check {
  return (value, field) => {
    for (const check of checks) {
      const problems = check(value, field);
      if (problems.length > 0) return problems;
    }
    return [];
  };
}

/** To Go an empty text or list is the same as none. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** There must be a value. */
export function needed(why = ''): Check {
  return (value, field) => (isEmpty(value) ? [required(field, why)] : []);
}

/** There must be a value, and it must be right. */
export function must(...checks: readonly Check[]): Check {
  return firstOf(needed(), all(...checks));
}

/** The fields of an object, in the order in which the server looks at them. */
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

/** Every item of a list. */
export function each(check: Check): Check {
  return (value, field) =>
    Array.isArray(value) ? value.flatMap((item, at) => check(item, `${field}[${at}]`)) : [];
}

/** Items whose `key` is the same; those without one do not count. */
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

/** The objects of a list. */
export function itemsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : [];
}

/** One of a few words; where none is chosen, that is the problem. */
export function oneOf(...words: readonly string[]): Check {
  return must((value, field) =>
    words.includes(String(value)) ? [] : [notSupported(field, value, words)],
  );
}

/** One of a few words, or nothing. */
export function maybeOneOf(...words: readonly string[]): Check {
  return (value, field) =>
    isEmpty(value) || words.includes(String(value)) ? [] : [notSupported(field, value, words)];
}

/** A text of a form; `form` returns the problems of a text in words. */
export function formed(form: (text: string) => readonly string[]): Check {
  return (value, field) =>
    isEmpty(value) ? [] : form(String(value)).map((why) => invalidValue(field, value, why));
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** A number within bounds. */
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

/** Must not be set. */
export function absent(why: string): Check {
  return (value, field) => (value === undefined || value === null ? [] : [forbidden(field, why)]);
}
