import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { LimitPauses } from '../../src/jq/limit-pauses.ts';

test('jq: a program that keeps reaching its limit is paused for growing times', async () => {
  const clock = new FakeClock();
  const pauses = new LimitPauses(clock);
  const reach = () => {
    pauses.reached('slow');
    return pauses.isPaused('slow');
  };
  expect([reach(), reach(), reach()]).toEqual([false, false, true]);
  expect(pauses.isPaused('other')).toBe(false);

  await clock.advance(9_999);
  expect(pauses.isPaused('slow')).toBe(true);
  await clock.advance(1);
  expect(pauses.isPaused('slow')).toBe(false);

  expect(reach()).toBe(true);
  await clock.advance(19_999);
  expect(pauses.isPaused('slow')).toBe(true);
  await clock.advance(1);
  for (let more = 0; more < 10; more++) reach();
  await clock.advance(300_000);
  expect(pauses.isPaused('slow')).toBe(false);

  await clock.advance(600_001);
  pauses.reached('other');
  expect(reach()).toBe(false);
});
