import { performance } from 'node:perf_hooks';
import type { Figures } from './figures.ts';
import { nameOf, type PlannedRun } from './plan.ts';
import { Results } from './results.ts';

export interface MeasureOptions {
  /** Makes one run; ends it when the signal aborts. */
  readonly make: (planned: PlannedRun, deadline: AbortSignal) => Promise<Figures>;
  /** The time limit of all runs together: runs that do not fit are left out. */
  readonly time: MeasureTime;
  /** Called after each run. */
  readonly progress: (line: string) => void;
}

/** The remaining time for the runs. */
export interface MeasureTime {
  readonly leftMs: () => number;
  /** Aborts when no time remains. */
  readonly deadline: AbortSignal;
}

/** A time limit that starts now; undefined means no limit. */
export function timeFor(ms: number | undefined): MeasureTime {
  if (ms === undefined) {
    return { leftMs: () => Number.POSITIVE_INFINITY, deadline: new AbortController().signal };
  }
  const endsAt = performance.now() + ms;
  return { leftMs: () => endsAt - performance.now(), deadline: AbortSignal.timeout(ms) };
}

export interface Measured {
  readonly results: Results;
  /** A line for each run that failed. */
  readonly failures: readonly string[];
  /** The runs for which no time remained. */
  readonly leftOut: readonly PlannedRun[];
}

/** Makes all runs. A failed run does not end the others: its figures are missing, and `failures` says so. */
export async function measureAll(
  runs: readonly PlannedRun[],
  { make, time: { leftMs, deadline }, progress }: MeasureOptions,
): Promise<Measured> {
  const results = new Results();
  const failures: string[] = [];
  const leftOut: PlannedRun[] = [];
  const longestMs = new Map<string, number>();
  const startedAt = performance.now();
  for (const [index, planned] of runs.entries()) {
    const { round, workName, subjectName, build } = planned;
    const sameRun = nameOf(planned);
    const longest = longestMs.get(sameRun) ?? 0;
    const beganAt = performance.now();
    if (deadline.aborted || leftMs() < longest) {
      leftOut.push(planned);
      continue;
    }
    const name = `${index + 1} of ${runs.length}: round ${round}, ${sameRun}`;
    try {
      results.add(round, workName, subjectName, await make(planned, deadline), build);
      const ms = performance.now() - beganAt;
      longestMs.set(sameRun, Math.max(longest, ms));
      progress(`${name}: ${seconds(ms)}, ${seconds(performance.now() - startedAt)} in all`);
    } catch (error) {
      if (deadline.aborted) {
        leftOut.push(planned);
        continue;
      }
      const why = error instanceof Error ? error.message : String(error);
      failures.push(`round ${round}, ${sameRun}: ${why}`);
      progress(`${name}: failed: ${why}`);
    }
  }
  return { results, failures, leftOut };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
