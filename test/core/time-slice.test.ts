import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { runInSlices, TimeSlice, yieldToEventLoop } from '../../operator/core/time-slice.ts';

const { signal } = new AbortController();

test('[L-15] work that never yields returns its result synchronously', () => {
  // biome-ignore lint/correctness/useYield: that is the case
  const work = (function* (): Generator<void, string, undefined> {
    return 'done';
  })();

  expect(runInSlices(work, signal)).toBe('done');
});

test('[L-15] work that yields takes one step in each turn of the event loop', async () => {
  let turns = 0;
  const steps: number[] = [];
  const counter = setInterval(() => {}, 1_000);
  const work = (function* (): Generator<void, string, undefined> {
    for (let step = 0; step < 5; step++) {
      steps.push(turns);
      yield;
    }
    return 'done';
  })();

  const result = runInSlices(work, signal);
  for (; turns < 10; turns++) await yieldToEventLoop();
  clearInterval(counter);

  expect(await result).toBe('done');
  expect(steps).toEqual([0, 0, 1, 2, 3]); // the first in the turn of the call
});

test('[L-15] aborted work takes no further step', async () => {
  const stop = new AbortController();
  let steps = 0;
  const work = (function* (): Generator<void, void, undefined> {
    for (;;) {
      steps++;
      yield;
    }
  })();
  const result = runInSlices(work, stop.signal);

  stop.abort(new Error('enough'));

  await expect(result).rejects.toThrow('enough');
  await settle();
  expect(steps).toBe(1);
});

test('[L-15] a time slice allows 10 ms per turn', async () => {
  const clock = new FakeClock();
  const limit = new TimeSlice(clock);

  const atOnce = limit.exceeded;
  clock.advance(9);
  const early = limit.exceeded;
  clock.advance(1);
  const late = limit.exceeded;
  await late;
  const afterwards = limit.exceeded;

  expect([atOnce, early, afterwards]).toEqual([undefined, undefined, undefined]);
  expect(late).toBeInstanceOf(Promise);
});
