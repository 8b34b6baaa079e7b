/** What runs at the start, and in which order. */
import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { EngineWorld, hook, schedule, watches } from './support/engine-world.ts';

test("at startup, onStartup hooks run in the order of their numbers, and then each hook's bindings run in their order", async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { onStartup: 10, kubernetes: [watches({ name: 'x' }), watches({ name: 'y' })] }),
      hook('b', { onStartup: 2, kubernetes: [watches({ name: 'z' })] }),
      hook('c', { onStartup: 10 }),
    ],
  });
  const idleBefore = world.engine.idle;

  await world.start();

  expect(world.log).toEqual([
    'b (onStartup)',
    'a (onStartup)',
    'c (onStartup)',
    'a Synchronization(x [])',
    'a Synchronization(y [])',
    'b Synchronization(z [])',
  ]);
  expect([idleBefore, world.engine.idle]).toEqual([false, true]);
});

test("the bindings of a hook are watched only when it is this hook's turn to start", async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { onStartup: 1, kubernetes: [watches({ name: 'x' })] }),
      hook('b', { kubernetes: [watches({ name: 'z' })] }),
    ],
  });
  world.endings.set('a', ['lasts', 'lasts']);

  await world.start();
  const duringStartup = [...world.watched];
  world.attempts[0]?.succeed();
  await settle();

  expect(duringStartup).toEqual([]);
  expect(world.watched).toEqual(['a x']);
});

test('[hooks S7] if the kind of a hook is not served, other hooks are not delayed, and the hook starts when the kind is served', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        kubernetes: [
          watches({ name: 'own', includeSnapshotsFrom: ['late'] }),
          watches({ name: 'late' }),
        ],
        schedules: [schedule({ name: 'tick', includeSnapshotsFrom: ['late'] })],
      }),
      hook('b', { kubernetes: [watches({ name: 'z' })] }),
    ],
  });
  const late = world.watch('a', 'late');
  late.synced = false;
  late.waitsFor = 'waits for the kind Website';

  await world.start();
  await world.clock.advanceAndSettle(120_000);
  const { waitsFor } = world.engine.status().hooks[0] ?? {};
  const before = [...world.log];
  late.put('site', 1);
  late.sync();
  await settle();
  await world.clock.advanceAndSettle(60_000);

  expect(before).toEqual(['b Synchronization(z [])']);
  expect(waitsFor).toEqual(['late waits for the kind Website']);
  expect(world.log.slice(1)).toEqual([
    'a Synchronization(own [] {"late":[{"object":1}]})',
    'a Synchronization(late [{"object":1}])',
    'a Schedule(tick {"late":[{"object":1}]})',
  ]);
  expect(world.engine.status().hooks[0]?.waitsFor).toEqual([]);
});

test('later hooks wait for the first list of an earlier hook', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { kubernetes: [watches({ name: 'x' })] }),
      hook('b', { kubernetes: [watches({ name: 'z' })] }),
    ],
  });
  world.watch('a', 'x').synced = false;

  await world.start();
  const before = [...world.log];
  world.watch('a', 'x').sync();
  await settle();

  expect(before).toEqual([]);
  expect(world.log).toEqual(['a Synchronization(x [])', 'b Synchronization(z [])']);
});

test('if the first list of a hook turns out to be impossible, other hooks are delayed by only a second', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { kubernetes: [watches({ name: 'x' })] }),
      hook('b', { kubernetes: [watches({ name: 'z' })] }),
    ],
  });
  world.watch('a', 'x').synced = false;

  await world.start();
  world.watch('a', 'x').waitsFor = 'may not list things';
  await world.clock.advanceAndSettle(1_000);

  expect(world.log).toEqual(['b Synchronization(z [])']);
});

test('schedules tick after the Synchronizations of their hook, in the queue of the schedule', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        kubernetes: [watches({ name: 'x' })],
        schedules: [schedule({ name: 'minute', queue: 'own' })],
      }),
    ],
  });
  world.endings.set('a', ['lasts']);

  await world.start();
  await world.clock.advanceAndSettle(180_000);
  const before = [...world.log];
  world.attempts[0]?.succeed();
  await settle();
  await world.clock.advanceAndSettle(120_000);

  expect(before).toEqual(['a Synchronization(x [])']);
  expect(world.log.slice(1)).toEqual(['a Schedule(minute)', 'a Schedule(minute)']);
});

test('a Synchronization runs in the queue `main`, or in the queue of its binding if `main` does not wait for it', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        kubernetes: [
          watches({ name: 'slow', queue: 'own', waitsForSynchronization: false }),
          watches({ name: 'x', queue: 'other' }),
        ],
      }),
      hook('b', { kubernetes: [watches({ name: 'z' })] }),
    ],
  });
  world.endings.set('a', ['lasts', 'lasts']);

  await world.start();
  const { queues } = world.engine.status();

  expect(world.log).toEqual(['a Synchronization(slow [])', 'a Synchronization(x [])']);
  expect(queues.map(({ name, hook: of, waiting }) => [name, of, waiting])).toEqual([
    ['main', 'a', 1],
    ['own', 'a', 0],
    ['other', undefined, 0],
  ]);
});

test('if a binding has no Synchronization, its events start runs at once', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { kubernetes: [watches({ name: 'x', runsOnSynchronization: false })] })],
  });
  world.watch('a', 'x').put('old', 1);

  await world.start();
  world.watch('a', 'x').put('new', 2);
  await settle();

  expect(world.log).toEqual(['a Event(x Added 2)']);
  const series = (of: string) => `shell_operator_hook_${of}{binding="x",hook="a",queue="main"}`;
  expect(world.meter.snapshot()).toMatchObject({
    [series('run_success_total')]: 1,
    [series('run_errors_total')]: 0,
    [series('run_seconds')]: [0],
    'shell_operator_kube_event_duration_seconds{binding="x",hook="a",queue="main"}': [0],
    'shell_operator_hook_enable_kubernetes_bindings_success{hook="a"}': 1,
    'shell_operator_hook_enable_kubernetes_bindings_errors_total{hook="a"}': 0,
    'shell_operator_tasks_queue_length{queue="main"}': 0,
    shell_operator_live_ticks: 1,
  });
});

test('[hooks 4] a binding without events never starts a run, and other bindings get its current snapshot', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        kubernetes: [
          watches({ name: 'quiet', events: new Set() }),
          watches({ name: 'loud', includeSnapshotsFrom: ['quiet'] }),
        ],
      }),
    ],
  });
  await world.start();

  world.watch('a', 'quiet').put('q', 'now');
  await settle();
  world.watch('a', 'loud').put('l', 1);
  await settle();

  expect(world.log).toEqual([
    'a Synchronization(loud [] {"quiet":[]})',
    'a Event(loud Added 1 {"quiet":[{"object":"now"}]})',
  ]);
});
