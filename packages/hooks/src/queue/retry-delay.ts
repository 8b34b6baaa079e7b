const FIRST_MS = 5_000;
const CEILING_MS = 32_000;
const TENTH_MS = 100;

/**
 * Milliseconds until a task is retried. After the first failure, the delay is 5 s. After the n-th
 * further failure, it is `5 + 2^(n-1)` s plus a random time below 1 s, rounded down to tenths of a
 * second. The maximum is 32 s. The numbers are the same as in shell-operator.
 *
 * @param failures - number of failures of the task so far, at least 1.
 * @param random - uniform in [0, 1).
 */
export function retryDelayMs(failures: number, random: () => number): number {
  if (failures <= 1) return FIRST_MS;
  const delayMs = FIRST_MS + 2 ** (failures - 2) * 1_000 + random() * 1_000;
  return Math.min(Math.floor(delayMs / TENTH_MS) * TENTH_MS, CEILING_MS);
}
