import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { controllerOptions, withPeriod } from '../src/controller-options.ts';
import type { SharedParts } from '../src/controller-parts.ts';
import type { ControllerSpec } from '../src/spec.ts';

function nextMs(
  resyncAfterMs: number | undefined,
  own: number | undefined,
  shared: number,
): number | undefined {
  const spec = { resyncPeriodMs: own } as ControllerSpec;
  return withPeriod({ resyncAfterMs }, spec, { resyncPeriodMs: shared } as SharedParts)
    .resyncAfterMs;
}

test('the next call comes after the delay in the answer of the hook, or earlier if the resync period is shorter', () => {
  fc.assert(
    fc.property(
      fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
      fc.option(fc.integer({ min: 0, max: 1e6 }), { nil: undefined }),
      fc.integer({ min: 1, max: 1e6 }),
      (asked, own, shared) => {
        const periodMs = own === undefined ? shared : Math.max(1_000, own);
        const next = nextMs(asked, own, shared) ?? Number.NaN;

        if (asked !== undefined && asked > 0) expect(next).toBeLessThanOrEqual(asked);
        expect(next).toBeLessThanOrEqual(periodMs);
        if (next !== asked) expect(next).toBeGreaterThanOrEqual(periodMs * 0.9);
      },
    ),
    propertyRuns(),
  );
});

test('without a resync period, only the hook sets the delay, and a negative delay is refused later', () => {
  expect(nextMs(undefined, undefined, 0)).toBeUndefined();
  expect(nextMs(500, undefined, 0)).toBe(500);
  expect(nextMs(-1, 10_000, 60_000)).toBe(-1);
});

test.each([
  [undefined, undefined],
  [1, 1_000],
  [10_000, 10_000],
  [86_400_000, 1_000_000],
])('[contract 96] with a resync period of %s ms, a failed hook is retried after at most %s ms', (resyncPeriodMs, expected) => {
  const spec = { hooks: {}, resyncPeriodMs } as ControllerSpec;

  const { queue } = controllerOptions(spec, { workers: 1 } as SharedParts);

  expect(queue?.backoff?.maxMs).toBe(expected);
});
