/** A summary of one figure over several rounds. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: number;
}

/** @returns undefined when there are no values. */
export function summarise(values: readonly number[]): Summary | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const lower = sorted[middle - 1] ?? upper;
  return {
    median: sorted.length % 2 === 1 ? upper : (lower + upper) / 2,
    min: quantile(sorted, 0),
    max: quantile(sorted, 1),
    rounds: sorted.length,
  };
}

/** The nearest-rank quantile of values in ascending order, which is always one of them; NaN for none. */
export function quantile(sorted: readonly number[], share: number): number {
  const rank = Math.max(Math.ceil(sorted.length * share), 1);
  return sorted[rank - 1] ?? Number.NaN;
}

/** A geometric mean with its 95 % confidence interval. */
export interface RatioInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
}

const CONFIDENCE = 0.95;

/**
 * The geometric mean of ratios with Student's t interval over their logarithms, so that a ratio and its
 * inverse have the same weight. With one ratio the interval is from 0 to infinity.
 *
 * @param ratios - each above 0.
 * @returns undefined when there are none.
 */
export function ratioInterval(ratios: readonly number[]): RatioInterval | undefined {
  const rounds = ratios.length;
  if (rounds === 0) return undefined;
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / rounds;
  if (rounds === 1) return { mean: Math.exp(mean), low: 0, high: Number.POSITIVE_INFINITY, rounds };
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const standardError = Math.sqrt(squares / (rounds - 1) / rounds);
  const half = studentT(rounds - 1) * standardError;
  return { mean: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half), rounds };
}

/**
 * The value that |t| stays below with a probability of 95 %. Found by bisection, because the probability
 * grows monotonically.
 */
function studentT(freedom: number): number {
  let [low, high] = [0, Math.PI / 2];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (probabilityBelow(middle, freedom) < CONFIDENCE) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan(low);
}

/**
 * The probability that |t| is below √freedom · tan(angle): Abramowitz and Stegun, Handbook of Mathematical
 * Functions, 26.7.3 for odd degrees of freedom and 26.7.4 for even ones.
 */
function probabilityBelow(angle: number, freedom: number): number {
  const odd = freedom % 2 === 1;
  const cosine = Math.cos(angle);
  let term = odd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let factor = odd ? 3 : 2; factor <= freedom - 2; factor += 2) {
    term *= ((factor - 1) / factor) * cosine ** 2;
    sum += term;
  }
  const product = Math.sin(angle) * sum;
  return odd ? (2 / Math.PI) * (angle + product) : product;
}
