/**
 * The runner reconciles every object at the start, after each change and at each resync. It runs as
 * many reconciles at once as it has workers.
 */

import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import { sleep } from '../../operator/core/clock.ts';
import { yieldToEventLoop } from '../../operator/core/time-slice.ts';
import { objectKey } from '../../operator/model/object.ts';
import { others, start, things } from './started-runner.ts';

test('[K-1] every object is reconciled once at startup, and again after each change', async () => {
  const seen: string[] = [];
  const { collection, run } = start({
    reconcile: async (object, { key }) => {
      seen.push(`${key}=${object.value}`);
    },
    gone: (key) => {
      seen.push(`${key} is gone`);
    },
  });
  collection(things).put('a', 1);
  collection(things).put('b', 2);

  await run();
  collection(things).put('a', 3);
  await settle();
  collection(things).remove('b');
  await settle();

  expect(seen).toEqual(['demo/a=1', 'demo/b=2', 'demo/a=3', 'demo/b is gone']);
});

test('[K-3] [H46] 500 updates during one reconcile lead to one more reconcile, with the newest state', async () => {
  const seen: (number | undefined)[] = [];
  let running = 0;
  let release = (): void => {};
  const { collection, run } = start({
    workers: 4,
    reconcile: async (object) => {
      expect(++running).toBe(1);
      seen.push(object.value);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      running--;
    },
  });
  collection(things).put('a', 0);
  await run();

  for (let value = 1; value <= 500; value++) collection(things).put('a', value);
  await settle();
  release();
  await settle();
  release();
  await settle();

  expect(seen).toEqual([0, 500]);
});

test('[K-1] a reconciler gets the priority and the attempt of its key, and a new reconcile id', async () => {
  const seen: [string, number, number][] = [];
  const { clock, collection, lines, run } = start({
    reconcile: async (_object, { key, attempt, log, priority }) => {
      seen.push([key, priority, attempt]);
      log.info({}, 'seen');
      if (seen.length === 2) throw new Error('once');
    },
  });
  collection(things).put('a');
  await run();

  collection(things).put('a', 1);
  await clock.advanceAndSettle(10);

  expect(seen).toEqual([
    ['demo/a', -100, 0],
    ['demo/a', 0, 0],
    ['demo/a', 0, 1],
  ]);
  const ids = lines.filter(({ message }) => message === 'seen').map(({ fields }) => fields);
  expect(new Set(ids.map(({ reconcileId }) => reconcileId)).size).toBe(3);
  expect(ids[0]).toMatchObject({ controller: 'test', key: 'demo/a' });
});

test('[K-3] maxConcurrentReconciles limits how many keys are reconciled concurrently', async () => {
  let running = 0;
  let most = 0;
  const { clock, collection, metric, run } = start({
    workers: 3,
    reconcile: async (_object, { clock, signal }) => {
      most = Math.max(most, ++running);
      await sleep(clock, 100, signal);
      running--;
    },
  });
  for (let index = 0; index < 10; index++) collection(things).put(`${index}`);
  await run();
  const active = metric('controller_runtime_active_workers');

  await clock.advanceAndSettle(1_000);

  expect([most, active, running]).toEqual([3, 3, 0]);
  expect(metric('controller_runtime_max_concurrent_reconciles')).toBe(3);
});

test('[L-15] between reconciles that never await, the event loop runs every 10 ms', async () => {
  const reconciledBefore: number[] = [];
  let reconciled = 0;
  const { clock, collection, run } = start({
    workers: 4,
    reconcile: async () => {
      reconciled++;
      clock.advance(1);
    },
  });
  for (let index = 0; index < 100; index++) collection(things).put(`${index}`);

  await run();
  while (reconciled < 100) {
    reconciledBefore.push(reconciled);
    await yieldToEventLoop();
  }

  const inOneTurn = reconciledBefore.map(
    (count, turn) => count - (reconciledBefore[turn - 1] ?? 0),
  );
  expect(Math.max(...inOneTurn.slice(1))).toBeLessThanOrEqual(14); // 10, and one more of each worker
  expect(reconciledBefore.length).toBeGreaterThan(4);
});

test('[Q-20] [C-20] a resync reconciles every object again, with a lower priority than changes', async () => {
  const seen: [string, number][] = [];
  const { clock, collection, run } = start({
    resyncPeriodMs: 10_000,
    reconcile: async (_object, { key, priority }) => {
      seen.push([key, priority]);
    },
  });
  await run();
  collection(things).put('a');
  collection(things).put('b');
  await settle();

  await clock.advanceAndSettle(19_999);

  expect(seen).toEqual([
    ['demo/a', 0],
    ['demo/b', 0],
    ['demo/a', -100],
    ['demo/b', -100],
  ]);
});

test.each([
  ['every 10 hours by default', {}, 2],
  ['never if the period is 0', { resyncPeriodMs: 0 }, 1],
])('[C-20] a controller resyncs %s', async (_case, settings, calls) => {
  let reconciles = 0;
  const { clock, collection, run } = start({
    ...settings,
    reconcile: async () => {
      reconciles++;
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(0);
  const early = reconciles;
  clock.advance(10 * 3_600_000);
  await settle();

  expect([early, reconciles]).toEqual([1, calls]);
});

test('a controller is not idle while a mapping runs', async () => {
  const mapping = Promise.withResolvers<void>();
  const reconciling = Promise.withResolvers<void>();
  const { collection, run, runner } = start({
    watches: [
      enqueueMapped(others, async () => {
        await mapping.promise;
        return [objectKey('demo', 'a')];
      }),
    ],
    reconcile: () => {},
    gone: async () => {
      await reconciling.promise;
      return { requeueAfterMs: 60_000 };
    },
  });
  collection(others).put('b');
  const idle = [runner.idle];

  await run();
  idle.push(runner.idle);
  mapping.resolve();
  await settle();
  idle.push(runner.idle);
  reconciling.resolve();
  await settle();

  expect(idle).toEqual([false, false, false]);
  expect(runner.idle).toBe(true);
});
