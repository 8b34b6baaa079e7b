/** What a controller does with the key of an object that does not exist. */

import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Outcome } from '../../operator/controller/reconciler.ts';
import { channel } from '../../operator/controller/trigger.ts';
import { objectKey } from '../../operator/model/object.ts';
import { ControllerBench, others, recordKeys, things } from '../support/controller-bench.ts';

test('[K-1] for a deleted object, the function `gone` is called, and not the reconciler', async () => {
  const { keys, reconcile } = recordKeys();
  const told: unknown[] = [];
  const bench = new ControllerBench({
    reconcile,
    gone(key, context) {
      told.push([key, context.key, context.store(things).get(key), context.attempt]);
    },
  });
  bench.collection().put('a');
  await bench.run();

  bench.collection().remove('a');
  await settle();

  expect(keys).toEqual(['demo/a']);
  expect(told).toEqual([['demo/a', 'demo/a', undefined, 0]]);
});

test('[K-1] if an object is created again, the reconciler is called again', async () => {
  const { keys, reconcile } = recordKeys();
  const bench = new ControllerBench({
    reconcile,
    gone: (key) => void keys.push(`${key} gone` as never),
  });
  bench.collection().put('a');
  await bench.run();

  bench.collection().remove('a');
  await settle();
  bench.collection().put('a');
  await settle();

  expect(keys).toEqual(['demo/a', 'demo/a gone', 'demo/a']);
});

test('[K-1] without a function `gone`, nothing is done for the key of a missing object', async () => {
  const { keys, reconcile } = recordKeys();
  const hook = channel();
  const bench = new ControllerBench({ reconcile, triggers: [hook] });
  await bench.run();

  hook.send([objectKey('demo', 'never-was')]);
  await bench.clock.advanceAndSettle(60_000);

  expect(keys).toEqual([]);
  expect(bench.runner.activity).toMatchObject({ busy: 0, delayed: 0, failing: 0 });
  expect(bench.lines.filter(({ level }) => level !== 'debug' && level !== 'info')).toEqual([]);
});

test('[K-2] `gone` is retried if it throws, and called again if it returns requeueAfterMs', async () => {
  const answers: (() => Outcome)[] = [
    () => {
      throw new Error('not yet');
    },
    () => ({ requeueAfterMs: 5_000 }),
    () => {},
  ];
  const calledAt: [number, number][] = [];
  const bench = new ControllerBench({
    reconcile: () => {},
    gone: async (_key, { attempt, clock }) => {
      calledAt.push([Math.floor(clock.monotonic()) - 1_000_000, attempt]);
      return answers.shift()?.();
    },
  });
  bench.collection().put('a');
  await bench.run();

  bench.collection().remove('a');
  await bench.clock.advanceAndSettle(60_000);

  expect(calledAt).toEqual([
    [0, 0],
    [5, 1],
    [5_005, 0],
  ]);
  expect(bench.lines.filter(({ message }) => message === 'gone failed')).toHaveLength(1);
});

test('[K-4] the return value of `gone` is checked in the same way as that of a reconciler', async () => {
  const bench = new ControllerBench({
    reconcile: () => {},
    gone: (() => true) as never,
  });
  bench.collection().put('a');
  await bench.run();

  bench.collection().remove('a');
  await settle();

  const errors = bench.lines.filter(({ level }) => level === 'error');
  expect(errors.map(({ fields }) => String(fields.err))).toEqual([
    expect.stringContaining('gone returned a boolean'),
  ]);
});

test('[K-5] the signal for `gone` aborts after reconcileTimeoutMs', async () => {
  const reasons: unknown[] = [];
  const bench = new ControllerBench({
    reconcileTimeoutMs: 1_000,
    reconcile: () => {},
    gone: (_key, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason.message);
          reject(signal.reason);
        });
      }),
  });
  bench.collection().put('a');
  await bench.run();
  bench.collection().remove('a');

  await bench.clock.advanceAndSettle(999);
  const early = [...reasons];
  await bench.clock.advanceAndSettle(1);

  expect([early, reasons]).toEqual([[], ['reconcile timed out']]);
});

test('[K-3] `gone` and `reconcile` are never called at the same time for one key', async () => {
  const calls: string[] = [];
  const released = Promise.withResolvers<void>();
  const bench = new ControllerBench({
    maxConcurrentReconciles: 4,
    reconcile: ({ metadata }) => void calls.push(`reconcile ${metadata.name}`),
    gone: async (key) => {
      calls.push(`gone ${key}`);
      await released.promise;
    },
  });
  bench.collection().put('a');
  await bench.run();
  bench.collection().remove('a');
  await settle();

  bench.collection().put('a', 2);
  bench.collection().put('b');
  await settle();
  const during = [...calls];
  released.resolve();
  await settle();

  expect(during).toEqual(['reconcile a', 'gone demo/a', 'reconcile b']);
  expect(calls.slice(3)).toEqual(['reconcile a']);
});

test('[K-4] writes for a deleted object are refused, and the error says why', async () => {
  const refusals: unknown[] = [];
  const bench = new ControllerBench({
    owns: [others],
    reconcile: () => {},
    gone: async (_key, context) => {
      const { applyOwned } = context as never as {
        applyOwned: (...call: unknown[]) => Promise<unknown>;
      };
      await applyOwned(others, {}).catch((error: Error) => refusals.push(error.message));
    },
  });
  bench.collection().put('a');
  await bench.run();

  bench.collection().remove('a');
  await settle();

  expect(refusals).toEqual(['applyOwned needs the reconciled object, and it is gone']);
});

test('[K-1] if the predicate drops a delete, `gone` is not called', async () => {
  const gone: string[] = [];
  const bench = new ControllerBench({
    predicate: ({ type }) => type !== 'delete',
    reconcile: () => {},
    gone: (key) => {
      gone.push(key);
    },
  });
  bench.collection().put('a');
  await bench.run();

  bench.collection().remove('a');
  await settle();

  expect(gone).toEqual([]);
});

test('[K-1] if an object has been created again before its key runs, the reconciler is called', async () => {
  const calls: string[] = [];
  const busy = Promise.withResolvers<void>();
  const bench = new ControllerBench({
    async reconcile({ metadata, value }) {
      if (metadata.name === 'b' && value === 1) await busy.promise;
      else calls.push(metadata.uid ?? '');
    },
    gone: (key) => {
      calls.push(`gone ${key}`);
    },
  });
  bench.collection().put('a', 0, { uid: 'first' });
  await bench.run();
  bench.collection().put('b', 1);
  await settle();

  bench.collection().remove('a');
  bench.collection().put('a', 0, { uid: 'second' });
  await settle();
  busy.resolve();
  await settle();

  expect(calls).toEqual(['first', 'second']);
});
