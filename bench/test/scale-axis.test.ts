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
] as const)('an axis of %j has round marks, the last of which nothing is above', (values, ticks) => {
  expect(linearAxis(values).ticks).toEqual(ticks);
});

test('a place on an axis is from 0, whatever the values, to the last mark', () => {
  const { place } = linearAxis([40, 100]);

  expect([0, 40, 100].map(place)).toEqual([0, 0.4, 1]);
});

test.each([[[]], [[0]], [[0, 0]]])('an axis of %j has an end all the same', (values) => {
  const { ticks, place } = linearAxis(values);

  expect(ticks).toEqual([0, 1]);
  expect(place(0)).toBe(0);
});

test('equal factors are equally far apart on a logarithmic axis', () => {
  const { ticks, place } = logAxis([1_000, 10, 100, 10]);

  expect(ticks).toEqual([10, 100, 1_000]);
  expect(ticks.map(place)).toEqual([0, expect.closeTo(0.5, 10), 1]);
});

test('a single value is in the middle of a logarithmic axis', () => {
  expect(logAxis([7]).place(7)).toBe(0.5);
});

test.each([0, -3])('a logarithmic axis has no place for %d', (value) => {
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
])('the mark of %d is %s', (value, label) => {
  expect(tickLabel(value)).toBe(label);
});
