import { rfc3339Micro } from 'chancery/low-level';
import { expect, test } from 'vitest';
import type { ChaosPlan } from '../chaos-plan.ts';
import { drawNext, scheduleOf } from '../schedule.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2030-01-01T00:00:00Z');

const middle = (): number => 0.5;

function plan(spec: Partial<ChaosPlan['spec']> = {}, status: ChaosPlan['status'] = {}): ChaosPlan {
  return {
    apiVersion: 'chaos.example.dev/v1',
    kind: 'ChaosPlan',
    metadata: { name: 'chaos', namespace: 'shop' },
    spec: { intervalSeconds: 3_600, maxEvictions: 1, dryRun: false, ...spec },
    status,
  };
}

/** Repeatable numbers that look random. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('CH10: no interval of time, wherever it begins, has more evictions than the limit', () => {
  const random = numbers(7);
  const spec = { maxEvictions: 3 };
  const evictedAt: number[] = [];
  let nowMs = START_MS;
  let status: NonNullable<ChaosPlan['status']> = {};
  while (evictedAt.length < 500) {
    const { recent, nextMs } = scheduleOf(plan(spec, status), nowMs, random);
    if (nextMs > nowMs) {
      status = { ...status, nextEvictionTime: rfc3339Micro(nextMs) };
      nowMs = Math.ceil(nextMs);
      continue;
    }
    evictedAt.push(nowMs);
    const next = drawNext(plan(spec).spec, nowMs, random);
    status = {
      evictions: [...recent, { time: rfc3339Micro(nowMs), pod: 'a' }],
      nextEvictionTime: rfc3339Micro(next),
    };
  }

  const fullest = evictedAt.map(
    (from) => evictedAt.filter((at) => at >= from && at < from + HOUR_MS).length,
  );
  const gaps = evictedAt.slice(1).map((at, index) => at - (evictedAt[index] ?? 0));

  expect(Math.max(...fullest)).toBe(3);
  expect(new Set(gaps).size).toBeGreaterThan(400); // nobody can foresee them
});

test('CH4: the first eviction of a new plan happens after half a slot at the earliest', () => {
  expect(scheduleOf(plan(), START_MS, () => 0).nextMs).toBe(START_MS + HOUR_MS / 2);
  expect(scheduleOf(plan({ maxEvictions: 2 }), START_MS, () => 0).nextMs).toBe(
    START_MS + HOUR_MS / 4,
  );
});

test('CH4: the time that was drawn earlier is kept, and so is the record of past evictions', () => {
  const evictions = [{ time: '2029-12-31T23:59:00.000000Z', pod: 'a' }];
  const nextEvictionTime = '2030-01-01T00:59:30.000000Z';
  const known = plan({}, { evictions, nextEvictionTime });

  expect(scheduleOf(known, START_MS, middle)).toEqual({
    recent: evictions,
    nextMs: Date.parse(nextEvictionTime),
  });
});

test('CH5: an eviction whose time was missed does not happen later', () => {
  const missed = plan({}, { nextEvictionTime: '2029-12-31T14:00:00Z' });
  const late = plan({}, { nextEvictionTime: '2029-12-31T23:59:50Z' });

  expect(scheduleOf(missed, START_MS, middle).nextMs).toBe(START_MS + HOUR_MS);
  expect(scheduleOf(late, START_MS, middle).nextMs).toBeLessThan(START_MS);
});

test('CH13: with a wrong clock, evictions neither stop for ever nor exceed the limit', () => {
  const evictions = [{ time: '2031-06-01T00:00:00Z', pod: 'a' }];
  const ahead = plan({}, { evictions, nextEvictionTime: '2031-06-01T01:00:00Z' });

  const schedule = scheduleOf(ahead, START_MS, middle);

  expect(schedule.nextMs).toBe(START_MS + HOUR_MS);
  expect(schedule.recent).toEqual([{ time: rfc3339Micro(START_MS), pod: 'a' }]);
});

test('CH10: a lower limit takes effect at once, and with a shorter interval a new time is drawn', () => {
  const evictions = ['23:30', '23:40'].map((at) => ({ time: `2029-12-31T${at}:00Z`, pod: 'a' }));
  const lowered = plan(
    { maxEvictions: 1 },
    { evictions, nextEvictionTime: '2030-01-01T00:00:00Z' },
  );
  const shortened = plan({ intervalSeconds: 60 }, { nextEvictionTime: '2030-01-01T00:50:00Z' });

  expect(scheduleOf(lowered, START_MS, middle).nextMs).toBe(Date.parse('2030-01-01T00:40:00Z'));
  expect(scheduleOf(shortened, START_MS, middle).nextMs).toBe(START_MS + 60_000);
});
