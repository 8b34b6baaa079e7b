/** What is said of the figures of several rounds. */
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
