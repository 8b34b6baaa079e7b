import { expect, test } from 'vitest';
import { sumOf, testCounts } from './counts.ts';

const report = (passed: number, failed: number, pending = 0): string =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: pending,
    numTodoTests: 0,
  });

test('what passed, failed and was skipped is counted', () => {
  expect(testCounts(report(7, 0, 2), 0)).toEqual({ passed: 7, failed: 0, skipped: 2 });
  expect(testCounts(report(7, 2), 1)).toMatchObject({ passed: 7, failed: 2 });
});

test('a run that failed without a failed test counts as one failure', () => {
  expect(testCounts(report(7, 0), 1)).toMatchObject({
    failed: 1,
    why: 'it ended with exit code 1',
  });
});

test('a run without a report, or without a test, counts as one failure', () => {
  expect(testCounts(undefined, 0)).toMatchObject({ failed: 1, why: 'it wrote no report' });
  expect(testCounts(report(0, 0, 3), 0)).toMatchObject({ failed: 1, why: 'it ran no test' });
});

test('counts add up', () => {
  const all = [
    { passed: 1, failed: 0, skipped: 2 },
    { passed: 3, failed: 1, skipped: 0 },
  ];

  expect(sumOf(all)).toEqual({ passed: 4, failed: 1, skipped: 2 });
});
