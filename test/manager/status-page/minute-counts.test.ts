import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { MinuteCounts } from '../../../operator/manager/status-page/reconcile-history.ts';

test('MinuteCounts counts per minute, with the current minute last', () => {
  const clock = new FakeClock();
  const counts = new MinuteCounts(clock);

  counts.count();
  clock.advance(60_000);
  counts.count();
  counts.count();
  clock.advance(120_000);
  counts.count();

  expect(counts.values()).toHaveLength(60);
  expect(counts.values().slice(-4)).toEqual([1, 2, 0, 1]);
});

test('MinuteCounts forgets counts older than an hour, even without new counts', () => {
  const clock = new FakeClock();
  const counts = new MinuteCounts(clock);
  counts.count();

  clock.advance(59 * 60_000);
  const within = counts.values();
  clock.advance(60_000);
  const beyond = counts.values();
  clock.advance(1_000 * 60_000);
  counts.count();

  expect(within[0]).toBe(1);
  expect(beyond.every((count) => count === 0)).toBe(true);
  expect(counts.values().reduce((sum, count) => sum + count, 0)).toBe(1);
});
