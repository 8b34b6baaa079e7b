/** The runner reconciles a key again after an error. A terminal error ends the retries. */

import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { TerminalError } from '../../operator/controller/errors.ts';
import { OperatorError } from '../../operator/core/errors.ts';
import { ApiError } from '../../operator/model/status.ts';
import { start, things } from './started-runner.ts';

test('[K-2] [Q-24] [H45] a reconcile that throws is retried with growing delays, and the other keys continue', async () => {
  const seen: string[] = [];
  const { clock, collection, lines, run } = start({
    reconcile: async (_object, { key, attempt }) => {
      seen.push(`${key}#${attempt}`);
      if (key === 'demo/bad' && attempt < 3) throw new Error('no');
    },
  });
  collection(things).put('bad');
  collection(things).put('good');
  await run();

  await clock.advanceAndSettle(100);

  expect(seen).toEqual(['demo/bad#0', 'demo/good#0', 'demo/bad#1', 'demo/bad#2', 'demo/bad#3']);
  const failures = lines.filter(({ message }) => message === 'reconcile failed');
  expect(failures.map(({ fields }) => fields.key)).toEqual(['demo/bad', 'demo/bad', 'demo/bad']);
});

/** An error of a layer above, which the controller does not know. */
class PatienceError extends OperatorError {
  readonly retryAfterMs: unknown;

  constructor(retryAfterMs: unknown) {
    super('later', { code: 'USER_CODE', layer: 'user-code' });
    this.retryAfterMs = retryAfterMs;
  }
}

test.each([
  ['the server', new ApiError({ code: 429 }, { retryAfterMs: 7_000 })],
  ['an error of any other layer', new PatienceError(7_000)],
])('[K-2] a retry waits for the retryAfterMs of %s', async (_, error) => {
  let calls = 0;
  const { clock, collection, run } = start({
    reconcile: async () => {
      if (++calls === 1) throw error;
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(6_999);
  const early = calls;
  await clock.advanceAndSettle(1);

  expect(early).toBe(1);
  expect(calls).toBe(2);
});

test.each([
  undefined,
  '7000',
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('an error with the invalid retryAfterMs %s is retried with the usual back-off', async (retryAfterMs) => {
  let calls = 0;
  const { clock, collection, run } = start({
    reconcile: async () => {
      if (++calls === 1) throw new PatienceError(retryAfterMs);
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(1_000);

  expect(calls).toBe(2);
});

test('[K-2] a version conflict is retried without a warning', async () => {
  let calls = 0;
  const { clock, collection, lines, metric, run, total } = start({
    reconcile: async () => {
      if (++calls === 1) throw new ApiError({ code: 409, reason: 'Conflict' });
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(10);

  expect(calls).toBe(2);
  expect(lines.find(({ message }) => message === 'reconcile conflicted')?.level).toBe('debug');
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  expect([total('error'), metric('chancery_reconcile_conflicts_total')]).toEqual([1, 1]);
});

test('[K-2] after a terminal error, a key is not retried, but reconciled again after a change', async () => {
  const attempts: number[] = [];
  const { clock, collection, lines, metric, run, total } = start({
    reconcile: async (object, { attempt }) => {
      attempts.push(attempt);
      if (attempts.length <= 2) throw new Error('first two ordinary failures');
      if (object.value === 1) throw new TerminalError('a spec that makes no sense');
    },
  });
  collection(things).put('a', 1);
  await run();

  await clock.advanceAndSettle(3_600_000);
  const before = [...attempts];
  collection(things).put('a', 2);
  await settle();

  expect(before).toEqual([0, 1, 2]);
  expect(attempts).toEqual([0, 1, 2, 0]);
  expect([total('error'), total('success')]).toEqual([3, 1]);
  expect(metric('controller_runtime_terminal_reconcile_errors_total')).toBe(1);
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    { fields: { key: 'demo/a', err: { name: 'TerminalError', code: 'USER_CODE' } } },
  ]);
});

test.each([
  ['a string', 'no', 'OperatorError', 1],
  ['nothing', undefined, 'OperatorError', 1],
  ['null', null, 'OperatorError', 1],
  ['a TypeError', new TypeError('x is not a function'), 'TypeError', 1],
  ['a ReferenceError', new ReferenceError('x is not defined'), 'ReferenceError', 1],
  ['an Error', new Error('no'), 'Error', 0],
])('[K-4] %s that is thrown is logged as an error and retried', async (_case, thrown, name, panics) => {
  let calls = 0;
  const { clock, collection, lines, metric, run } = start({
    reconcile: async () => {
      if (++calls === 1) throw thrown;
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(10);

  expect(calls).toBe(2);
  expect(metric('controller_runtime_reconcile_panics_total')).toBe(panics);
  const failures = lines.filter(({ message }) => message.startsWith('reconcile failed'));
  expect(failures).toMatchObject([
    { level: panics === 1 ? 'error' : 'warn', fields: { err: { name } } },
  ]);
});

test('[K-4] a reconciler that throws before it returns a promise is retried as well', async () => {
  let calls = 0;
  const { clock, collection, run, total } = start({
    reconcile: () => {
      if (++calls === 1) throw new Error('at once');
      return Promise.resolve();
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(10);

  expect([calls, total('error'), total('success')]).toEqual([2, 1, 1]);
});

test('[K-2] a success resets the count of failed attempts', async () => {
  const attempts: number[] = [];
  const { clock, collection, run } = start({
    reconcile: async (_object, { attempt }) => {
      attempts.push(attempt);
      if (attempts.length !== 3) throw new Error('no');
      return { requeueAfterMs: 1_000 };
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(1_100);

  expect(attempts.slice(0, 5)).toEqual([0, 1, 2, 0, 1]);
});
