import { isExactNumber } from '../../core/json/exact-number.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';

/** Thrown for a value that is not JSON. The message contains no data of the value. */
export class NotJsonError extends TypeError {
  override readonly name = 'NotJsonError';
}

/**
 * Maximum depth of nesting. An API server accepts at most 10,000 levels, and no schema describes 1,000
 * levels.
 */
const MAX_DEPTH = 1_000;

/**
 * A copy of `value` without undefined members, which JSON omits. It shares nothing with `value`, and keeps
 * integers that are `bigint`.
 *
 * @throws NotJsonError when the value is not JSON, or is nested deeper than 1,000.
 */
export function jsonCopy(value: unknown, depth: number = 0): unknown {
  if (depth > MAX_DEPTH)
    throw new NotJsonError(`is nested deeper than ${MAX_DEPTH}, or has itself`);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && isExactNumber(value)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => jsonCopy(item, depth + 1));
  if (!isMapping(value) || !isPlain(value)) throw new NotJsonError(`has ${kindOf(value)}`);
  // The copy is made from entries, because an assignment would not work for a member with the name
  // `__proto__`.
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [[name, jsonCopy(member, depth + 1)]],
    ),
  );
}

function isPlain(value: Mapping): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') {
    return Number.isFinite(value)
      ? 'an integer beyond 2^53 that has lost digits: make it a bigint'
      : 'a number that JSON does not have';
  }
  return typeof value === 'object'
    ? 'an object that is no plain data'
    : `a value of ${typeof value}`;
}
