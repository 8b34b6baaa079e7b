import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stageOf } from '../ramp.ts';

const ramp = { step: 2, intervalSeconds: 60 };

test('TD9: a ramp makes one step, and waits for an interval before the next step', () => {
  const first = stageOf(ramp, { current: 1, target: 6, steppedAtMs: undefined, nowMs: 100_000 });
  const tooEarly = stageOf(ramp, { current: 3, target: 6, steppedAtMs: 100_000, nowMs: 130_000 });
  const second = stageOf(ramp, { current: 3, target: 6, steppedAtMs: 100_000, nowMs: 160_000 });
  const last = stageOf(ramp, { current: 5, target: 6, steppedAtMs: 160_000, nowMs: 220_000 });

  expect(first).toEqual({ replicas: 3, steppedAtMs: 100_000, nextInMs: 60_000 });
  expect(tooEarly).toEqual({ replicas: 3, steppedAtMs: 100_000, nextInMs: 30_000 });
  expect(second).toEqual({ replicas: 5, steppedAtMs: 160_000, nextInMs: 60_000 });
  expect(last).toEqual({ replicas: 6, steppedAtMs: 220_000, nextInMs: undefined });
});

test('a new Deployment gets all its replicas at once', () => {
  const made = { current: undefined, target: 6, steppedAtMs: undefined, nowMs: 0 };

  expect(stageOf(ramp, made).replicas).toBe(6);
});

test('a step with a recorded time in the future does not delay the next step', () => {
  const stage = stageOf(ramp, { current: 1, target: 6, steppedAtMs: 900_000, nowMs: 0 });

  expect(stage.replicas).toBe(3);
});

test('every ramp reaches its target one step at a time, and never passes it', () => {
  const count = fc.integer({ min: 0, max: 200 });
  const steps = fc.record({
    step: fc.integer({ min: 1, max: 50 }),
    intervalSeconds: fc.integer({ min: 1, max: 3_600 }),
  });
  fc.assert(
    fc.property(steps, count, count, (given, from, target) => {
      let [current, nowMs, steppedAtMs] = [from, 0, undefined as number | undefined];
      for (let turns = 0; current !== target; turns++) {
        const stage = stageOf(given, { current, target, steppedAtMs, nowMs });
        expect(Math.abs(stage.replicas - current)).toBeLessThanOrEqual(given.step);
        expect(Math.abs(target - stage.replicas)).toBeLessThan(Math.abs(target - current));
        expect(turns).toBeLessThan(200);
        current = stage.replicas;
        steppedAtMs = stage.steppedAtMs;
        nowMs += stage.nextInMs ?? 0;
      }
    }),
  );
});
