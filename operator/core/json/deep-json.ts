import { OperatorError } from '../errors.ts';

/** The second argument of JSON.stringify: returns the value to write instead of `value`. */
export type Replacer = (key: string, value: unknown) => unknown;

/** An object or array that is not closed yet. */
interface Open {
  /** The object or array as it was before the call of the replacer. */
  readonly source: unknown;
  /** The names of the members; undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly parts: Readonly<Record<string | number, unknown>>;
  readonly length: number;
  next: number;
  /** True once a member or item has been written. */
  begun: boolean;
}

/** Depth at which the writer first checks for a cycle. It checks again at twice that depth, and so on. */
const FIRST_LOOK_AT = 1_024;

/**
 * `JSON.isRawJSON` is part of ES2025 and of every supported Node. TypeScript's library does not declare it
 * yet.
 */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): boolean };

/**
 * `JSON.stringify(value, replace)` without recursion. JSON.stringify of Node 24 fails for a value with 5,000
 * levels, but an API server accepts 10,000 (Go, encoding/json/scanner.go, maxNestingDepth). Supports plain
 * data and objects with `toJSON`.
 *
 * @throws OperatorError `USER_CODE` for a value that contains itself.
 * @throws TypeError for a bigint that `replace` does not replace.
 */
export function deepJson(value: unknown, replace: Replacer): string {
  const open: Open[] = [];
  let lookAt = FIRST_LOOK_AT;
  /**
   * Begins an object or array and returns its opening bracket. For any other value, returns its JSON.
   * Undefined for values that JSON omits.
   */
  const begin = (key: string, source: unknown): string | undefined => {
    const part = replace(key, plainOf(source, key));
    if (typeof part !== 'object' || part === null || isRawJSON(part)) return JSON.stringify(part);
    const keys = Array.isArray(part) ? undefined : Object.keys(part);
    const length = keys?.length ?? (part as readonly unknown[]).length;
    const parts = part as Open['parts'];
    open.push({ source, keys, parts, length, next: 0, begun: false });
    if (open.length === lookAt) {
      if (new Set(open.map((level) => level.source)).size < lookAt) throw containsItself();
      lookAt *= 2;
    }
    return keys === undefined ? '[' : '{';
  };

  let text = begin('', value) ?? 'null';
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { keys, parts, length } = level;
    if (level.next === length) {
      text += keys === undefined ? ']' : '}';
      open.pop();
      continue;
    }
    const at = level.next++;
    const comma = level.begun ? ',' : '';
    const key = keys?.[at] ?? String(at);
    const begun = begin(key, keys === undefined ? parts[at] : parts[key]);
    if (keys === undefined) text += `${comma}${begun ?? 'null'}`;
    else if (begun !== undefined) text += `${comma}${JSON.stringify(key)}:${begun}`;
    level.begun ||= keys === undefined || begun !== undefined;
  }
  return text;
}

function plainOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  return typeof value.toJSON === 'function' ? value.toJSON(key) : value;
}

function containsItself(): OperatorError {
  return new OperatorError('a value that is to be JSON contains itself', {
    code: 'USER_CODE',
    layer: 'user-code',
  });
}

/**
 * A deep copy of `value`. It is made by structuredClone if possible. In Node 24, structuredClone fails for a
 * value with 2,000 levels. Such a value is copied in another way, which supports only objects, arrays and
 * scalars.
 */
export function deepCopy<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch (error) {
    // structuredClone throws a RangeError only if the value is nested too deeply for the call stack.
    if (error instanceof RangeError) return copyOfJson(value) as T;
    throw error;
  }
}

/** Copies each object once, so that a value that contains itself can be copied. */
function copyOfJson(value: unknown): unknown {
  const copies = new Map<object, object>();
  const waiting: object[] = [];
  const copyOf = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    const known = copies.get(part);
    if (known !== undefined) return known;
    const copy: object = Array.isArray(part) ? [] : {};
    copies.set(part, copy);
    waiting.push(part);
    return copy;
  };
  const whole = copyOf(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const copy = copies.get(next) ?? {};
    for (const [key, part] of Object.entries(next)) {
      // The member is defined and not assigned, because it may have the name `__proto__`.
      const descriptor = {
        value: copyOf(part),
        writable: true,
        enumerable: true,
        configurable: true,
      };
      Object.defineProperty(copy, key, descriptor);
    }
  }
  return whole;
}
