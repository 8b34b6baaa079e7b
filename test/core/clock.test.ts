import { getEventListeners } from 'node:events';
import { FakeClock } from '@chancery/testing';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Clock, sleep, systemClock } from '../../operator/core/clock.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

function ownTime(): void {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

describe('the clock systemClock', () => {
  beforeEach(ownTime);

  test('the system clock calls a scheduled function once, and not before the delay is over', () => {
    const wokenAt: number[] = [];
    const startedAt = systemClock.monotonic();
    systemClock.schedule(250, () => wokenAt.push(systemClock.monotonic() - startedAt));

    vi.advanceTimersByTime(249);
    const early = wokenAt.length;
    vi.advanceTimersByTime(10_000);

    expect(early).toBe(0);
    expect(wokenAt).toEqual([250]);
  });

  test('the system clock supports delays beyond the limit of setTimeout', () => {
    let woken = 0;
    systemClock.schedule(40 * DAY_MS, () => woken++);

    vi.advanceTimersByTime(40 * DAY_MS - 1);
    const early = woken;
    vi.advanceTimersByTime(1);

    expect(early).toBe(0);
    expect(woken).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    2 ** 31 - 1,
    2 ** 31,
    2 ** 32 + 5,
  ])('the system clock never calls setTimeout with a delay above its limit', (ms) => {
    const spy = vi.spyOn(globalThis, 'setTimeout');
    let woken = false;
    systemClock.schedule(ms, () => {
      woken = true;
    });

    vi.advanceTimersByTime(ms);

    expect(woken).toBe(true);
    expect(Math.max(...spy.mock.calls.map(([, delayMs]) => delayMs ?? 0))).toBe(2 ** 31 - 1);
  });

  test('if a timer fires early, the system clock waits for the rest of the delay', () => {
    const startedAt = systemClock.monotonic();
    let wokenAfterMs: number | undefined;
    systemClock.schedule(1.75, () => {
      wokenAfterMs = systemClock.monotonic() - startedAt;
    });

    vi.advanceTimersByTime(10);

    expect(wokenAfterMs).toBeGreaterThanOrEqual(1.75);
  });

  test.each([
    0, -5,
  ])('with a delay of %i ms the system clock calls the function in the next turn', (delayMs) => {
    let woken = false;
    systemClock.schedule(delayMs, () => {
      woken = true;
    });

    const atOnce = woken;
    vi.advanceTimersByTime(1);

    expect(atOnce).toBe(false);
    expect(woken).toBe(true);
  });

  test('a scheduled call can be cancelled during a long delay, even twice', () => {
    let woken = false;
    const cancel = systemClock.schedule(40 * DAY_MS, () => {
      woken = true;
    });
    vi.advanceTimersByTime(30 * DAY_MS);

    cancel();
    cancel();
    vi.advanceTimersByTime(20 * DAY_MS);

    expect(woken).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the monotonic time of the system clock does not change with the wall time', () => {
    const wall = systemClock.now();
    const startedAt = systemClock.monotonic();

    vi.setSystemTime(wall + DAY_MS);

    expect(systemClock.now()).toBe(wall + DAY_MS);
    expect(systemClock.monotonic() - startedAt).toBe(0);
  });
});

describe('the function sleep', () => {
  const never = (): AbortSignal => new AbortController().signal;

  test('sleep resolves after its time and leaves no listener', async () => {
    const clock = new FakeClock();
    const signal = never();
    let awake = false;
    const sleeping = sleep(clock, 100, signal).then(() => {
      awake = true;
    });

    await clock.advanceAndSettle(99);
    const early = awake;
    await clock.advanceAndSettle(1);
    await sleeping;

    expect(early).toBe(false);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('an aborted sleep rejects with the reason and leaves no timer and no listener', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const reason = new Error('stop');
    const sleeping = sleep(clock, 100, stop.signal);

    stop.abort(reason);

    await expect(sleeping).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  test('sleep with an aborted signal starts no timer', async () => {
    const clock = new FakeClock();
    const reason = new Error('too late');

    const sleeping = sleep(clock, 100, AbortSignal.abort(reason));

    await expect(sleeping).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
  });

  test('an abort after the end of sleep changes nothing', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const sleeping = sleep(clock, 100, stop.signal);
    clock.advance(100);

    stop.abort(new Error('late'));

    await expect(sleeping).resolves.toBeUndefined();
  });

  test('an aborted sleep on the system clock clears the timer', async () => {
    ownTime();
    const stop = new AbortController();
    const clock: Clock = systemClock;
    const sleeping = sleep(clock, 40 * DAY_MS, stop.signal);
    const before = vi.getTimerCount();

    stop.abort(new Error('stop'));

    await expect(sleeping).rejects.toThrow('stop');
    expect(before).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
