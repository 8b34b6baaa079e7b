/** The runner aborts reconciles that take too long, and its stop waits for those under way. */

import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { start, things } from './started-runner.ts';

test('[K-5] a reconcile that takes too long is aborted, and its key waits until it has returned', async () => {
  let calls = 0;
  let aborted = false;
  let release = (): void => {};
  const { clock, collection, lines, metric, run } = start({
    reconcileTimeoutMs: 1_000,
    reconcile: async (_object, { signal }) => {
      calls++;
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(1_000);
  collection(things).put('a', 1);
  await clock.advanceAndSettle(60_000);
  const beside = calls;
  const overdue = lines.filter(({ message }) => message.startsWith('reconcile takes too long'));
  const longestSeconds = metric('workqueue_longest_running_processor_seconds');
  release();
  await settle();
  release();

  expect(aborted).toBe(true);
  expect(beside).toBe(1);
  expect(calls).toBe(2);
  expect(metric('controller_runtime_reconcile_timeouts_total')).toBe(1);
  expect(overdue.map(({ fields }) => fields.runningMs).slice(0, 3)).toEqual([1_000, 2_000, 3_000]);
  expect(longestSeconds).toBe(61);
});

test('[D-1] after stop(), no more keys are taken, and stop() resolves when the current reconcile has ended', async () => {
  const seen: string[] = [];
  let release = (): void => {};
  const { collection, run, running, stop } = start({
    reconcile: async (_object, { key, signal }) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      seen.push(`${key} ${signal.aborted ? 'aborted' : 'finished'}`);
    },
  });
  collection(things).put('a');
  collection(things).put('b');
  await run();

  stop();
  release();
  await running();

  expect(seen).toEqual(['demo/a finished']);
});

test('[K-2] a reconcile that is aborted because the process ends is not an error, and is not retried', async () => {
  let calls = 0;
  const { clock, collection, hardStop, lines, run, running, stop, total } = start({
    reconcile: async (_object, { signal }) => {
      calls++;
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  collection(things).put('a');
  await run();

  stop();
  hardStop();
  await running();
  await clock.advanceAndSettle(10_000);

  expect([calls, total('error'), total('success')]).toEqual([1, 0, 0]);
  expect(lines.filter(({ message }) => message.startsWith('reconcile'))).toEqual([]);
});

test('[K-7] a runner is reported as stuck while a reconcile runs longer than maxReconcileAgeMs', async () => {
  let release = (): void => {};
  const { clock, collection, run, runner } = start({
    maxReconcileAgeMs: 60_000,
    reconcile: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(60_000);
  const before = runner.stuck;
  await clock.advanceAndSettle(1);
  const during = runner.stuck;
  release();
  await settle();

  expect([before, during, runner.stuck]).toEqual([false, true, false]);
});

test('[K-7] by default, a runner is never reported as stuck, however long a reconcile runs', async () => {
  let release = (): void => {};
  const { clock, collection, run, runner } = start({
    reconcileTimeoutMs: Number.POSITIVE_INFINITY,
    reconcile: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(100_000);

  expect(runner.stuck).toBe(false);
  release();
});
