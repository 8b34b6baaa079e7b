import { expect, test } from 'vitest';
import { MortalClock } from '../../src/operator/mortal.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';

test('a killed MortalClock fires no alarm, whether set before or after', () => {
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

test('a cancelled alarm of a MortalClock is also cancelled in the base clock', () => {
  const clock = new FakeClock();
  const mortal = new MortalClock(clock);

  mortal.schedule(10, () => {})();

  expect(clock.pending).toBe(0);
  expect(mortal.now()).toBe(clock.now());
});
