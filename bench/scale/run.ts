import { performance } from 'node:perf_hooks';
import type { Case } from './cases.ts';
import type { Code } from './pair.ts';
import { Results } from './results.ts';

export interface RunOptions {
  readonly cases: readonly Case[];
  readonly code: Code;
  readonly quick: boolean;
  readonly rounds: number;
  readonly budgetMs: number;
  readonly progress: (line: string) => void;
}

export interface Ran {
  readonly results: Results;
  readonly failures: readonly string[];
  /** Cases without any figure, for the time was over. */
  readonly leftOut: readonly string[];
}

/**
 * Runs each case once, and then, while there is time, in further rounds, every other one backwards. A
 * run that fails does not end the others.
 */
export async function runCases(options: RunOptions): Promise<Ran> {
  const { cases, code, quick, rounds, budgetMs, progress } = options;
  const results = new Results();
  const failures: string[] = [];
  const leftOut: string[] = [];
  const tookMs = new Map<Case, number>();
  const endsAt = performance.now() + budgetMs;
  const deadline = AbortSignal.timeout(budgetMs);
  for (let round = 1; round <= rounds; round++) {
    for (const one of round % 2 === 1 ? cases : cases.toReversed()) {
      const { run, scenario, title } = one;
      const tooLate = `${scenario}, ${title}: the time was over`;
      const startedAt = performance.now();
      if (deadline.aborted || startedAt + (tookMs.get(one) ?? 0) > endsAt) {
        if (round === 1) leftOut.push(tooLate);
        continue;
      }
      try {
        results.add(one, await run(code, deadline, quick));
        tookMs.set(one, performance.now() - startedAt);
        const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
        progress(`round ${round}: ${scenario}, ${title}: ${seconds} s`);
      } catch (error) {
        if (deadline.aborted) {
          if (round === 1) leftOut.push(tooLate);
          continue;
        }
        const why = error instanceof Error ? error.message : String(error);
        failures.push(`${scenario}, ${title}: ${why}`);
        progress(`round ${round}: failed: ${failures.at(-1)}`);
      }
    }
  }
  return { results, failures, leftOut };
}
