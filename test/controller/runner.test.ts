import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { controller, enqueueMapped } from '../../operator/controller/controller.ts';
import {
  AWAIT_CHANGE,
  type Reconciler,
  type Result,
} from '../../operator/controller/reconciler.ts';
import { ControllerRunner, type RunnerOptions } from '../../operator/controller/runner.ts';
import { type Source, source } from '../../operator/controller/source.ts';
import { TerminalError } from '../../operator/controller/terminal-error.ts';
import { sleep } from '../../operator/core/clock.ts';
import { nextTurn } from '../../operator/core/turns.ts';
import { type KubernetesObject, objectKey } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { ApiError } from '../../operator/model/status.ts';
import { Informer } from '../../operator/store/informer.ts';
import { FakeClock, settle } from '../../operator/testing/fake-clock.ts';
import { RecordingMeter } from '../../operator/testing/recording-meter.ts';
import { expired, FakeCollection, type Thing } from '../support/fake-collection.ts';
import { recordingLog } from '../support/recording-log.ts';

const resource = (plural: string) =>
  defineResource<Thing>({ group: '', version: 'v1', plural, kind: 'Thing', namespaced: true });
const things = source(resource('things'));
const others = source(resource('others'));
const optional = source(resource('extras'), { optional: true });

type Settings = Pick<
  RunnerOptions,
  'cacheSyncTimeoutMs' | 'maxReconcileAgeMs' | 'queue' | 'reconcileTimeoutMs' | 'resyncPeriodMs'
>;

interface Setup extends Settings {
  readonly reconcile: Reconciler<Thing>;
  readonly workers?: number;
  readonly watches?: Parameters<typeof controller<Thing>>[0]['watches'];
}

function start({ reconcile, workers, watches = [], ...settings }: Setup) {
  const clock = new FakeClock();
  const meter = new RecordingMeter();
  const stop = new AbortController();
  const hardStop = new AbortController();
  const { lines, logFor } = recordingLog();
  const collections = new Map<Source, FakeCollection>();
  const informers = new Map<Source, Informer<Thing>>();
  const collection = (of: Source<Thing>): FakeCollection => {
    const known = collections.get(of) ?? new FakeCollection();
    collections.set(of, known);
    return known;
  };
  const runner = new ControllerRunner({
    controller: controller<Thing>({
      name: 'test',
      for: things,
      watches,
      reconcile,
      ...(workers !== undefined && { maxConcurrentReconciles: workers }),
    }),
    informerFor: (of) => {
      const informer = new Informer<Thing>(
        collection(of as Source<Thing>),
        { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
        { clock, random: () => 0, relistIntervalMs: 0 },
      );
      informers.set(of, informer);
      return informer as unknown as Informer<KubernetesObject>;
    },
    client: {} as Client,
    events: { record: () => {} },
    clock,
    self: { namespace: 'demo', podName: 'me' },
    logFor,
    meter,
    ...settings,
  });
  let running = Promise.resolve();
  let watching: Promise<unknown> = Promise.resolve();
  onTestFinished(async () => {
    stop.abort();
    hardStop.abort();
    await Promise.all([running, watching]);
    expect(clock.pending).toBe(0);
  });
  return {
    clock,
    lines,
    collection,
    runner,
    total: (result: string): number =>
      meter.value('controller_runtime_reconcile_total', { controller: 'test', result }),
    metric: (name: string): number => meter.value(name, { controller: 'test' }),
    seconds: (name: string): readonly number[] => meter.observations(name, { controller: 'test' }),
    stop: () => stop.abort(),
    hardStop: () => hardStop.abort(),
    run: async (): Promise<void> => {
      runner.attach();
      watching = Promise.all([...informers.values()].map((each) => each.run(hardStop.signal)));
      running = runner.run(stop.signal, hardStop.signal);
      await settle();
    },
    running: () => running,
  };
}

test('K-1 reconciles every object once at the start, and again after each change', async () => {
  const seen: string[] = [];
  const { collection, run } = start({
    reconcile: async (key, object) => {
      seen.push(`${key}=${object?.value}`);
      return AWAIT_CHANGE;
    },
  });
  collection(things).put('a', 1);
  collection(things).put('b', 2);

  await run();
  collection(things).put('a', 3);
  await settle();
  collection(things).remove('b');
  await settle();

  expect(seen).toEqual(['demo/a=1', 'demo/b=2', 'demo/a=3', 'demo/b=undefined']);
});

test('K-3 H46 500 updates during one reconcile make one more, with the newest state, never two at once', async () => {
  const seen: (number | undefined)[] = [];
  let running = 0;
  let release = (): void => {};
  const { collection, run } = start({
    workers: 4,
    reconcile: async (_key, object) => {
      expect(++running).toBe(1);
      seen.push(object?.value);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      running--;
      return AWAIT_CHANGE;
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

test('K-2 Q-24 H45 a reconcile that throws is retried alone, with growing delays, and the others go on', async () => {
  const seen: string[] = [];
  const { clock, collection, lines, run } = start({
    reconcile: async (key, _object, { attempt }) => {
      seen.push(`${key}#${attempt}`);
      if (key === 'demo/bad' && attempt < 3) throw new Error('no');
      return AWAIT_CHANGE;
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

test('K-2 waits as long as the server asks before it retries', async () => {
  let calls = 0;
  const { clock, collection, run } = start({
    reconcile: async () => {
      if (++calls === 1) throw new ApiError({ code: 429 }, { retryAfterMs: 7_000 });
      return AWAIT_CHANGE;
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

test('K-2 a lost race is retried without noise', async () => {
  let calls = 0;
  const { clock, collection, lines, metric, run, total } = start({
    reconcile: async () => {
      if (++calls === 1) throw new ApiError({ code: 409, reason: 'Conflict' });
      return AWAIT_CHANGE;
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

test('K-2 reconciles again after the time that the reconciler asked for', async () => {
  const results: Result[] = [{ requeueAfterMs: 60_000 }, AWAIT_CHANGE];
  let calls = 0;
  const { clock, collection, run } = start({
    reconcile: async () => results[calls++] ?? AWAIT_CHANGE,
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(59_999);
  const early = calls;
  await clock.advanceAndSettle(600_000);

  expect(early).toBe(1);
  expect(calls).toBe(2);
});

test('K-2 a requeueAfterMs that is no number is a failure of the reconciler, not a silent never', async () => {
  let calls = 0;
  const { clock, collection, lines, run } = start({
    reconcile: async () => (++calls === 1 ? { requeueAfterMs: Number.NaN } : AWAIT_CHANGE),
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(100);

  expect(calls).toBe(2);
  expect(
    lines.find(({ message }) => message === 'reconcile failed by a bug')?.fields.err,
  ).toMatchObject({ code: 'USER_CODE', context: { returned: 'requeueAfterMs: NaN' } });
});

test('K-10 maps the old and the new object of another source', async () => {
  const seen: string[] = [];
  const { collection, run } = start({
    watches: [enqueueMapped(others, ({ value }) => [objectKey('demo', `thing-${value}`)])],
    reconcile: async (key) => {
      seen.push(key);
      return AWAIT_CHANGE;
    },
  });
  collection(others).put('x', 1);
  await run();

  collection(others).put('x', 2);
  await settle();
  collection(others).remove('x');
  await settle();

  expect(seen).toEqual(['demo/thing-1', 'demo/thing-1', 'demo/thing-2', 'demo/thing-2']);
});

test('a mapping that throws is logged, and later changes still map', async () => {
  const seen: string[] = [];
  const { collection, lines, run } = start({
    watches: [
      enqueueMapped(others, ({ value }) => {
        if (value === 1) throw new Error('bad mapping');
        return [objectKey('demo', 'mapped')];
      }),
    ],
    reconcile: async (key) => {
      seen.push(key);
      return AWAIT_CHANGE;
    },
  });
  collection(others).put('x', 1);
  await run();

  collection(others).put('y', 2);
  await settle();

  expect(seen).toEqual(['demo/mapped']);
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('C-16 reconciles nothing before every source is synced', async () => {
  let calls = 0;
  const { clock, collection, run } = start({
    watches: [enqueueMapped(others, () => [])],
    reconcile: async () => {
      calls++;
      return AWAIT_CHANGE;
    },
  });
  collection(things).put('a');
  collection(others).failLists(new ApiError({ code: 503 }), new ApiError({ code: 503 }));
  await run();

  const early = calls;
  await clock.advanceAndSettle(10_000);

  expect(early).toBe(0);
  expect(calls).toBe(1);
});

test('does without an optional source that is not served, and reads it when it comes', async () => {
  const seen: string[] = [];
  const { clock, collection, run } = start({
    watches: [enqueueMapped(optional, () => [objectKey('demo', 'a')])],
    reconcile: async (_key, _object, { store }) => {
      const extras = store(optional);
      seen.push(extras.synced ? `${extras.list().length} extras` : 'no extras');
      return AWAIT_CHANGE;
    },
  });
  collection(things).put('a');
  collection(optional).put('extra');
  collection(optional).failLists(new ApiError({ code: 404 }));
  await run();

  await clock.advanceAndSettle(12_000);

  expect(seen).toEqual(['no extras', '1 extras']);
});

test('a source that the controller does not declare is refused by name', async () => {
  const errors: unknown[] = [];
  const { collection, run } = start({
    reconcile: async (_key, _object, { store }) => {
      try {
        store(others);
      } catch (error) {
        errors.push(error);
      }
      return AWAIT_CHANGE;
    },
  });
  collection(things).put('a');
  await run();

  expect(errors).toMatchObject([{ code: 'CONFIG', context: { resource: 'others' } }]);
});

test('K-5 aborts the signal of a reconcile that takes too long, and runs no second one beside it', async () => {
  let calls = 0;
  let aborted = false;
  let release = (): void => {};
  const { clock, collection, lines, metric, run } = start({
    reconcileTimeoutMs: 1_000,
    reconcile: async (_key, _object, { signal }) => {
      calls++;
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return AWAIT_CHANGE;
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

test('D-1 stops taking keys at once, and resolves when the reconcile under way has ended', async () => {
  const seen: string[] = [];
  let release = (): void => {};
  const { collection, run, running, stop } = start({
    reconcile: async (key, _object, { signal }) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      seen.push(`${key} ${signal.aborted ? 'aborted' : 'finished'}`);
      return AWAIT_CHANGE;
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

test('K-1 a reconciler learns its priority, its attempt and a fresh id', async () => {
  const seen: [string, number, number][] = [];
  const { clock, collection, lines, run } = start({
    reconcile: async (key, _object, { attempt, log, priority }) => {
      seen.push([key, priority, attempt]);
      log.info({}, 'seen');
      if (seen.length === 2) throw new Error('once');
      return AWAIT_CHANGE;
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

test('K-2 each outcome is counted under its result, and every result has a zero', async () => {
  const { clock, collection, metric, run, seconds, total } = start({
    reconcile: async (key, _object, { attempt }) => {
      if (key === 'demo/fails' && attempt === 0) throw new Error('once');
      return key === 'demo/polls' ? { requeueAfterMs: 1_000_000 } : AWAIT_CHANGE;
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

test('K-2 a reconciler that returns nothing has succeeded', async () => {
  const { clock, collection, lines, run, total } = start({
    reconcile: (async () => {}) as unknown as Reconciler<Thing>,
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(10_000);

  expect([total('success'), total('error')]).toEqual([1, 0]);
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('K-2 requeue: true is called again with growing delays, and is no failure', async () => {
  const calledAt: number[] = [];
  const { clock, collection, lines, run, total } = start({
    reconcile: async (_key, _object, { clock: now }) => {
      calledAt.push(now.monotonic());
      return calledAt.length < 4 ? { requeue: true } : AWAIT_CHANGE;
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(60_000);

  const delays = calledAt.slice(1).map((at, index) => at - (calledAt[index] ?? 0));
  expect(delays.map((ms, index) => Math.floor(ms / (5 * 2 ** index)))).toEqual([1, 1, 1]);
  expect([total('requeue'), total('error'), total('success')]).toEqual([3, 0, 1]);
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('K-2 a terminal error is not retried, and a new event reconciles its key again', async () => {
  const attempts: number[] = [];
  const { clock, collection, lines, metric, run, total } = start({
    reconcile: async (_key, object, { attempt }) => {
      attempts.push(attempt);
      if (attempts.length <= 2) throw new Error('first two ordinary failures');
      if (object?.value === 1) throw new TerminalError('a spec that makes no sense');
      return AWAIT_CHANGE;
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

test('K-2 a reconcile that the end of the process aborted is neither an error nor retried', async () => {
  let calls = 0;
  const { clock, collection, hardStop, lines, run, running, stop, total } = start({
    reconcile: async (_key, _object, { signal }) => {
      calls++;
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      return AWAIT_CHANGE;
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

test.each([
  ['a string', 'no', 'OperatorError', 1],
  ['nothing', undefined, 'OperatorError', 1],
  ['null', null, 'OperatorError', 1],
  ['a TypeError', new TypeError('x is not a function'), 'TypeError', 1],
  ['a ReferenceError', new ReferenceError('x is not defined'), 'ReferenceError', 1],
  ['an Error', new Error('no'), 'Error', 0],
])('K-4 %s that is thrown is logged as an error and retried', async (_case, thrown, name, panics) => {
  let calls = 0;
  const { clock, collection, lines, metric, run } = start({
    reconcile: async () => {
      if (++calls === 1) throw thrown;
      return AWAIT_CHANGE;
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

test('K-4 a reconciler that throws before it returns a promise is retried as well', async () => {
  let calls = 0;
  const { clock, collection, run, total } = start({
    reconcile: () => {
      if (++calls === 1) throw new Error('at once');
      return Promise.resolve(AWAIT_CHANGE);
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(10);

  expect([calls, total('error'), total('success')]).toEqual([2, 1, 1]);
});

test('K-3 as many keys are reconciled side by side as the controller says, and no more', async () => {
  let running = 0;
  let most = 0;
  const { clock, collection, metric, run } = start({
    workers: 3,
    reconcile: async (_key, _object, { clock, signal }) => {
      most = Math.max(most, ++running);
      await sleep(clock, 100, signal);
      running--;
      return AWAIT_CHANGE;
    },
  });
  for (let index = 0; index < 10; index++) collection(things).put(`${index}`);
  await run();
  const active = metric('controller_runtime_active_workers');

  await clock.advanceAndSettle(1_000);

  expect([most, active, running]).toEqual([3, 3, 0]);
  expect(metric('controller_runtime_max_concurrent_reconciles')).toBe(3);
});

test('K-7 a runner is stuck while one reconcile is under way for longer than it may', async () => {
  let release = (): void => {};
  const { clock, collection, run, runner } = start({
    maxReconcileAgeMs: 60_000,
    reconcile: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return AWAIT_CHANGE;
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

test('K-7 no reconcile makes a runner stuck by default', async () => {
  let release = (): void => {};
  const { clock, collection, run, runner } = start({
    reconcileTimeoutMs: Number.POSITIVE_INFINITY,
    reconcile: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return AWAIT_CHANGE;
    },
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(100_000);

  expect(runner.stuck).toBe(false);
  release();
});

test('Q-20 after a restart a live change does not wait for the first list', async () => {
  const seen: string[] = [];
  const releases: (() => void)[] = [];
  const { collection, run } = start({
    workers: 2,
    reconcile: async (key) => {
      seen.push(key);
      if (seen.length <= 2) await new Promise<void>((resolve) => releases.push(resolve));
      return AWAIT_CHANGE;
    },
  });
  for (let index = 0; index < 1_000; index++) collection(things).put(`${index}`);
  await run();

  collection(things).put('999', 1);
  await settle();
  for (const release of releases) release();
  await settle();

  expect(seen.slice(0, 3)).toEqual(['demo/0', 'demo/1', 'demo/999']);
  expect(seen).toHaveLength(1_000);
});

test('Q-20 keys that a mapping names from a first list wait for live ones too', async () => {
  const seen: [string, number][] = [];
  const { collection, run } = start({
    watches: [enqueueMapped(others, ({ value }) => [objectKey('demo', `thing-${value}`)])],
    reconcile: async (key, _object, { priority }) => {
      seen.push([key, priority]);
      return AWAIT_CHANGE;
    },
  });
  collection(others).put('x', 1);
  await run();

  collection(others).put('y', 2);
  await settle();

  expect(seen).toEqual([
    ['demo/thing-1', -100],
    ['demo/thing-2', 0],
  ]);
});

test('Q-20 after a relist that finds 1,000 changes a live edit is among the next workers + 1 reconciles', async () => {
  const seen: [string, number][] = [];
  const releases: (() => void)[] = [];
  let relisted = false;
  const { clock, collection, run } = start({
    workers: 2,
    reconcile: async (key, _object, { priority }) => {
      if (!relisted) return AWAIT_CHANGE;
      seen.push([key, priority]);
      if (seen.length <= 2) await new Promise<void>((resolve) => releases.push(resolve));
      return AWAIT_CHANGE;
    },
  });
  for (let index = 0; index < 1_000; index++) collection(things).put(`${index}`);
  await run();

  relisted = true;
  collection(things).newestWatch.fail(expired());
  for (let index = 0; index < 1_000; index++) collection(things).put(`${index}`, 1);
  await clock.advanceAndSettle(5_000);
  collection(things).put('999', 2);
  await settle();
  for (const release of releases) release();
  await settle();

  expect(collection(things).lists.length).toBeGreaterThan(1);
  expect(seen.slice(0, 4)).toEqual([
    ['demo/0', -100],
    ['demo/1', -100],
    ['demo/999', 0],
    ['demo/2', -100],
  ]);
  expect(seen).toHaveLength(1_000);
});

test('Q-20 what a relist finds made or deleted is not put off', async () => {
  const seen: [string, number][] = [];
  const { clock, collection, run } = start({
    reconcile: async (key, _object, { priority }) => {
      seen.push([key, priority]);
      return AWAIT_CHANGE;
    },
  });
  collection(things).put('changed');
  collection(things).put('deleted');
  await run();
  seen.length = 0;

  collection(things).newestWatch.fail(expired());
  collection(things).put('changed', 1);
  collection(things).remove('deleted');
  collection(things).put('made');
  await clock.advanceAndSettle(5_000);

  expect(seen).toEqual([
    ['demo/deleted', 0],
    ['demo/made', 0],
    ['demo/changed', -100],
  ]);
});

test('L-15 reconciles that wait for nothing leave the event loop to others every 10 ms', async () => {
  const reconciledBefore: number[] = [];
  let reconciled = 0;
  const { clock, collection, run } = start({
    workers: 4,
    reconcile: async () => {
      reconciled++;
      clock.advance(1);
      return AWAIT_CHANGE;
    },
  });
  for (let index = 0; index < 100; index++) collection(things).put(`${index}`);

  await run();
  while (reconciled < 100) {
    reconciledBefore.push(reconciled);
    await nextTurn();
  }

  const inOneTurn = reconciledBefore.map(
    (count, turn) => count - (reconciledBefore[turn - 1] ?? 0),
  );
  expect(Math.max(...inOneTurn.slice(1))).toBeLessThanOrEqual(14); // 10, and one more of each worker
  expect(reconciledBefore.length).toBeGreaterThan(4);
});

test('Q-20 polls wait for changes, unless the result says otherwise', async () => {
  const seen: [string, number][] = [];
  const { clock, collection, run } = start({
    reconcile: async (key, _object, { priority }) => {
      seen.push([key, priority]);
      if (seen.length > 4) return AWAIT_CHANGE;
      return { requeueAfterMs: 10, ...(key === 'demo/urgent' && { priority: 5 }) };
    },
  });
  await run();
  collection(things).put('polled');
  collection(things).put('urgent');
  await settle();

  await clock.advanceAndSettle(10);

  expect(seen).toEqual([
    ['demo/polled', 0],
    ['demo/urgent', 0],
    ['demo/urgent', 5],
    ['demo/polled', -100],
  ]);
});

test('Q-20 a priority that is no whole number is a failure of the reconciler', async () => {
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

test('C-16 names, once, the sources that are not synced in time and why, and goes on waiting', async () => {
  let calls = 0;
  const { clock, collection, lines, run } = start({
    watches: [enqueueMapped(others, () => []), enqueueMapped(optional, () => [])],
    cacheSyncTimeoutMs: 5_000,
    reconcile: async () => {
      calls++;
      return AWAIT_CHANGE;
    },
  });
  collection(things).put('a');
  const refused = (): ApiError =>
    new ApiError({ code: 403, reason: 'Forbidden', message: 'others is forbidden' });
  collection(others).failLists(...Array.from({ length: 20 }, refused));
  collection(optional).failLists(...Array.from({ length: 200 }, () => new ApiError({ code: 404 })));
  await run();

  await clock.advanceAndSettle(4_999);
  const early = lines.filter(({ level }) => level === 'error');
  await clock.advanceAndSettle(300_000);
  const late = lines.filter(({ level }) => level === 'error');
  const before = calls;
  await clock.advanceAndSettle(3_600_000);

  expect(early).toEqual([]);
  expect(late).toMatchObject([
    {
      message: 'sources are not synced, the controller waits for them',
      fields: {
        controller: 'test',
        timeoutMs: 5_000,
        sources: [
          {
            resource: 'others',
            health: 'forbidden',
            error: expect.stringContaining('others is forbidden'),
          },
        ],
      },
    },
  ]);
  expect([before, calls]).toEqual([0, 1]);
});

test('C-16 waits two minutes before it says so', async () => {
  const { clock, collection, lines, run } = start({ reconcile: async () => AWAIT_CHANGE });
  collection(things).failLists(...Array.from({ length: 99 }, () => new ApiError({ code: 503 })));
  await run();

  await clock.advanceAndSettle(119_999);
  const early = lines.filter(({ level }) => level === 'error').length;
  await clock.advanceAndSettle(1);

  expect([early, lines.filter(({ level }) => level === 'error').length]).toEqual([0, 1]);
});

test('Q-20 C-20 a resync reconciles every object again, behind what changes', async () => {
  const seen: [string, number][] = [];
  const { clock, collection, run } = start({
    resyncPeriodMs: 10_000,
    reconcile: async (key, _object, { priority }) => {
      seen.push([key, priority]);
      return AWAIT_CHANGE;
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
  ['by default every 10 hours', {}, 2],
  ['never with 0', { resyncPeriodMs: 0 }, 1],
])('C-20 a controller resyncs %s', async (_case, settings, calls) => {
  let reconciles = 0;
  const { clock, collection, run } = start({
    ...settings,
    reconcile: async () => {
      reconciles++;
      return AWAIT_CHANGE;
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

test('K-2 a success forgets the failures before it: the next one is the first', async () => {
  const attempts: number[] = [];
  const { clock, collection, run } = start({
    reconcile: async (_key, _object, { attempt }) => {
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

test('is idle when it has looked at all that is there: what a slow mapping names is not forgotten', async () => {
  const mapping = Promise.withResolvers<void>();
  const reconciling = Promise.withResolvers<void>();
  const { collection, run, runner } = start({
    watches: [
      enqueueMapped(others, async () => {
        await mapping.promise;
        return [objectKey('demo', 'a')];
      }),
    ],
    reconcile: async () => {
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
