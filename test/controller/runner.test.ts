import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { controller, enqueueMapped } from '../../operator/controller/controller.ts';
import {
  AWAIT_CHANGE,
  type Reconciler,
  type Result,
} from '../../operator/controller/reconciler.ts';
import { ControllerRunner } from '../../operator/controller/runner.ts';
import { type Source, source } from '../../operator/controller/source.ts';
import { type KubernetesObject, objectKey } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { ApiError } from '../../operator/model/status.ts';
import { Informer } from '../../operator/store/informer.ts';
import { FakeClock, settle } from '../../operator/testing/fake-clock.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { recordingLog } from '../support/recording-log.ts';

const resource = (plural: string) =>
  defineResource<Thing>({ group: '', version: 'v1', plural, kind: 'Thing', namespaced: true });
const things = source(resource('things'));
const others = source(resource('others'));
const optional = source(resource('extras'), { optional: true });

interface Setup {
  readonly reconcile: Reconciler<Thing>;
  readonly workers?: number;
  readonly watches?: Parameters<typeof controller<Thing>>[0]['watches'];
  readonly reconcileTimeoutMs?: number;
}

function start({ reconcile, workers, watches = [], reconcileTimeoutMs }: Setup) {
  const clock = new FakeClock();
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
    ...(reconcileTimeoutMs !== undefined && { reconcileTimeoutMs }),
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

test('reconciles every object once at the start, and again after each change', async () => {
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

test('H46 500 updates during one reconcile make one more, with the newest state, never two at once', async () => {
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

test('H45 a reconcile that throws is retried alone, with growing delays, and the others go on', async () => {
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

test('waits as long as the server asks before it retries', async () => {
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

test('a lost race is retried without noise', async () => {
  let calls = 0;
  const { clock, collection, lines, run } = start({
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
});

test('reconciles again after the time that the reconciler asked for', async () => {
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

test('a requeueAfterMs that is no number is a failure of the reconciler, not a silent never', async () => {
  let calls = 0;
  const { clock, collection, lines, run } = start({
    reconcile: async () => (++calls === 1 ? { requeueAfterMs: Number.NaN } : AWAIT_CHANGE),
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(100);

  expect(calls).toBe(2);
  expect(lines.find(({ message }) => message === 'reconcile failed')?.fields.err).toMatchObject({
    code: 'USER_CODE',
  });
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
  const { clock, collection, run } = start({
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
  release();
  await settle();
  release();

  expect(aborted).toBe(true);
  expect(beside).toBe(1);
  expect(calls).toBe(2);
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
