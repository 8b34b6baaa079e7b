/** Ticks of schedules, and the bound on those that wait. */
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { EngineWorld, hook, schedule } from './support/engine-world.ts';

test('schedules with a crontab with seconds, or with an @every interval, tick at their times', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { schedules: [schedule({ name: 'second', crontab: '*/20 * * * * *' })] }),
      hook('b', { schedules: [schedule({ name: 'interval', crontab: '@every 45s' })] }),
    ],
  });
  await world.start();
  const startMs = world.clock.monotonic();

  await world.clock.advanceAndSettle(90_000);

  const times = world.attempts.map(({ hook: of, atMs }) => `${of} ${(atMs - startMs) / 1_000}`);
  expect(times).toEqual(['a 20', 'a 40', 'b 45', 'a 60', 'a 80', 'b 90']);
});

test('a schedule ticks at a time that is hours away, and ticks only once after a long silence', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { schedules: [schedule({ name: 'nightly', crontab: '30 3 * * *' })] })],
  });
  await world.start();

  world.clock.advance(3.5 * 3_600_000 - 1);
  await world.clock.advanceAndSettle(0);
  const before = world.log.length;
  await world.clock.advanceAndSettle(1);

  expect(before).toBe(0);
  expect(world.log).toEqual(['a Schedule(nightly)']);
});

test('a schedule continues when the wall clock is set back by hours', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 5));
  let setBackMs = 0;
  const world = new EngineWorld({
    hooks: [hook('a', { schedules: [schedule({ name: 'minute' })] })],
    clock: {
      now: () => clock.now() - setBackMs,
      monotonic: () => clock.monotonic(),
      schedule: (...of) => clock.schedule(...of),
    },
  });
  await world.start();

  setBackMs = 6 * 3_600_000;
  await clock.advanceAndSettle(180_000);

  expect(world.log).toHaveLength(2);
});

test('at most 100 ticks wait behind a failing hook', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { schedules: [schedule({ name: 'second', crontab: '* * * * * *' })] }),
      hook('b', { onStartup: 1 }),
    ],
  });
  world.endings.set('a', ['lasts']);
  await world.start();

  await world.clock.advanceAndSettle(500_000);
  const { waiting } = world.engine.status().queues[0] ?? {};
  world.attempts[1]?.succeed();
  await world.clock.advanceAndSettle(1_000);

  expect(waiting).toBe(100);
  expect(world.attempts[2]?.contexts).toHaveLength(100);
  expect(world.attempts[3]?.contexts).toHaveLength(1);
});
