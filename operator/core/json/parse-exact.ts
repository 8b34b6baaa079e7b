/**
 * The argument through which a reviver gets the JSON text of a value. It is part of ES2025 and of every
 * supported Node; TypeScript's library does not declare it yet.
 */
const { parse } = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
};

/** Number of digits of the smallest integer that a double cannot represent. */
const MAY_HOLD_LARGE = /\d{16}/;

/**
 * Like `JSON.parse`, but integers that a `number` cannot represent exactly become `bigint`. Almost all texts
 * have no sixteen consecutive digits, and for these texts the only additional cost is one search.
 */
export function parseExact(text: string): unknown {
  if (!MAY_HOLD_LARGE.test(text)) return JSON.parse(text);
  return parse(text, (_key, value, { source = '' }) => {
    const isLarge = typeof value === 'number' && !Number.isSafeInteger(value);
    return isLarge && /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}
