import { sleep } from 'chancery/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';
import { settle } from '../../src/time/settle.ts';

const never = (): AbortSignal => new AbortController().signal;

describe('FakeClock', () => {
  test('a FakeClock starts at startMs, and only advance() moves its time', async () => {
    const clock = new FakeClock(1_000);

    await settle();
    const before = [clock.now(), clock.monotonic()];
    clock.advance(5);

    expect(before).toEqual([1_000, 1_000]);
    expect([clock.now(), clock.monotonic()]).toEqual([1_005, 1_005]);
  });

  test('a FakeClock fires the earliest alarm first, and alarms of the same time in the order in which they were set', () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    for (const [name, delayMs] of [
      ['late', 20],
      ['first', 10],
      ['second', 10],
    ] as const) {
      clock.schedule(delayMs, () => fired.push(`${name} at ${clock.monotonic()}`));
    }

    clock.advance(100);

    expect(fired).toEqual(['first at 10', 'second at 10', 'late at 20']);
    expect(clock.monotonic()).toBe(100);
  });

  test('one advance of a FakeClock also fires an alarm that another alarm sets', () => {
    const clock = new FakeClock();
    const firedAt: number[] = [];
    const again = (): void => {
      firedAt.push(clock.monotonic());
      clock.schedule(10, again);
    };
    clock.schedule(10, again);

    clock.advance(35);

    expect(firedAt).toEqual([10, 20, 30]);
    expect(clock.nextInMs).toBe(5);
  });

  test('a cancelled alarm of a FakeClock does not fire and is not pending', () => {
    const clock = new FakeClock();
    let fired = false;
    const cancel = clock.schedule(10, () => {
      fired = true;
    });

    cancel();
    cancel();
    clock.advance(10);

    expect(fired).toBe(false);
    expect(clock.pending).toBe(0);
    expect(clock.nextInMs).toBeUndefined();
  });

  test('an alarm without delay fires at the next advance, even by 0 ms', () => {
    const clock = new FakeClock();
    let fired = false;
    clock.schedule(-1, () => {
      fired = true;
    });

    const atOnce = fired;
    clock.advance(0);

    expect(atOnce).toBe(false);
    expect(fired).toBe(true);
  });

  test('advanceAndSettle runs a chain of sleeps', async () => {
    const clock = new FakeClock();
    const wokenAt: number[] = [];
    const chain = (async () => {
      for (const ms of [10, 20, 30]) {
        await sleep(clock, ms, never());
        wokenAt.push(clock.monotonic());
      }
    })();

    await clock.advanceAndSettle(59);
    const early = [...wokenAt];
    await clock.advanceAndSettle(1);
    await chain;

    expect(early).toEqual([10, 30]);
    expect(wokenAt).toEqual([10, 30, 60]);
  });

  test('the time does not go back if an alarm advances the FakeClock itself', () => {
    const clock = new FakeClock();
    clock.schedule(10, () => clock.advance(100));

    clock.advance(20);

    expect(clock.monotonic()).toBe(110);
  });

  test('the time of a FakeClock never goes back, and rounding errors miss no alarm', async () => {
    const fraction = fc.double({ min: 0, max: 1_000, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.array(fraction), fraction, fraction, async (delays, startMs, stepMs) => {
        const clock = new FakeClock(startMs);
        const readings: number[] = [];
        for (const delayMs of delays) {
          clock.schedule(delayMs, () => readings.push(clock.monotonic()));
        }

        await clock.advanceAndSettle(stepMs);
        readings.push(clock.monotonic());

        const due = delays
          .map((delayMs) => startMs + delayMs)
          .filter((at) => at <= startMs + stepMs);
        expect(readings).toEqual([...due.toSorted((a, b) => a - b), startMs + stepMs]);
      }),
      propertyRuns(0.5),
    );
  });
});
