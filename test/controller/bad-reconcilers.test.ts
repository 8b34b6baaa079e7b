import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { type ControllerOptions, controller } from '../../operator/controller/controller.ts';
import { TerminalError } from '../../operator/controller/errors.ts';
import type { Reconciler } from '../../operator/controller/reconciler.ts';
import type { Attempt, AttemptEnd } from '../../operator/controller/run/middleware.ts';
import { ConfigurationError, LeadershipLostError } from '../../operator/core/errors.ts';
import { objectKey } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { ControllerBench, others, things } from '../support/controller-bench.ts';
import type { Thing } from '../support/fake-collection.ts';

const conflict = (): ApiError =>
  new ApiError({ code: 409, reason: 'Conflict', message: 'changed' });
const throws = (error: unknown): Reconciler<Thing> => {
  return async () => {
    throw error;
  };
};
const returns = (value: unknown): Reconciler<Thing> => (async () => value) as Reconciler<Thing>;

/** A bench with one object, whose first attempt has ended; and how it ended. */
async function attempted(reconcile: Reconciler<Thing>): Promise<{
  readonly bench: ControllerBench;
  readonly ends: readonly AttemptEnd[];
}> {
  const ends: AttemptEnd[] = [];
  const bench = new ControllerBench(
    { reconcile },
    {
      reconcileMiddleware: async (_attempt, next) => {
        const end = await next();
        ends.push(end);
        return end;
      },
    },
  );
  bench.collection().put('a');
  await bench.run();
  return { bench, ends };
}

test.each<[string, Reconciler<Thing>, Partial<AttemptEnd>]>([
  ['nothing', returns(undefined), { outcome: 'success' }],
  ['an empty object', returns({}), { outcome: 'success' }],
  [
    'a delay',
    returns({ requeueAfterMs: 5_000 }),
    { outcome: 'requeue_after', requeueAfterMs: 5_000 },
  ],
  ['an error', throws(new Error('no')), { outcome: 'error', requeueAfterMs: 5 }],
  ['a terminal error', throws(new TerminalError('never')), { outcome: 'terminal' }],
  [
    'a server error with a Retry-After',
    throws(new ApiError({ code: 429, message: 'busy' }, { retryAfterMs: 7_000 })),
    { outcome: 'error', requeueAfterMs: 7_000 },
  ],
  ['a conflict', throws(conflict()), { outcome: 'conflict', requeueAfterMs: 5 }],
  ['a bug', throws(new TypeError('x is undefined')), { outcome: 'panic', requeueAfterMs: 5 }],
  ['a thrown string', throws('no'), { outcome: 'panic', requeueAfterMs: 5 }],
  ['nothing thrown', throws(undefined), { outcome: 'panic', requeueAfterMs: 5 }],
])('[K-2] the outcome of a reconcile that ends with %s', async (_what, reconcile, expected) => {
  const { ends } = await attempted(reconcile);

  expect(ends).toHaveLength(1);
  expect(ends[0]).toMatchObject(expected);
  expect(ends[0]?.requeueAfterMs).toBe(expected.requeueAfterMs);
});

test.each([
  ['a string', 'done', 'a string'],
  ['a number', 5, '5'],
  ['null', null, 'null'],
  ['an array', [], 'an array'],
  ['an error, as in Go', new TypeError('hunter2'), 'the error TypeError, which it should throw'],
  ['a Map', new Map([['requeueAfterMs', 5]]), 'an object'],
  ['a Date', new Date(0), 'an object'],
  ['true', true, 'a boolean'],
  ['a function', () => ({}), 'a function'],
  ['NaN', { requeueAfterMs: Number.NaN }, 'requeueAfterMs: NaN'],
  ['a negative delay', { requeueAfterMs: -1 }, 'requeueAfterMs: -1'],
  ['a delay that is a string', { requeueAfterMs: '5s' }, 'requeueAfterMs: a string'],
  [
    'a fractional priority',
    { requeueAfterMs: 1, priority: 0.5 },
    'priority: 0.5, which is no whole number',
  ],
  ['Go’s field `requeueAfter`', { requeueAfter: 5 }, 'an object with a field requeueAfter'],
  ['a requeue without a delay', { requeue: true }, 'an object with a field requeue'],
])('[K-4] %s is an invalid result, and the error says what the reconciler returned', async (_what, value, returned) => {
  const { bench, ends } = await attempted(returns(value));

  expect(ends[0]).toMatchObject({
    outcome: 'panic',
    error: { code: 'USER_CODE', layer: 'user-code', context: { returned } },
  });
  expect(bench.count('controller_runtime_reconcile_panics_total')).toBe(1);
  expect(bench.events).toMatchObject([{ type: 'Warning', reason: 'ReconcileFailed' }]);
});

test('[K-2] a reconciler may return Infinity as requeueAfterMs', async () => {
  const { ends } = await attempted(returns({ requeueAfterMs: Number.POSITIVE_INFINITY }));

  expect(ends[0]).toMatchObject({ outcome: 'requeue_after' });
});

test.each<[string, unknown, boolean]>([
  ['a terminal error', new TerminalError('never'), true],
  ['a bug', new ReferenceError('x is not defined'), true],
  ['a temporary error', new Error('no'), false],
  ['a conflict', conflict(), false],
])('[K-4] whether there is an Event about %s', async (_what, error, isTold) => {
  const { bench } = await attempted(throws(error));

  const told = { type: 'Warning', reason: 'ReconcileFailed', action: 'Reconcile' };
  expect(bench.events).toMatchObject(isTold ? [told] : []);
  expect(bench.events.map(({ regarding }) => regarding.metadata.name)).toEqual(isTold ? ['a'] : []);
});

test('[K-4] if `gone` fails for a deleted object, there is no Event', async () => {
  const bench = new ControllerBench({
    reconcile: () => {},
    gone: () => {
      throw new TypeError('a bug');
    },
  });
  bench.collection().put('a');
  await bench.run();

  bench.collection().remove('a');
  await settle();

  expect(bench.count('controller_runtime_reconcile_panics_total')).toBe(1);
  expect(bench.events).toEqual([]);
});

const changes: Record<string, (object: Thing) => void> = {
  'assigns to': (object) => {
    (object as { value: number }).value = 7;
  },
  'assigns deep in': (object) => {
    (object.metadata.labels as Record<string, string>).a = 'c';
  },
  'adds to': (object) => {
    (object.metadata as unknown as Record<string, unknown>).annotations = {};
  },
  'pushes into': (object) => {
    (object.metadata.finalizers as string[]).push('x/b');
  },
  'deletes from': (object) => {
    delete (object.metadata as { labels?: unknown }).labels;
  },
  sorts: (object) => {
    (object.metadata.finalizers as string[]).reverse();
  },
};

test.each(
  Object.keys(changes),
)('[K-4] if a reconciler %s a cached object, the error explains how to copy it', async (how) => {
  const bench = new ControllerBench({
    owns: [others],
    reconcile: async (object) => {
      changes[how]?.(object);
    },
  });
  bench.collection().put('a', 0, { labels: { a: 'b' }, finalizers: ['x/a', 'x/b'] });

  await bench.run();

  expect(bench.count('controller_runtime_reconcile_panics_total')).toBe(1);
  const line = bench.lines.find(({ level }) => level === 'error');
  expect(line?.fields.err).toBeInstanceOf(TypeError);
  expect(line?.fields.remedy).toContain('structuredClone');
  expect(bench.collection().objects[0]?.metadata.labels).toEqual({ a: 'b' });
});

test('[K-4] [C-2] every object that a store returns is frozen, but its deepCopy is not frozen', async () => {
  const frozen: boolean[] = [];
  let isCopyFree = false;
  const bench = new ControllerBench({
    for: {
      resource: things,
      namespace: 'all',
      optional: false,
      indexes: { byName: ({ metadata }) => [metadata.name] },
    },
    reconcile: async (object, { key, store }) => {
      const all = store(things);
      if (key !== 'demo/a') return;
      const see = (each: Thing | undefined) => frozen.push(Object.isFrozen(each?.metadata));
      see(object);
      see(all.get(objectKey('demo', 'd')));
      see(all.byIndex('byName', 'b')[0]);
      see(all.list().find(({ metadata }) => metadata.name === 'c'));
      const copy = all.get(key, { copy: true });
      isCopyFree = !Object.isFrozen(copy) && !Object.isFrozen(copy?.metadata);
    },
  });
  for (const name of ['a', 'b', 'c', 'd']) bench.collection().put(name);

  await bench.run();

  expect(frozen).toEqual([true, true, true, true]);
  expect(isCopyFree).toBe(true);
});

test('[K-5] a reconcile that ignores its signal is reported once by an Event, and blocks only its own key', async () => {
  const calls: string[] = [];
  let release = (): void => {};
  const bench = new ControllerBench({
    maxConcurrentReconciles: 2,
    reconcileTimeoutMs: 1_000,
    reconcile: async (_object, { key }) => {
      calls.push(key);
      if (key === 'demo/a') await new Promise<void>((resolve) => (release = resolve));
    },
  });
  bench.collection().put('a');
  await bench.run();

  await bench.clock.advanceAndSettle(3_500);
  bench.collection().put('a', 1);
  bench.collection().put('b');
  await settle();
  const whileStuck = [...calls];
  release();
  await settle();
  release();
  await settle();

  expect(whileStuck).toEqual(['demo/a', 'demo/b']);
  expect(calls).toEqual(['demo/a', 'demo/b', 'demo/a']);
  expect(bench.count('controller_runtime_reconcile_timeouts_total')).toBe(1);
  expect(bench.events).toMatchObject([
    { reason: 'ReconcileStuck', note: 'reconcile takes longer than 1 s' },
  ]);
});

test("[K-5] a controller's `reconcileTimeoutMs: 0` means no limit, and overrides the process setting", async () => {
  const aborted: boolean[] = [];
  const bench = new ControllerBench(
    {
      reconcileTimeoutMs: 0,
      reconcile: async (_object, { signal }) => {
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        aborted.push(signal.aborted);
      },
    },
    { reconcileTimeoutMs: 1_000 },
  );
  bench.collection().put('a');
  await bench.run();

  await bench.clock.advanceAndSettle(3_600_000);

  expect(aborted).toEqual([]);
});

test("[K-7] the controller's maxReconcileAgeMs overrides the process setting", async () => {
  const bench = new ControllerBench(
    {
      maxReconcileAgeMs: 10_000,
      reconcileTimeoutMs: 0,
      reconcile: (_object, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    },
    { maxReconcileAgeMs: 1 },
  );
  bench.collection().put('a');
  await bench.run();

  await bench.clock.advanceAndSettle(10_000);
  const before = bench.runner.stuck;
  await bench.clock.advanceAndSettle(1);

  expect([before, bench.runner.stuck]).toEqual([false, true]);
});

test('[K-2] a reconcile that ends because of a shutdown counts as aborted, and is not logged', async () => {
  const ends: AttemptEnd[] = [];
  const bench = new ControllerBench(
    {
      reconcile: (_object, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    },
    {
      reconcileMiddleware: async (_attempt, next) => {
        const end = await next();
        ends.push(end);
        return end;
      },
    },
  );
  bench.collection().put('a');
  await bench.run();

  await bench.stop();

  expect(ends).toMatchObject([{ outcome: 'aborted' }]);
  expect(bench.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('[K-2] a write that is refused because the process no longer leads is not an error', async () => {
  const lost = new LeadershipLostError('another replica may lead');
  const { bench, ends } = await attempted(throws(new Error('could not write', { cause: lost })));

  expect(ends).toMatchObject([{ outcome: 'aborted' }]);
  expect(bench.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  expect(bench.count('controller_runtime_reconcile_errors_total')).toBe(0);
});

test('[K-1] a middleware is called for each attempt, before the reconciler', async () => {
  const attempts: Attempt[] = [];
  const bench = new ControllerBench(
    { reconcile: throws(new Error('no')) },
    {
      reconcileMiddleware: (attempt, next) => {
        attempts.push(attempt);
        return next();
      },
    },
  );
  bench.collection().put('a');
  await bench.run();

  await bench.clock.advanceAndSettle(8);

  expect(attempts).toMatchObject([
    { controller: 'test', key: 'demo/a', attempt: 0, priority: -100 },
    { controller: 'test', key: 'demo/a', attempt: 1, priority: -100 },
  ]);
  const ids = attempts.map(({ reconcileId }) => reconcileId);
  const logged = bench.lines.filter(({ message }) => message === 'reconcile failed');
  expect(logged.map(({ fields }) => fields.reconcileId)).toEqual(ids);
  expect(new Set(ids).size).toBe(2);
});

test.each<[string, (next: () => Promise<AttemptEnd>) => Promise<AttemptEnd>]>([
  ['throws before', () => Promise.reject(new Error('a bug'))],
  [
    'throws after',
    async (next) => {
      await next();
      throw new Error('a bug');
    },
  ],
  [
    'throws at once',
    () => {
      throw new Error('a bug');
    },
  ],
  ['calls next twice', async (next) => (await next()) && next()],
  ['never calls next', async () => ({ outcome: 'error', durationMs: 0 })],
])('[K-1] with a middleware that %s, the reconciler is called at most once', async (how, around) => {
  let calls = 0;
  const bench = new ControllerBench(
    {
      reconcile: async () => {
        calls++;
      },
    },
    { reconcileMiddleware: (_attempt, next) => around(next) },
  );
  bench.collection().put('a');

  await bench.run();

  expect(calls).toBe(1);
  const told = bench.lines.filter(({ level }) => level === 'error');
  expect(told).toHaveLength(how.startsWith('throws') ? 1 : 0);
});

test.each<Partial<ControllerOptions<Thing>>>([
  { minIntervalMs: -1 },
  { minIntervalMs: Number.NaN },
  { reconcileTimeoutMs: Number.POSITIVE_INFINITY },
  { maxReconcileAgeMs: 0 },
  { resyncPeriodMs: -1 },
  { maxConcurrentReconciles: 0 },
  { finalizer: { name: 'cleanup', finalize: async () => {} } },
  { finalizer: { name: 'x.dev/a', finalize: async () => {}, forceFinalizeAfterMs: -1 } },
])('a controller with %j is refused', (options) => {
  const declare = (): unknown =>
    controller({ name: 'a', for: things, reconcile: async () => {}, ...options });

  expect(declare).toThrow(ConfigurationError);
});

const missing = {
  unserved: new ApiError({ code: 404, reason: 'NotFound', message: 'no such resource' }),
  forbidden: new ApiError({ code: 403, reason: 'Forbidden', message: 'may not list' }),
};

test.each([
  'unserved',
  'forbidden',
] as const)('[W-40] while an optional resource is %s, keys of the controller wait, and no failure is reported', async (why) => {
  const keys: string[] = [];
  const bench = new ControllerBench({
    for: { resource: things, namespace: 'all', optional: true },
    watches: [
      {
        source: { resource: others, namespace: 'all', optional: false },
        map: () => [objectKey('demo', 'a')],
      },
    ],
    reconcile: () => {},
    gone: (key) => {
      keys.push(key);
    },
  });
  const refusal = missing[why];
  bench.collection(things).failLists(refusal, refusal, refusal);
  bench.collection(others).put('c');

  await bench.run();
  bench.collection(others).put('c', 2);
  await bench.clock.advanceAndSettle(5_000);
  const early = [...keys];
  await bench.clock.advanceAndSettle(600_000);

  expect([early, keys]).toEqual([[], ['demo/a']]);
  expect(bench.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});
