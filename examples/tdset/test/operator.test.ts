/** The acceptance scenarios, with the operator as in its Pod. */

import { consistently, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { jumpTo, passing, startTDSets } from './support/tdset-place.ts';

test('acceptance 1: the sample scales over the day, exactly at the boundaries', async () => {
  const clock = new FakeClock(Date.parse('2030-01-07T20:00:00Z'));
  const place = await startTDSets({ clock });
  const replicas = async () => (await place.deployment('tdset-sample'))?.spec.replicas;
  const status = async () => (await place.set('tdset-sample'))?.status;
  /** Everything is as it should be, and waits. */
  const quiet = (next: string) =>
    passing(clock, async () => (await status())?.nextTransitionTime === next);
  await place.apply(new URL('../sample/', import.meta.url));

  await passing(clock, async () => (await replicas()) === 2);
  await quiet('2030-01-08T00:00:00Z');
  expect(await status()).toMatchObject({ activeWindow: '19:00-00:00', desiredReplicas: 2 });

  await jumpTo(clock, '2030-01-08T00:30:00Z', place);
  await passing(clock, async () => (await replicas()) === 3);
  await quiet('2030-01-08T01:00:00Z');
  const inTheGap = await status();
  expect(inTheGap).toMatchObject({ desiredReplicas: 3, uncoveredHours: ['00:00-01:00'] });
  expect(inTheGap?.activeWindow).toBeUndefined();

  await jumpTo(clock, '2030-01-08T06:00:00Z', place);
  await passing(clock, async () => (await replicas()) === 2);
  await quiet('2030-01-08T09:00:00Z');

  await jumpTo(clock, '2030-01-08T08:59:59Z', place);
  await consistently(async () => (await replicas()) === 2, { forMs: 100 });
  await passing(clock, async () => (await replicas()) === 5, 10);
  expect(clock.now()).toBeGreaterThanOrEqual(Date.parse('2030-01-08T09:00:00Z'));
  expect(clock.now()).toBeLessThan(Date.parse('2030-01-08T09:00:01Z'));
});
