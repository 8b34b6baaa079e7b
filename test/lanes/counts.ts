export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, in words. */
  readonly why?: string;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

/**
 * What a run of vitest came to. A run that wrote no report, or that failed without a failed test (a file
 * that did not load), counts as one failure.
 *
 * @param report - the text of its JSON report; undefined when it wrote none.
 */
export function testCounts(report: string | undefined, exitCode: number): Counts {
  if (report === undefined) {
    return { passed: 0, failed: 1, skipped: 0, why: 'it wrote no report' };
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
    report,
  ) as Report;
  const counts = { passed: numPassedTests, skipped: numPendingTests + numTodoTests };
  if (numFailedTests > 0) {
    return { ...counts, failed: numFailedTests, why: `${numFailedTests} tests failed` };
  }
  if (exitCode !== 0) return { ...counts, failed: 1, why: `it ended with exit code ${exitCode}` };
  if (numPassedTests === 0) return { ...counts, failed: 1, why: 'it ran no test' };
  return { ...counts, failed: 0 };
}

export function sumOf(all: readonly Counts[]): Counts {
  const sum = (field: 'passed' | 'failed' | 'skipped'): number =>
    all.reduce((total, counts) => total + counts[field], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}
