import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { RestartGate, RestartRequest } from '../../restart/gate.ts';
import { throttleGate } from '../../restart/throttle.ts';
import { request } from './requests.ts';

const START_MS = Date.parse('2030-01-01T00:00:00Z');

/** When each request restarts, in milliseconds from the start: each asks, and asks again when it was told to. */
function restartTimes(gate: RestartGate, requests: readonly RestartRequest[]): readonly number[] {
  const clock = new FakeClock(START_MS);
  const times: number[] = [];
  const ask = (asked: RestartRequest): void => {
    const wait = gate.leftMs(asked, clock.now());
    if (wait !== undefined) {
      clock.schedule(wait.waitMs, () => ask(asked));
      return;
    }
    gate.restarted?.(asked, clock.now());
    times.push(clock.now() - START_MS);
  };
  for (const asked of requests) ask(asked);
  while (clock.pending > 0) clock.advance(10);
  return times;
}

const many = (count: number): readonly RestartRequest[] =>
  Array.from({ length: count }, (_, n) => request(`web-${n}`));

test('[reloader 12] restarts of 100 workloads at 10 per second take 9 seconds after a burst of 10', () => {
  const times = restartTimes(throttleGate({ perSecond: 10, burst: 10 }), many(100));

  expect(times).toHaveLength(100);
  expect(times.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 0));
  expect(times.slice(10)).toEqual(Array.from({ length: 90 }, (_, n) => (n + 1) * 100));
});

test('without a burst, restarts happen one by one', () => {
  expect(restartTimes(throttleGate({ perSecond: 0.5, burst: 1 }), many(4))).toEqual([
    0, 2_000, 4_000, 6_000,
  ]);
});

test('a quiet period refills the bucket up to the burst', () => {
  const gate = throttleGate({ perSecond: 1, burst: 2 });
  const waits = (names: readonly string[], nowMs: number): readonly (number | undefined)[] =>
    names.map((name) => gate.leftMs(request(name), nowMs)?.waitMs);

  expect(waits(['a', 'b', 'c'], START_MS)).toEqual([undefined, undefined, 1_000]);
  expect(waits(['d', 'e', 'f'], START_MS + 3_600_000)).toEqual([undefined, undefined, 1_000]);
});

test('a restart that needs several reconciles takes only one turn of the rate limit', () => {
  const gate = throttleGate({ perSecond: 1, burst: 1 });

  expect(gate.leftMs(request('job'), START_MS)).toBeUndefined();
  expect(gate.leftMs(request('job'), START_MS + 500)).toBeUndefined();
  expect(gate.leftMs(request('web'), START_MS + 500)).toMatchObject({
    waitMs: 500,
    reason: 'throttle',
  });
  gate.restarted?.(request('job'), START_MS + 900);
  expect(gate.leftMs(request('job'), START_MS + 1_000)?.waitMs).toBe(1_000);
});

test('a workload that is not reconciled again gives up its turn of the rate limit', () => {
  const gate = throttleGate({ perSecond: 1, burst: 1 });
  gate.leftMs(request('gone'), START_MS);

  expect(gate.leftMs(request('web'), START_MS + 100_000)).toBeUndefined();
  expect(gate.leftMs(request('gone'), START_MS + 100_000)?.waitMs).toBe(1_000);
});

test('a workload that is reconciled again after more than a minute takes another turn of the rate limit', () => {
  const gate = throttleGate({ perSecond: 1, burst: 1 });
  gate.leftMs(request('web'), START_MS);

  expect(gate.leftMs(request('web'), START_MS + 100_000)).toBeUndefined();
  expect(gate.leftMs(request('api'), START_MS + 100_000)?.waitMs).toBe(1_000);
});

test('a clock that is set back causes no delay', () => {
  const gate = throttleGate({ perSecond: 1, burst: 1 });
  gate.leftMs(request('a'), START_MS);
  gate.leftMs(request('b'), START_MS);

  expect(gate.leftMs(request('b'), START_MS - 3_600_000)).toBeUndefined();
  expect(gate.leftMs(request('c'), START_MS - 3_600_000)?.waitMs).toBe(1_000);
});
