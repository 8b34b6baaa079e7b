import { relative } from 'node:path';
import process from 'node:process';
import type { Report } from './vitest-report.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, in words. */
  readonly why?: string;
  /** A line for each failed test or file: its file, its name, and the first line of its message. */
  readonly failures?: readonly string[];
}

interface CountedReport extends Report {
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
  const read = JSON.parse(report) as CountedReport;
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = read;
  const counts = { passed: numPassedTests, skipped: numPendingTests + numTodoTests };
  const failures = failuresOf(read);
  if (numFailedTests > 0) {
    return { ...counts, failed: numFailedTests, why: `${numFailedTests} tests failed`, failures };
  }
  if (exitCode !== 0) {
    const outside = failures.length > 0 ? '' : ': an error outside of the tests, see "Unhandled"';
    return { ...counts, failed: 1, why: `it ended with exit code ${exitCode}${outside}`, failures };
  }
  if (numPassedTests === 0) return { ...counts, failed: 1, why: 'it ran no test' };
  return { ...counts, failed: 0 };
}

function failuresOf(report: Report): string[] {
  return report.testResults.flatMap((file) => [
    ...(file.status === 'failed' && file.message ? [oneLine(file.name, '', file.message)] : []),
    ...file.assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => oneLine(file.name, ` > ${test.fullName}`, test.failureMessages?.[0] ?? '')),
  ]);
}

/** At most 500 characters, so that a long list of failures can still be read. */
function oneLine(file: string, test: string, message: string): string {
  const first = message.split('\n', 1)[0] ?? '';
  return `${relative(process.cwd(), file)}${test}: ${first}`.slice(0, 500);
}

export function sumOf(all: readonly Counts[]): Counts {
  const sum = (field: 'passed' | 'failed' | 'skipped'): number =>
    all.reduce((total, counts) => total + counts[field], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}
