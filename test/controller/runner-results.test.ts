/**
 * The result of a reconciler decides when its key is reconciled again. The runner counts each
 * result.
 */
import { expect, test } from 'vitest';
import type { Outcome, Reconciler } from '../../operator/controller/reconciler.ts';
import type { Thing } from '../support/fake-collection.ts';
import { start, things } from './started-runner.ts';

test('[K-2] a key is reconciled again after the requeueAfterMs that the reconciler returned', async () => {
  const results: Outcome[] = [{ requeueAfterMs: 60_000 }, undefined];
  let calls = 0;
  const { clock, collection, run } = start({
    reconcile: async () => results[calls++] ?? undefined,
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(59_999);
  const early = calls;
  await clock.advanceAndSettle(600_000);

  expect(early).toBe(1);
  expect(calls).toBe(2);
});

test('[K-2] a requeueAfterMs that is not a number is a failure of the reconciler', async () => {
  let calls = 0;
  const { clock, collection, lines, run } = start({
    reconcile: async () => (++calls === 1 ? { requeueAfterMs: Number.NaN } : undefined),
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(100);

  expect(calls).toBe(2);
  expect(
    lines.find(({ message }) => message === 'reconcile failed because of a bug')?.fields.err,
  ).toMatchObject({ code: 'USER_CODE', context: { returned: 'requeueAfterMs: NaN' } });
});

test('[K-2] reconciles are counted per result, and the counter of every result starts at zero', async () => {
  const { clock, collection, metric, run, seconds, total } = start({
    reconcile: async (_object, { key, attempt }) => {
      if (key === 'demo/fails' && attempt === 0) throw new Error('once');
      return key === 'demo/polls' ? { requeueAfterMs: 1_000_000 } : undefined;
    },
  });
  for (const name of ['works', 'fails', 'polls']) collection(things).put(name);
  await run();

  await clock.advanceAndSettle(100);

  expect(['success', 'requeue_after', 'error', 'requeue'].map(total)).toEqual([2, 1, 1, 0]);
  expect(metric('controller_runtime_reconcile_errors_total')).toBe(1);
  expect(metric('controller_runtime_max_concurrent_reconciles')).toBe(1);
  expect(metric('controller_runtime_active_workers')).toBe(0);
  expect(seconds('controller_runtime_reconcile_time_seconds')).toHaveLength(4);
  expect(metric('workqueue_adds_total')).toBe(4);
});

test('[K-2] a reconciler that returns nothing has succeeded', async () => {
  const { clock, collection, lines, run, total } = start({
    reconcile: (async () => {}) as unknown as Reconciler<Thing>,
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(10_000);

  expect([total('success'), total('error')]).toEqual([1, 0]);
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('[Q-20] a priority that is not a whole number is a failure of the reconciler', async () => {
  let calls = 0;
  const { clock, collection, run, total } = start({
    reconcile: async () =>
      ++calls === 1 ? { requeueAfterMs: 10, priority: 0.5 } : { requeueAfterMs: 1_000_000 },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(100);

  expect([calls, total('error'), total('requeue_after')]).toEqual([2, 1, 1]);
});
