import { deepJson } from '../core/deep-json.ts';
import { ConfigurationError } from '../core/errors.ts';

/** Of ES2025, and in every Node that we run on; TypeScript's library does not know them yet. */
const { rawJSON, parse } = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
};

/** As many digits as the smallest integer that a double cannot hold has. */
const MAY_HOLD_LARGE = /\d{16}/;

/** No integer of the Kubernetes API is larger: what is, is a fraction that looks whole. */
const MAX_UINT64 = 2 ** 64;

/**
 * `JSON.parse`, but integers that a `number` cannot hold become a `bigint`. Texts without a run of
 * sixteen digits, almost all, cost one look more.
 */
export function parseExact(text: string): unknown {
  if (!MAY_HOLD_LARGE.test(text)) return JSON.parse(text);
  return parse(text, (_key, value, { source = '' }) => {
    const isLarge = typeof value === 'number' && !Number.isSafeInteger(value);
    return isLarge && /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}

/**
 * JSON text of `value`, in which a `bigint` is the integer that it stands for, however deeply it is
 * nested.
 *
 * @throws ConfigurationError `CONFIG` for a number that JSON or a double cannot hold, so that nobody
 *   writes back a rounded integer: one beyond ±2^53, NaN and the infinities.
 */
export function encodeExact(value: unknown): string {
  try {
    return JSON.stringify(value, exactly);
  } catch (error) {
    // The one thing of which it throws this: the value is nested more deeply than the call stack.
    if (error instanceof RangeError) return deepJson(value, exactly);
    throw error;
  }
}

function exactly(key: string, member: unknown): unknown {
  if (typeof member === 'bigint') return rawJSON(String(member));
  if (typeof member === 'number' && !isExact(member)) {
    throw new ConfigurationError('a number cannot be written without loss: make it a bigint', {
      context: { field: key, got: member },
    });
  }
  return member;
}

function isExact(value: number): boolean {
  if (!Number.isInteger(value)) return Number.isFinite(value);
  return Number.isSafeInteger(value) || Math.abs(value) > MAX_UINT64;
}
