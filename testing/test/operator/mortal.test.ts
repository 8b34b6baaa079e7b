import { expect, test } from 'vitest';
import { MortalClock } from '../../src/operator/mortal.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';

test('a dead clock fires no alarm, neither one from before nor one from after', () => {
  const clock = new FakeClock();
  const mortal = new MortalClock(clock);
  const fired: string[] = [];
  mortal.schedule(10, () => fired.push('alive'));
  clock.advance(10);
  mortal.schedule(10, () => fired.push('before'));

  mortal.kill();
  mortal.schedule(10, () => fired.push('after'));
  clock.advance(20);

  expect(fired).toEqual(['alive']);
  expect(clock.pending).toBe(0);
});

test('a cancelled alarm is no alarm of its clock any more', () => {
  const clock = new FakeClock();
  const mortal = new MortalClock(clock);

  mortal.schedule(10, () => {})();

  expect(clock.pending).toBe(0);
  expect(mortal.now()).toBe(clock.now());
});
