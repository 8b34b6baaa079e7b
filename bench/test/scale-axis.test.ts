import { expect, test } from 'vitest';
import { linearAxis, logAxis, tickLabel } from '../scale/axis.ts';

test.each([
  [[0.3], [0, 0.1, 0.2, 0.3]],
  [
    [7, 3],
    [0, 2, 4, 6, 8],
  ],
  [[100], [0, 20, 40, 60, 80, 100]],
  [[101], [0, 25, 50, 75, 100, 125]],
  [
    [4_289, 1_030],
    [0, 1_000, 2_000, 3_000, 4_000, 5_000],
  ],
] as const)('an axis for the values %j has round marks, and no value exceeds the last mark', (values, ticks) => {
  expect(linearAxis(values).ticks).toEqual(ticks);
});

test('a linear axis begins at 0, even if all values are larger, and ends at its last mark', () => {
  const { place } = linearAxis([40, 100]);

  expect([0, 40, 100].map(place)).toEqual([0, 0.4, 1]);
});

test.each([[[]], [[0]], [[0, 0]]])('a linear axis for the values %j ends at 1', (values) => {
  const { ticks, place } = linearAxis(values);

  expect(ticks).toEqual([0, 1]);
  expect(place(0)).toBe(0);
});

test('on a logarithmic axis, equal ratios have equal distances', () => {
  const { ticks, place } = logAxis([1_000, 10, 100, 10]);

  expect(ticks).toEqual([10, 100, 1_000]);
  expect(ticks.map(place)).toEqual([0, expect.closeTo(0.5, 10), 1]);
});

test('a single value is in the middle of a logarithmic axis', () => {
  expect(logAxis([7]).place(7)).toBe(0.5);
});

test.each([0, -3])('a logarithmic axis refuses the value %d', (value) => {
  expect(() => logAxis([value, 10])).toThrow(RangeError);
});

test.each([
  [0, '0'],
  [0.30000000000000004, '0.3'],
  [999, '999'],
  [1_000, '1k'],
  [2_500, '2.5k'],
  [100_000, '100k'],
  [1_500_000, '1.5M'],
])('the axis mark for %d has the label %s', (value, label) => {
  expect(tickLabel(value)).toBe(label);
});
