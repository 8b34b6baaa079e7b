import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { TokenBucket } from '../../operator/queue/token-bucket.ts';
import { WorkQueue } from '../../operator/queue/work-queue.ts';

test('[Q-6] a burst of 100 is free, then 10 a second', () => {
  const bucket = new TokenBucket(new FakeClock());

  const waits = Array.from({ length: 103 }, () => bucket.reserveMs());

  expect(waits.slice(0, 100).every((wait) => wait === 0)).toBe(true);
  expect(waits.slice(100)).toEqual([100, 200, 300]);
});

test('[Q-6] tokens come back with time, never more than the burst', () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket(clock, { perSecond: 2, burst: 3 });
  for (let token = 0; token < 5; token++) bucket.reserveMs();

  clock.advance(1_000);
  const paidBack = bucket.reserveMs();
  clock.advance(3_600_000);
  const rested = Array.from({ length: 4 }, () => bucket.reserveMs());

  expect(paidBack).toBe(500);
  expect(rested).toEqual([0, 0, 0, 500]);
});

test('[Q-6] the overall limit delays retries only, and only when it is asked for', () => {
  const clock = new FakeClock();
  const limited = new WorkQueue<number>({ clock, backoff: { jitter: 0 }, overallLimit: {} });
  const unlimited = new WorkQueue<number>({ clock, backoff: { jitter: 0 } });
  const keys = Array.from({ length: 150 }, (_, index) => index);

  const delays = keys.map((key) => limited.retry(key));
  const unlimitedDelays = keys.map((key) => unlimited.retry(key));
  limited.add(1_000);
  limited.addAfter(1_001, 1);
  clock.advance(1);

  expect(delays[99]).toBe(5);
  expect(delays[149]).toBe(5_000);
  expect(new Set(unlimitedDelays)).toEqual(new Set([5]));
  expect(limited.depth).toBe(2);
});

test('[Q-6] the longest of the waits counts: of the key, of the limit, of the server', () => {
  const clock = new FakeClock();
  const queue = new WorkQueue<string>({
    clock,
    backoff: { jitter: 0, initialMs: 300 },
    overallLimit: { perSecond: 1, burst: 1 },
  });

  expect(queue.retry('a')).toBe(300);
  expect(queue.retry('b')).toBe(1_000);
  expect(queue.retry('c', 9_000)).toBe(9_000);
});
