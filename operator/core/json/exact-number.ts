/**
 * The largest integer in the Kubernetes API. A larger number counts as a fraction, although a double of this
 * size has no fractional digits.
 */
const MAX_UINT64 = 2 ** 64;

/**
 * True if `value` kept all the digits that it had in the JSON text. An integer that would lose digits as a
 * `number` is parsed as a bigint instead.
 */
export function isExactNumber(value: number): boolean {
  if (!Number.isInteger(value)) return Number.isFinite(value);
  return Number.isSafeInteger(value) || Math.abs(value) > MAX_UINT64;
}
