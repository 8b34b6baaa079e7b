import type { ChapterResult } from './report.ts';

/** What a run means for its exit code. */
export interface Judgement {
  readonly total: number;
  readonly equal: number;
  /** Different, and nobody knew. */
  readonly unexpected: readonly string[];
  /** Known as different, but equal. */
  readonly stale: readonly string[];
  /** As many as must be are equal. */
  readonly enough: boolean;
  readonly passed: boolean;
}

/**
 * @param known - reasons by recording and exchange.
 * @param thresholdPercent - of the exchanges that must be equal.
 */
export function judge(
  results: readonly ChapterResult[],
  known: Readonly<Record<string, Readonly<Record<number, string>>>>,
  thresholdPercent: number,
): Judgement {
  const all = results.flatMap(({ recording, exchanges }) =>
    exchanges.map(({ id, differences }) => ({
      name: `${recording} ${id}`,
      equal: differences.length === 0,
      known: known[recording]?.[id] !== undefined,
    })),
  );
  const ids = new Set(all.map(({ name }) => name));
  const listed = Object.entries(known).flatMap(([recording, reasons]) =>
    Object.keys(reasons).map((id) => `${recording} ${id}`),
  );
  const equal = all.filter((one) => one.equal).length;
  const unexpected = all.filter((one) => !one.equal && !one.known).map(({ name }) => name);
  const stale = [
    ...all.filter((one) => one.equal && one.known).map(({ name }) => name),
    ...listed.filter((name) => !ids.has(name)),
  ];
  const enough = equal >= (all.length * thresholdPercent) / 100;
  return {
    total: all.length,
    equal,
    unexpected,
    stale,
    enough,
    passed: enough && unexpected.length === 0 && stale.length === 0,
  };
}
