import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyBackoff } from '../../operator/queue/key-backoff.ts';
import { propertyRuns } from '../support/property-runs.ts';

describe('KeyBackoff', () => {
  test('[Q-5] the back-off of a key starts at 5 ms, doubles, and ends at 1,000 s', () => {
    const backoff = new KeyBackoff<string>({ jitter: 0 });

    const delays = Array.from({ length: 20 }, () => backoff.nextMs('a'));

    expect(delays.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(delays.slice(16)).toEqual([327_680, 655_360, 1_000_000, 1_000_000]);
    expect(backoff.failures('a')).toBe(20);
  });

  test('the back-off counts each key separately', () => {
    const backoff = new KeyBackoff<string>({ jitter: 0 });
    backoff.nextMs('a');
    backoff.nextMs('a');

    const other = backoff.nextMs('b');

    expect(other).toBe(5);
    expect([backoff.failures('a'), backoff.failures('b'), backoff.failures('c')]).toEqual([
      2, 1, 0,
    ]);
  });

  test('[Q-5] the back-off of a forgotten key starts over, and takes no memory', () => {
    const backoff = new KeyBackoff<string>({ jitter: 0 });
    backoff.nextMs('a');
    backoff.nextMs('b');

    backoff.forget('a');
    backoff.forget('b');

    expect(backoff.size).toBe(0);
    expect(backoff.nextMs('a')).toBe(5);
    expect(backoff.size).toBe(1);
  });

  test('a query for the failures of a key does not make the back-off remember the key', () => {
    const backoff = new KeyBackoff<string>();

    backoff.failures('a');

    expect(backoff.size).toBe(0);
  });

  test.each([
    [undefined, 5.25],
    [0.2, 5.5],
    [0, 5],
  ])('[Q-5] with the jitter %s and the random number 0.5, half of the jitter is added to the delay', (jitter, expected) => {
    const backoff = new KeyBackoff<string>({
      random: () => 0.5,
      ...(jitter !== undefined && { jitter }),
    });

    expect(backoff.nextMs('a')).toBeCloseTo(expected, 9);
  });

  test('[Q-5] the back-off stays a finite number of milliseconds after any number of failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (initialMs, maxMs) => {
          const backoff = new KeyBackoff<string>({ initialMs, maxMs, jitter: 1 });

          for (let failures = 0; failures < 1_200; failures++) {
            const delayMs = backoff.nextMs('a');
            if (!(delayMs >= Math.min(initialMs, maxMs) && delayMs < 2 * maxMs)) {
              expect.unreachable(`${delayMs} ms after ${failures} failures`);
            }
          }
        },
      ),
      { ...propertyRuns(0.2), examples: [[0, 1]] },
    );
  });
});
