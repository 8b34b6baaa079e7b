import { sleep } from 'chancery/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';
import { MovableClock } from '../../src/time/movable-clock.ts';

test('a MovableClock is ahead of its base clock by the time that it was moved', async () => {
  const below = new FakeClock(1_000);
  const clock = new MovableClock(below);

  below.advance(5);
  const before = [clock.now(), clock.monotonic()];
  await clock.advance(100);
  below.advance(1);

  expect(before).toEqual([1_005, 1_005]);
  expect([clock.now(), clock.monotonic()]).toEqual([1_106, 1_106]);
});

test('an alarm of a MovableClock fires once, whether the time passes by itself or is moved', async () => {
  const below = new FakeClock();
  const clock = new MovableClock(below);
  const rung: string[] = [];
  clock.schedule(10, () => rung.push('by itself'));
  clock.schedule(100, () => rung.push('by both'));
  clock.schedule(1_000, () => rung.push('by a move'));

  below.advance(10);
  await clock.advance(50);
  below.advance(39);
  const early = [...rung];
  below.advance(1);
  await clock.advance(10_000);
  below.advance(100_000);

  expect(early).toEqual(['by itself']);
  expect(rung).toEqual(['by itself', 'by both', 'by a move']);
});

test('a cancelled alarm of a MovableClock never fires', async () => {
  const below = new FakeClock();
  const clock = new MovableClock(below);
  const rung: string[] = [];
  const cancel = clock.schedule(10, () => rung.push('cancelled'));
  clock.schedule(5, () => cancel());

  await clock.advance(20);
  below.advance(20);

  expect(rung).toEqual([]);
  expect(below.pending).toBe(0);
});

test('one move of a MovableClock runs a chain of sleeps, and each sleep ends at the right time', async () => {
  const clock = new MovableClock(new FakeClock());
  const woken: number[] = [];
  const chain = async (): Promise<void> => {
    for (;;) {
      await sleep(clock, 60_000, new AbortController().signal);
      woken.push(clock.monotonic());
    }
  };
  void chain();

  await clock.advance(200_000);

  expect(woken).toEqual([60_000, 120_000, 180_000]);
});

test('two simultaneous moves of a MovableClock happen one after the other', async () => {
  const clock = new MovableClock(new FakeClock());
  const rung: number[] = [];
  clock.schedule(150, () => rung.push(clock.monotonic()));

  await Promise.all([clock.advance(100), clock.advance(100)]);

  expect(rung).toEqual([150]);
  expect(clock.monotonic()).toBe(200);
});

test('the alarms of a MovableClock fire in order, whatever moves the time', async () => {
  const delays = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 12 });
  const moves = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 20 })), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(delays, moves, async (all, steps) => {
      const below = new FakeClock();
      const clock = new MovableClock(below);
      const rung: number[] = [];
      for (const delayMs of all) clock.schedule(delayMs, () => rung.push(delayMs));
      let passedMs = 0;
      for (const [isMove, ms] of steps) {
        if (isMove) await clock.advance(ms);
        else below.advance(ms);
        passedMs += ms;

        const due = all.filter(
          (delayMs) => delayMs <= passedMs && (passedMs > 0 || rung.length > 0),
        );
        expect(rung).toEqual(due.toSorted((a, b) => a - b));
      }
    }),
    propertyRuns(),
  );
});
