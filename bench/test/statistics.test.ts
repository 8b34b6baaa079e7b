import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quantile, ratioInterval, summarise } from '../statistics.ts';

test('the median of an odd number of rounds is the middle value, whatever their order', () => {
  expect(summarise([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9, rounds: 3 });
});

test('the median of an even number of rounds is the mean of the two middle values', () => {
  expect(summarise([4, 1, 10, 2])).toEqual({ median: 3, min: 1, max: 10, rounds: 4 });
});

test('without rounds there is no summary', () => {
  expect(summarise([])).toBeUndefined();
});

test('exactly one of a hundred values is above their 99th percentile', () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1);

  expect(quantile(values, 0.99)).toBe(99);
  expect(quantile(values, 0.5)).toBe(50);
  expect(quantile(values, 1)).toBe(100);
  expect(quantile([1, 2, 3], 0.5)).toBe(2);
});

test('a quantile is always one of the values', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { minLength: 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, share) => {
        const sorted = values.toSorted((a, b) => a - b);

        expect(sorted).toContain(quantile(sorted, share));
      },
    ),
  );
});

/**
 * Ratios whose logarithms are as often 1 as -1, and once 0 when their number is odd: they have the mean 0,
 * and a standard error that is known without arithmetic.
 */
function balanced(rounds: number): readonly number[] {
  const half = rounds >> 1;
  const logs = [...Array<number>(half).fill(1), ...Array<number>(half).fill(-1)];
  return [...logs, ...(rounds % 2 === 1 ? [0] : [])].map(Math.exp);
}

test.each([
  // Two-sided 95 % of Student's t with rounds - 1 degrees of freedom, as tables print it.
  [2, 12.706],
  [3, 4.303],
  [4, 3.182],
  [5, 2.776],
  [10, 2.262],
  [15, 2.145],
  [16, 2.131],
  [30, 2.045],
  [121, 1.98],
])('the interval of %i ratios extends %f standard errors to each side, as in tables of the t distribution', (rounds, t) => {
  const standardError = 1 / Math.sqrt(rounds % 2 === 1 ? rounds : rounds - 1);

  const interval = ratioInterval(balanced(rounds));

  expect(interval).toMatchObject({ mean: expect.closeTo(1, 12), rounds });
  expect(Math.log(interval?.high ?? 0) / standardError).toBeCloseTo(t, 3);
  expect(Math.log(interval?.low ?? 0) / standardError).toBeCloseTo(-t, 3);
});

test('ratios 1, 2 and 4 have the geometric mean 2 and an interval that reaches far beyond them', () => {
  // The logarithms to base 2 are 0, 1 and 2: 1 ± 4.3027 / √3.
  expect(ratioInterval([1, 2, 4])).toEqual({
    mean: expect.closeTo(2, 12),
    low: expect.closeTo(2 ** (1 - 2.48414), 4),
    high: expect.closeTo(2 ** (1 + 2.48414), 4),
    rounds: 3,
  });
});

test('the interval of a single ratio is unbounded, and without ratios there is no interval', () => {
  expect(ratioInterval([0.5])).toEqual({
    mean: 0.5,
    low: 0,
    high: Number.POSITIVE_INFINITY,
    rounds: 1,
  });
  expect(ratioInterval([])).toBeUndefined();
});

test('the interval of the inverse ratios is the inverse of the interval', () => {
  const ratio = fc.double({ min: 0.01, max: 100, noNaN: true });
  fc.assert(
    fc.property(fc.array(ratio, { minLength: 2, maxLength: 40 }), (ratios) => {
      const there = ratioInterval(ratios);
      const back = ratioInterval(ratios.map((value) => 1 / value));

      expect(Math.log(there?.mean ?? 0)).toBeCloseTo(-Math.log(back?.mean ?? 0), 6);
      expect(Math.log(there?.low ?? 0)).toBeCloseTo(-Math.log(back?.high ?? 0), 6);
    }),
  );
});
