import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exponentialBackoff } from '../../operator/core/backoff.ts';

function delays(backoff: { nextMs(): number }, count: number): number[] {
  return Array.from({ length: count }, () => backoff.nextMs());
}

describe('the function exponentialBackoff', () => {
  test('the back-off doubles up to its limit and stays there', () => {
    const backoff = exponentialBackoff({ initialMs: 100, maxMs: 1_000 });

    expect(delays(backoff, 6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  test('the back-off starts over after a reset', () => {
    const backoff = exponentialBackoff({ initialMs: 100, maxMs: 1_000, factor: 3 });
    delays(backoff, 5);

    backoff.reset();

    expect(delays(backoff, 3)).toEqual([100, 300, 900]);
  });

  test('the back-off adds jitter that is always less than the given amount', () => {
    const numbers = [0, 0.5, 0.999];
    const backoff = exponentialBackoff({
      initialMs: 1_000,
      maxMs: 1_000,
      jitter: 0.5,
      random: () => numbers.shift() ?? 0,
    });

    expect(delays(backoff, 3)).toEqual([1_000, 1_250, 1_499.5]);
  });

  test('the jitter of one delay does not affect the next delay', () => {
    const backoff = exponentialBackoff({
      initialMs: 100,
      maxMs: 10_000,
      jitter: 1,
      random: () => 0.75,
    });

    expect(delays(backoff, 3)).toEqual([175, 350, 700]);
  });

  test('every delay of the back-off is within its bounds', () => {
    fc.assert(
      fc.property(
        fc.record({
          initialMs: fc.integer({ min: 1, max: 1_000 }),
          maxMs: fc.integer({ min: 1_000, max: 1_000_000 }),
          factor: fc.double({ min: 1, max: 10, noNaN: true }),
          jitter: fc.double({ min: 0, max: 2, noNaN: true }),
        }),
        (options) => {
          const backoff = exponentialBackoff(options);

          delays(backoff, 200).forEach((delayMs, failures) => {
            const baseMs = Math.min(options.initialMs * options.factor ** failures, options.maxMs);
            expect(delayMs).toBeGreaterThanOrEqual(baseMs * (1 - 1e-9));
            expect(delayMs).toBeLessThanOrEqual(baseMs * (1 + options.jitter) * (1 + 1e-9));
          });
        },
      ),
    );
  });
});
