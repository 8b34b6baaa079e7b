/** Which tasks become one run, and which run side by side. */
import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { noMeter } from '../../../../operator/core/metrics.ts';
import { ProcessSlots } from '../../src/queue/process-slots.ts';
import { EngineWorld, hook, schedule, watches } from './support/engine-world.ts';

const events = (changes = {}) => watches({ name: 'x', runsOnSynchronization: false, ...changes });

test('[hooks 8] queues run in parallel, and each queue runs one task at a time', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { kubernetes: [events({ queue: 'slow' })] }),
      hook('b', { kubernetes: [events({ queue: 'slow' })] }),
      hook('c', { kubernetes: [events({ queue: 'fast' })] }),
    ],
  });
  world.endings.set('a', ['lasts']);
  await world.start();

  for (const name of ['a', 'b', 'c']) world.watch(name, 'x').put('n', 1);
  await settle();
  const during = [...world.log];
  world.attempts[0]?.succeed();
  await settle();

  expect(during).toEqual(['a Event(x Added 1)', 'c Event(x Added 1)']);
  expect(world.log.slice(2)).toEqual(['b Event(x Added 1)']);
});

test('consecutive tasks of one hook become one run, and no task overtakes a task of another hook', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { kubernetes: [events()], schedules: [schedule({ name: 'minute' })] }),
      hook('b', { kubernetes: [events()] }),
    ],
  });
  world.endings.set('b', ['lasts']);
  await world.start();

  world.watch('b', 'x').put('n', 1);
  await settle();
  world.watch('a', 'x').put('n', 1);
  await world.clock.advanceAndSettle(60_000);
  world.watch('a', 'x').put('n', 2);
  world.watch('b', 'x').put('n', 2);
  world.watch('a', 'x').put('n', 3);
  world.attempts[0]?.succeed();
  await settle();

  expect(world.log.slice(1)).toEqual([
    'a Event(x Added 1) Schedule(minute) Event(x Modified 2)',
    'b Event(x Modified 2)',
    'a Event(x Modified 3)',
  ]);
});

test('in a queue of more than 100 tasks, one run takes all tasks of its hook', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { kubernetes: [events()] }), hook('b', { kubernetes: [events()] })],
  });
  world.endings.set('a', ['lasts']);
  await world.start();

  world.watch('a', 'x').put('first', 0);
  await settle();
  for (let n = 0; n < 51; n++) {
    world.watch('a', 'x').put(`n${n}`, n);
    world.watch('b', 'x').put(`n${n}`, n);
  }
  world.attempts[0]?.succeed();
  await settle();

  expect(world.attempts.map(({ hook: of, contexts }) => `${of} ${contexts.length}`)).toEqual([
    'a 1',
    'a 51',
    'b 51',
  ]);
  expect(world.attempts[1]?.contexts.map(({ object }) => object)).toEqual(
    Array.from({ length: 51 }, (_, n) => n),
  );
});

test('[hooks 5] five changes and a tick of a schedule during a run cause one more run, with one Group context', async () => {
  const yard = { group: 'yard', includeSnapshotsFrom: ['crops', 'sheds'] };
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        kubernetes: [watches({ name: 'crops', ...yard }), watches({ name: 'sheds', ...yard })],
        schedules: [schedule({ name: 'minute', ...yard })],
      }),
    ],
  });
  world.endings.set('a', ['succeeds', 'lasts']);
  await world.start();

  world.watch('a', 'crops').put('c', 0);
  await settle();
  for (const n of [1, 2, 3, 4]) world.watch('a', 'crops').put('c', n);
  world.watch('a', 'sheds').put('s', 5);
  await world.clock.advanceAndSettle(60_000);
  world.attempts[1]?.succeed();
  await settle();

  expect(world.log).toEqual([
    'a Group(sheds {"crops":[],"sheds":[]})',
    'a Group(crops {"crops":[{"object":0}],"sheds":[]})',
    'a Group(minute {"crops":[{"object":4}],"sheds":[{"object":5}]})',
  ]);
});

test('adjacent contexts are combined into one context only if they belong to the same group', async () => {
  const of = (group: string) => ({ group, includeSnapshotsFrom: [], runsOnSynchronization: false });
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        kubernetes: [
          watches({ name: 'x', ...of('one') }),
          watches({ name: 'y', ...of('two') }),
          events({ name: 'alone' }),
        ],
      }),
    ],
  });
  world.endings.set('a', ['lasts']);
  await world.start();

  for (const name of ['alone', 'x', 'x', 'y', 'x', 'alone', 'alone']) {
    world.watch('a', name).put('n', 1);
    await settle();
  }
  world.attempts[0]?.succeed();
  await settle();

  expect(world.log[1]).toBe(
    'a Group(x) Group(y) Group(x) Event(alone Modified 1) Event(alone Modified 1)',
  );
});

test('[hooks 19] runs are 3 s apart, and the next run gets all events that arrived in between', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { rateLimit: { intervalMs: 3_000, burst: 1 }, kubernetes: [events()] })],
  });
  await world.start();
  const startMs = world.clock.monotonic();

  for (let n = 0; n < 10; n++) {
    world.watch('a', 'x').put('n', n);
    await world.clock.advanceAndSettle(700);
  }
  await world.clock.advanceAndSettle(10_000);

  const runs = world.attempts.map(({ atMs, contexts }) => [atMs - startMs, contexts.length]);
  expect(runs).toEqual([
    [0, 1],
    [3_000, 4],
    [6_000, 4],
    [9_000, 1],
  ]);
});

test('runs keep their minimum interval even if a run had to wait for a process, or if the hook has several queues', async () => {
  const limited = hook('a', {
    rateLimit: { intervalMs: 3_000, burst: 1 },
    kubernetes: [events(), events({ name: 'y', queue: 'own' })],
  });
  const busy = hook('b', { kubernetes: [events({ queue: 'busy' })] });
  const world = new EngineWorld({ hooks: [busy, limited], maxProcesses: 1 });
  world.endings.set('b', ['lasts']);
  await world.start();
  const startMs = world.clock.monotonic();

  world.watch('b', 'x').put('n', 1);
  await settle();
  world.watch('a', 'x').put('n', 1);
  await world.clock.advanceAndSettle(2_500);
  world.watch('a', 'y').put('n', 2);
  world.attempts[0]?.succeed();
  await settle();
  world.watch('a', 'x').put('n', 3);
  await world.clock.advanceAndSettle(20_000);

  const runs = world.attempts.map(({ hook: of, atMs }) => `${of} ${atMs - startMs}`);
  expect(runs).toEqual(['b 0', 'a 2500', 'a 5500', 'a 8500']);
});

test('a burst allows runs until the bucket is empty, and then each interval allows one more run', async () => {
  const bucket = { rateLimit: { intervalMs: 3_000, burst: 2 } };
  const world = new EngineWorld({ hooks: [hook('a', { ...bucket, kubernetes: [events()] })] });
  await world.start();
  const startMs = world.clock.monotonic();

  for (let n = 0; n < 4; n++) {
    world.watch('a', 'x').put(`n${n}`, n);
    await world.clock.advanceAndSettle(1_000);
  }
  await world.clock.advanceAndSettle(10_000);

  expect(world.attempts.map(({ atMs }) => atMs - startMs)).toEqual([0, 1_000, 3_000, 6_000]);
});

test('at most maxProcesses hooks run at once, queues take turns, and the longest waiting time is measured', async () => {
  const names = ['a', 'b', 'c'];
  const world = new EngineWorld({
    hooks: names.map((name) => hook(name, { kubernetes: [events({ queue: name })] })),
    maxProcesses: 1,
  });
  for (const name of names) world.endings.set(name, ['lasts', 'lasts']);
  await world.start();

  for (const name of names) world.watch(name, 'x').put('n', 1);
  await settle();
  for (let at = 0; at < 6; at++) {
    if (at < 3) world.watch(names[at] ?? '', 'x').put('n', 2);
    await world.clock.advanceAndSettle(1_000);
    world.attempts[at]?.succeed();
    await settle();
  }

  world.watch('a', 'x').put('n', 3);
  await settle();

  expect(world.attempts.map(({ hook: of }) => of).join('')).toBe('abcabca');
  expect(world.meter.value('shell_operator_longest_process_wait_seconds')).toBe(2);
});

test('one run combines at most 32 Mi characters of contexts', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { kubernetes: [events({ includeSnapshotsFrom: ['x'] })] })],
  });
  world.endings.set('a', ['lasts']);
  await world.start();

  world.watch('a', 'x').put('large', 'x'.repeat(9 * 1024 * 1024));
  await settle();
  for (const n of [1, 2, 3, 4]) world.watch('a', 'x').put('small', n);
  world.attempts[0]?.succeed();
  await settle();

  expect(world.attempts.map(({ contexts }) => contexts.length)).toEqual([1, 3, 1]);
});

test('[hooks 28] hooks of version v0 get one event per run, and no Synchronization', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        version: 'v0',
        onStartup: 1,
        kubernetes: [watches({ name: 'onKubernetesEvent', kind: 'pods' })],
        schedules: [schedule({ name: 'nightly' })],
      }),
    ],
  });
  world.endings.set('a', ['succeeds', 'lasts']);
  await world.start();

  const watch = world.watch('a', 'onKubernetesEvent');
  watch.put('ns/one', { kind: 'Pod' });
  await settle();
  watch.put('ns/one', { kind: 'Pod', spec: {} });
  watch.put('two', { kind: 'Node' });
  watch.delete('two');
  await world.clock.advanceAndSettle(60_000);
  world.attempts[1]?.succeed();
  await settle();

  const item = { binding: 'onKubernetesEvent', resourceNamespace: 'ns', resourceKind: 'Pod' };
  const node = { ...item, resourceNamespace: '', resourceKind: 'Node', resourceName: 'two' };
  expect(world.attempts.map(({ contexts }) => contexts)).toEqual([
    [{ binding: 'onStartup' }],
    [{ ...item, resourceEvent: 'add', resourceName: 'one' }],
    [{ ...item, resourceEvent: 'update', resourceName: 'one' }],
    [{ ...node, resourceEvent: 'add' }],
    [{ ...node, resourceEvent: 'delete' }],
    [{ binding: 'nightly' }],
  ]);
});

test('a queue that has stopped waiting for a free process does not start a process later', async () => {
  const slots = new ProcessSlots(1, new FakeClock(), noMeter);
  const gone = new AbortController();
  const first = await slots.take(new AbortController().signal);

  const waiting = slots.take(gone.signal);
  gone.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  first[Symbol.dispose]();

  await expect(slots.take(new AbortController().signal)).resolves.toBeDefined();
});
