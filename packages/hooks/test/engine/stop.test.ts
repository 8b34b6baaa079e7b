/** How an engine ends. */
import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { LeadershipLostError } from '../../../../operator/core/errors.ts';
import { EngineWorld, hook, schedule, watches } from './support/engine-world.ts';

const A = hook('a', {
  kubernetes: [watches({ name: 'x' })],
  schedules: [schedule({ name: 'minute', queue: 'own' })],
});

test('at shutdown, a run that has begun may end within the grace period, and no other run begins', async () => {
  const world = new EngineWorld({ hooks: [A, hook('b', { onStartup: 1 })], stopGraceMs: 10_000 });
  world.endings.set('b', ['lasts']);
  await world.start();

  await world.tellToStop(new Error('enough'));
  await world.clock.advanceAndSettle(9_999);
  const aborted = world.attempts[0]?.signal.aborted;
  world.attempts[0]?.succeed();
  await world.ended;

  expect(aborted).toBe(false);
  expect(world.log).toEqual(['b (onStartup)']);
  expect(world.clock.pending).toBe(0);
});

test('at shutdown, a run is aborted after the grace period, and does not count as a failure of the hook', async () => {
  const world = new EngineWorld({ hooks: [A], stopGraceMs: 10_000 });
  world.endings.set('a', ['lasts']);
  const reason = new Error('enough');
  await world.start();

  await world.tellToStop(reason);
  await world.clock.advanceAndSettle(10_000);
  await world.ended;

  expect(world.attempts[0]?.signal.reason).toBe(reason);
  expect(world.engine.status().hooks[0]?.errors).toBe(0);
  expect(world.watch('a', 'x').closed).toBe(true);
});

test('a run is aborted without a grace period when leadership is lost', async () => {
  const world = new EngineWorld({ hooks: [A], stopGraceMs: 10_000 });
  world.endings.set('a', ['lasts']);
  await world.start();

  await world.tellToStop(new LeadershipLostError('another leads'));
  await world.ended;

  expect(world.attempts[0]?.signal.aborted).toBe(true);
});

test('at shutdown, every wait for a retry, a token, a process, a list or a tick ends at once, and no timer is left', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { kubernetes: [watches({ name: 'x', runsOnSynchronization: false })] }),
      hook('b', {
        rateLimit: { intervalMs: 60_000, burst: 1 },
        kubernetes: [watches({ name: 'x', queue: 'limited', runsOnSynchronization: false })],
      }),
      hook('c', {
        kubernetes: [watches({ name: 'x', queue: 'lasting', runsOnSynchronization: false })],
      }),
      hook('d', {
        schedules: [schedule({ name: 'minute', queue: 'own' })],
        kubernetes: [watches({ name: 'x', queue: 'waiting', runsOnSynchronization: false })],
      }),
      hook('e', { kubernetes: [watches({ name: 'x' })] }),
    ],
    maxProcesses: 1,
  });
  world.watch('e', 'x').synced = false;
  world.endings.set('c', ['lasts']);
  world.endings.set('a', ['fails']);
  await world.start();
  // `main` waits for the list of e; the tasks of a wait behind it.
  for (const name of ['a', 'b', 'b', 'c', 'd']) {
    world.watch(name, 'x').put('n', 1);
    await settle();
  }
  const waiting = world.engine.idle;

  await world.tellToStop(new Error('enough'));
  await world.ended;

  expect(waiting).toBe(false);
  expect(world.log).toEqual(['b Event(x Added 1)', 'c Event(x Added 1)']);
  expect(world.clock.pending).toBe(0);
});

test('after the engine ends, no task waits, and so the metrics of a standby contain no queue', async () => {
  const world = new EngineWorld({
    hooks: [A, hook('b', { schedules: [schedule({ name: 'x' })] })],
  });
  world.endings.set('a', ['fails']);
  await world.start();
  const lengthOfMain = () =>
    world.meter.value('shell_operator_tasks_queue_length', { queue: 'main' });
  const before = lengthOfMain();

  await world.stop(new LeadershipLostError('another leads'));

  expect(before).toBeGreaterThan(1);
  expect(world.engine.status().queues.map(({ waiting }) => waiting)).toEqual([0, 0]);
  expect(lengthOfMain()).toBe(0);
});

test('an error of watchBinding ends the engine', async () => {
  const world = new EngineWorld({
    hooks: [A],
    watchBinding: () => {
      throw new Error('no such filter');
    },
  });

  const ended = world.engine.run(new AbortController().signal);

  await expect(ended).rejects.toThrow('no such filter');
  expect(world.clock.pending).toBe(0);
});
