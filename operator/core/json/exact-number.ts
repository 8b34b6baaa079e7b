/** No integer of the Kubernetes API is larger. A larger number is a fraction that looks whole. */
const MAX_UINT64 = 2 ** 64;

/** True for a number of JSON that has not lost digits as a `number`. Other integers are bigints. */
export function isExactNumber(value: number): boolean {
  if (!Number.isInteger(value)) return Number.isFinite(value);
  return Number.isSafeInteger(value) || Math.abs(value) > MAX_UINT64;
}
