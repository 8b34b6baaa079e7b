import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quantile, summarise } from '../statistics.ts';

test('an odd number of rounds has the middle one as its median, whatever their order', () => {
  expect(summarise([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9, rounds: 3 });
});

test('an even number of rounds has the mean of the middle two', () => {
  expect(summarise([4, 1, 10, 2])).toEqual({ median: 3, min: 1, max: 10, rounds: 4 });
});

test('no rounds have no summary', () => {
  expect(summarise([])).toBeUndefined();
});

test('the p99 of a hundred values leaves one above it', () => {
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
