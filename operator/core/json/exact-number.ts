/** No integer of the Kubernetes API is larger. A larger number is a fraction that looks whole. */
const MAX_UINT64 = 2 ** 64;

/** True if `value` still has all the digits that it had as JSON. Integers that do not are bigints instead. */
export function isExactNumber(value: number): boolean {
  if (!Number.isInteger(value)) return Number.isFinite(value);
  return Number.isSafeInteger(value) || Math.abs(value) > MAX_UINT64;
}
