import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { sumOf, testCounts } from './counts.ts';

const report = (passed: number, failed: number, pending = 0): string =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: pending,
    numTodoTests: 0,
    testResults: [],
  });

test('the numbers of passed, failed and skipped tests are counted', () => {
  expect(testCounts(report(7, 0, 2), 0)).toEqual({ passed: 7, failed: 0, skipped: 2 });
  expect(testCounts(report(7, 2), 1)).toMatchObject({ passed: 7, failed: 2 });
});

test('each failure is reported with its file, its name and the first line of its message', () => {
  const test = (fullName: string, status: string, ...failureMessages: string[]): object => ({
    fullName,
    status,
    failureMessages,
  });
  const files = [
    {
      name: resolve('test/queue/a.test.ts'),
      status: 'failed',
      message: '',
      assertionResults: [
        test('adds up', 'passed'),
        test('group subtracts', 'failed', `Error: 1 is not 2\n  at ${'x'.repeat(600)}`),
      ],
    },
    {
      name: resolve('test/b.test.ts'),
      status: 'failed',
      message: `SyntaxError: ${'y'.repeat(600)}`,
      assertionResults: [],
    },
  ];
  const { failures } = testCounts(
    JSON.stringify({ ...JSON.parse(report(1, 1)), testResults: files }),
    1,
  );

  expect(failures?.[0]).toBe('test/queue/a.test.ts > group subtracts: Error: 1 is not 2');
  expect(failures?.[1]).toMatch(/^test\/b\.test\.ts: SyntaxError: y+$/);
  expect(failures?.[1]).toHaveLength(500);
  expect(failures).toHaveLength(2);
});

test('a run that failed without a failed test counts as one failure', () => {
  expect(testCounts(report(7, 0), 1)).toMatchObject({
    failed: 1,
    why: 'it ended with exit code 1: an error outside of the tests, see "Unhandled"',
  });
});

test('a run without a report or without a test counts as one failure', () => {
  expect(testCounts(undefined, 0)).toMatchObject({ failed: 1, why: 'it wrote no report' });
  expect(testCounts(report(0, 0, 3), 0)).toMatchObject({ failed: 1, why: 'it ran no test' });
});

test('sumOf adds the counts of several runs', () => {
  const all = [
    { passed: 1, failed: 0, skipped: 2 },
    { passed: 3, failed: 1, skipped: 0 },
  ];

  expect(sumOf(all)).toEqual({ passed: 4, failed: 1, skipped: 2 });
});
