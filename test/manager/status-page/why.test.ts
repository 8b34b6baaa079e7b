/** Why a key is not done, from a whole runner on a clock of the test. */
import { eventually, FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { controller } from '../../../operator/controller/controller.ts';
import { TerminalError } from '../../../operator/controller/errors.ts';
import { enqueueMapped } from '../../../operator/controller/mapping.ts';
import { keyPolicies } from '../../../operator/controller/policies/key-policies.ts';
import { TakenNames } from '../../../operator/controller/policies/taken-names.ts';
import { noMeter } from '../../../operator/core/metrics.ts';
import type { KeyAnswer, KeyStatus } from '../../../operator/manager/status-page/key-answer.ts';
import { KeyMemory } from '../../../operator/manager/status-page/key-memory.ts';
import { type KeySearch, KeyView } from '../../../operator/manager/status-page/key-view.ts';
import { POLICY_WORDS } from '../../../operator/manager/status-page/key-waits.ts';
import type { ObservedController } from '../../../operator/manager/status-page/observed-controller.ts';
import { type ObjectKey, objectKey } from '../../../operator/model/object.ts';
import { ApiError } from '../../../operator/model/status.ts';
import {
  others,
  type Setup,
  start as startRunner,
  things,
} from '../../controller/started-runner.ts';

const demo = (name: string): ObjectKey => objectKey('demo', name);

type Around = Partial<ConstructorParameters<typeof KeyView>[0]>;

function start(setup: Setup, around: Around = {}) {
  let memory: KeyMemory | undefined;
  const started = startRunner({
    ...setup,
    observe: (clock) => {
      memory = new KeyMemory(clock);
      return memory.observe('test');
    },
  });
  const view = new KeyView({
    clock: started.clock,
    controllers: () => [started.runner],
    phase: () => 'running',
    leadership: () => undefined,
    sharing: () => undefined,
    memory,
    ...around,
  });
  return {
    ...started,
    view,
    why: (name: string): KeyStatus | undefined => view.why(demo(name)).known[0],
    found: (search: Partial<KeySearch> = {}) =>
      view.search({ text: '', controller: undefined, filter: 'all', ...search }),
  };
}

test('for a failing key `why` reports its cause, its failures, the time of the first failure, and the next attempt', async () => {
  const { clock, collection, run, why } = start({
    watches: [enqueueMapped(others, () => [demo('bad')])],
    reconcile: async () => {
      throw new ApiError({
        code: 422,
        reason: 'Invalid',
        message: 'password hunter2 is too short',
      });
    },
    queue: { backoff: { initialMs: 10_000, jitter: 0 } },
  });
  collection(things).put('bad');
  await run();
  const since = new Date(clock.now()).toISOString();
  await clock.advanceAndSettle(10_000);
  for (const name of ['pw', 'pw', 'ca']) collection(others).put(name);
  await settle();
  await clock.advanceAndSettle(4_000);

  const status = why('bad');

  expect(status).toMatchObject({
    ...{ controller: 'test', key: 'demo/bad', verdict: 'failing', object: 'cached' },
    state: 'delayed',
    failingSince: since,
    last: {
      outcome: 'error',
      error: '422 Invalid',
      reconcileId: expect.stringMatching(/^[-0-9a-f]{36}$/),
    },
  });
  expect(JSON.stringify(status)).not.toContain('hunter2');
});

test('a change makes a failing key run at once, and the attempt lists each cause once with its count', async () => {
  let fails = true;
  const { clock, collection, run, why } = start({
    watches: [enqueueMapped(others, () => [demo('a')])],
    minIntervalMs: 60_000,
    reconcile: async () => {
      if (fails) throw new Error('no');
    },
  });
  collection(things).put('a');
  await run();
  await clock.advanceAndSettle(20_000);
  for (const name of ['pw', 'ca', 'x1', 'x2', 'x3', 'x4']) collection(others).put(name);
  collection(others).put('pw');
  await settle();

  const waiting = why('a');
  fails = false;
  await clock.advanceAndSettle(40_000);
  const done = why('a');

  const via = 'mapping, created';
  expect(waiting?.wokenBy).toEqual({
    causes: [
      { cause: 'Thing demo/pw', via, times: 1 },
      { cause: 'Thing demo/ca', via, times: 1 },
      { cause: 'Thing demo/x1', via, times: 1 },
      { cause: 'Thing demo/x2', via, times: 1 },
    ],
    more: 3,
  });
  expect(done).toMatchObject({
    verdict: 'done',
    summary: 'its last attempt succeeded, and nothing is due',
    ...{ failures: 0, failingSince: undefined, next: undefined, waits: [], wokenBy: undefined },
  });
  expect(done?.last?.wokenBy).toEqual(waiting?.wokenBy);
});

test('`why` reports what delays the next attempt: a policy or the back-off, whichever ends later', async () => {
  const { clock, collection, run, why } = start({
    minIntervalMs: 30_000,
    queue: { backoff: { initialMs: 20_000, jitter: 0 } },
    reconcile: async () => {
      throw new Error('no');
    },
  });
  collection(things).put('a');
  await run();

  const first = why('a');
  await clock.advanceAndSettle(30_000);
  const second = why('a');

  expect(first?.waits).toEqual([
    { by: 'min-interval', forMs: 30_000, why: expect.stringContaining('minIntervalMs') },
  ]);
  expect(first?.summary).toMatch(/^failed once, next attempt in 30 s: minIntervalMs/);
  expect(first?.next).toMatchObject({ inMs: 30_000, why: first?.waits[0]?.why });
  expect(second?.waits.map(({ by, forMs }) => [by, forMs])).toEqual([
    ['back-off', 40_000],
    ['min-interval', 30_000],
  ]);
  expect(second?.summary).toBe('next attempt in 40 s: the back-off after 2 failures in a row');
  expect(second?.next?.at).toBe(new Date(clock.now() + 40_000).toISOString());
});

test('`why` reports how long a running key has run, and how long a waiting key has waited', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { clock, collection, run, why } = start({ reconcile: () => held, workers: 1 });
  for (const name of ['a', 'b', 'c']) collection(things).put(name);
  await run();
  await clock.advanceAndSettle(12_000);
  collection(things).put('a');
  await settle();

  const [working, ready] = [why('a'), why('c')];
  release();
  await settle();

  expect(working).toMatchObject({
    verdict: 'working',
    state: 'working',
    summary: 'has been worked on for 12 s, and has been enqueued again',
    running: {
      forMs: 12_000,
      wokenBy: { causes: [{ cause: 'Thing demo/a', via: 'for, first list' }] },
    },
    wokenBy: { causes: [{ cause: 'Thing demo/a', via: 'for' }] },
    waits: [],
  });
  expect(ready).toMatchObject({ verdict: 'waiting', state: 'ready', priority: -100 });
  expect(ready?.waits).toEqual([
    {
      by: 'workers',
      forMs: undefined,
      why: '1 of 1 worker is busy, and 2 keys of this priority or a higher one are ready',
    },
  ]);
});

test('after a terminal error no further attempt is due', async () => {
  const { collection, run, why, view } = start({
    reconcile: async () => {
      throw new TerminalError('password hunter2 is too short');
    },
  });
  collection(things).put('a');
  await run();

  expect(why('a')).toMatchObject({
    ...{ verdict: 'failing', state: 'idle', failures: 0, next: undefined },
    summary: 'failed, and only a change can help: nothing is due',
    last: { outcome: 'terminal', error: 'TerminalError USER_CODE (user-code)' },
  });
  expect(view.failing()).toMatchObject([{ key: 'demo/a', failures: 0, nextInMs: undefined }]);
});

test('`why` reports that a deleted object is gone, and for an existing object when the next reconcile is due', async () => {
  const { collection, run, why } = start({ reconcile: async () => ({ requeueAfterMs: 90_000 }) });
  collection(things).put('a');
  collection(things).put('b');
  await run();
  collection(things).remove('b');
  await settle();

  expect(why('a')?.waits).toEqual([
    { by: 'requeueAfterMs', forMs: 90_000, why: 'the reconciler has asked for it' },
  ]);
  expect(why('a')).toMatchObject({ verdict: 'waiting', next: { inMs: 90_000 } });
  expect(why('b')).toMatchObject({ object: 'absent', verdict: 'done' });
  expect(why('b')?.summary).toBe('the object is gone, and nothing is due');
});

test('until a source has its first list, `why` reports that the list is missing, and knows no keys', async () => {
  const { collection, run, view } = start({ reconcile: async () => {} });
  collection(things).failLists(new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }));
  await run();

  expect(view.why(demo('a'))).toMatchObject({
    ...{ known: [], asked: ['test'] },
    notes: [expect.stringMatching(/^test: things has no first list \(/)],
  });
});

test('on a standby `why` reports who leads, and in a stopping process that the process stops', async () => {
  const leadership = (leads: boolean, holder?: string) => ({ lease: 'demo/web', leads, holder });
  const answers: KeyAnswer[] = [];
  const { collection, run, runner, clock } = start({ reconcile: async () => {} });
  collection(things).put('a');
  await run();
  const idle = { ...runner.activity, working: false };
  const standby = {
    ...{ activity: idle, needsLeaderElection: true, troubledSources: [] },
    keyState: (key: ObjectKey) => runner.keyState(key),
    ...{ waiting: () => [], cachedKeys: () => [] },
  };
  for (const around of [
    { controllers: () => [standby], leadership: () => leadership(false, 'web-1_x') },
    { controllers: () => [standby], leadership: () => leadership(false) },
    { controllers: () => [standby], leadership: () => leadership(true) },
    { controllers: () => [runner], phase: () => 'stopping' as const },
  ]) {
    const view = new KeyView({
      ...{ clock, phase: () => 'running', leadership: () => undefined },
      ...{ sharing: () => undefined, memory: undefined, ...around },
    });
    answers.push(view.why(demo('a')));
  }

  expect(answers.map(({ known: [status] }) => [status?.verdict, status?.summary])).toEqual([
    ['blocked', 'replica web-1_x leads and works on it'],
    ['blocked', 'no replica leads yet'],
    ['blocked', 'the controller has not begun'],
    ['blocked', 'the process is stopping'],
  ]);
});

test('if another replica has the group of a key, `why` reports which replica that is', async () => {
  const { collection, run, runner, clock } = start({ reconcile: async () => {} });
  collection(things).put('a');
  await run();
  const sharded: ObservedController = {
    ...{ activity: runner.activity, needsLeaderElection: true, troubledSources: [] },
    keyState: (key) => ({
      ...runner.keyState(key),
      group: key === demo('a') ? { group: 1, isHere: false } : undefined,
    }),
    ...{ waiting: () => [], cachedKeys: () => [] },
  };
  const groups = ['web-0_x', 'web-1_y'].map((holder, group) => ({
    ...{ group, holder, phase: group === 0 ? ('owning' as const) : ('foreign' as const) },
  }));
  const view = new KeyView({
    ...{ clock, phase: () => 'running', leadership: () => undefined, memory: undefined },
    controllers: () => [sharded],
    sharing: () => ({ lease: 'demo/web', division: 'sharded/2/uid', groups, members: [] }),
  });

  expect(view.why(demo('a')).known[0]).toMatchObject({
    verdict: 'blocked',
    summary: 'replica web-1_y holds group 1, to which it belongs',
    waits: [{ by: 'group' }],
  });
  expect(view.why(demo('nobody')).notes).toEqual([
    'replicas share the keys, and this one works on 1 of 2 groups: ask the others, too',
  ]);
});

test('for a parked key `why` reports what the key waits for, and no time', async () => {
  const { collection, run, runner, clock } = start({ reconcile: async () => {} });
  collection(things).put('a');
  await run();
  const parked = {
    ...{ activity: runner.activity, needsLeaderElection: true, troubledSources: [] },
    keyState: (key: ObjectKey) => ({
      ...{ ...runner.keyState(key), state: 'parked' as const, priority: 0 },
      waits: [{ policy: 'consistency-wait', forMs: undefined }],
    }),
    ...{ waiting: () => [], cachedKeys: () => [] },
  };
  const view = new KeyView({
    ...{ clock, phase: () => 'running', leadership: () => undefined, memory: undefined },
    ...{ controllers: () => [parked], sharing: () => undefined },
  });

  expect(view.why(demo('a')).known[0]).toMatchObject({
    ...{ verdict: 'waiting', state: 'parked', next: undefined },
    summary: expect.stringMatching(/^waits: a cache does not show yet/),
    waits: [{ by: 'consistency-wait', forMs: undefined }],
  });
});

test('`why` has an explanation in words for every policy that delays keys', () => {
  const of = controller({ name: 'a', for: things, consistency: 'wait', reconcile: async () => {} });
  const clock = new FakeClock();
  const informers = new Map();
  const takenNames = new TakenNames({ clock, controller: of, informers, enqueue: () => {} });
  const policies = keyPolicies({
    ...{ clock, controller: of, informers, meter: noMeter, takenNames },
    ...{ ready: () => 0, looped: () => {}, fought: () => {}, resume: () => {} },
  });

  const waiting = policies.filter(({ delayMs }) => delayMs !== undefined).map(({ name }) => name);
  expect(waiting.toSorted()).toEqual(Object.keys(POLICY_WORDS).toSorted());
});

test('asking why a key waits changes nothing: no timer, no priority, no place in the queue', async () => {
  const { clock, collection, run, why, runner, found } = start({
    minIntervalMs: 60_000,
    reconcile: async () => {
      throw new Error('no');
    },
  });
  collection(things).put('a');
  await run();
  const before = [[...runner.waiting()], clock.pending];

  for (const name of ['a', 'unknown', '']) why(name);
  found({ text: 'a' });

  expect([[...runner.waiting()], clock.pending]).toEqual(before);
});

test('a search finds keys by any part of them, lists failing keys first, and returns at most a hundred', async () => {
  const { collection, run, found } = start({
    workers: 4,
    reconcile: async (_object, { key }) => {
      if (key.endsWith('7')) throw new Error('no');
    },
    queue: { backoff: { initialMs: 60_000 } },
  });
  for (let at = 0; at < 240; at++) collection(things).put(`web-${at}`);
  await run();

  const all = found();
  const some = found({ text: 'web-11' });
  const failing = found({ filter: 'failing', text: '17' });

  expect([all.matching, all.keys.length, all.isComplete]).toEqual([240, 100, true]);
  expect(all.keys.slice(0, 24).every(({ verdict }) => verdict === 'failing')).toBe(true);
  expect(all.keys[24]?.verdict).toBe('done');
  expect(some.matching).toBe(11);
  expect(failing.keys.map(({ key }) => key).toSorted()).toEqual([
    'demo/web-117',
    'demo/web-17',
    'demo/web-177',
    'demo/web-217',
  ]);
  expect(found({ controller: 'another' }).matching).toBe(0);
});

test('only the latest keys are remembered, and failing keys are not dropped to make room for others', async () => {
  const { collection, run, runner, why, view } = start({
    workers: 8,
    reconcile: async (_object, { key }) => {
      if (key === 'demo/bad') throw new Error('no');
    },
    queue: { backoff: { initialMs: 600_000 } },
  });
  collection(things).put('bad');
  collection(things).put('first');
  for (let at = 0; at < 1_200; at++) collection(things).put(`a-${at}`);
  await run();
  await eventually(() => runner.idle);

  expect(why('first')).toMatchObject({ verdict: 'done', last: undefined });
  expect(why('first')?.summary).toBe('nothing is due; its last attempt is not remembered');
  expect(why('a-1199')?.last?.outcome).toBe('success');
  expect(view.failing().map(({ key }) => key)).toEqual(['demo/bad']);
});
