import { expect, test } from 'vitest';
import { isMet, median, report } from './verdicts.ts';

const least = (ratios: readonly number[]) => ({ title: 'speed', bound: { atLeast: 1.5 }, ratios });
const most = (ratios: readonly number[]) => ({ title: 'bytes', bound: { atMost: 0.35 }, ratios });

test.each([
  [[1.5], true],
  [[1.49], false],
  [[1, 1.5, 9], true],
  [[9, 1.4, 1], false],
  [[1.4, 1.6], true],
  [[1.3, 1.6], false],
  [[], false],
  [[1.6, Number.NaN, 1.7], false],
  [[1.6, Number.POSITIVE_INFINITY, 1.7], false],
])('the median of %j meets a target of at least 1.5: %s', (ratios, met) => {
  expect(isMet(least(ratios))).toBe(met);
});

test.each([
  [[0.35], true],
  [[0.36], false],
  [[0.9, 0.35, 0.1], true],
  [[0.9, 0.36, 0.1], false],
  [[], false],
])('the median of %j meets a target of at most 0.35: %s', (ratios, met) => {
  expect(isMet(most(ratios))).toBe(met);
});

test('a target with good ratios is missed when its additional condition does not hold', () => {
  const fact = (holds: boolean) => ({ says: 'the same results', holds });

  expect(isMet({ ...most([0.1]), fact: fact(true) })).toBe(true);
  expect(isMet({ ...most([0.1]), fact: fact(false) })).toBe(false);
});

test('the median of an even number of values is the mean of the two in the middle', () => {
  expect([median([4, 1]), median([9, 1, 2, 4]), median([3, 1, 2])]).toEqual([2.5, 3, 2]);
  expect(median([])).toBeNaN();
});

test('the report has a row for each target and figure, with the spread of its rounds', () => {
  const fact = { says: 'the same results', holds: false };
  const text = report({
    targets: [least([1.5, 2, 1.75]), most([0.5]), { ...most([0.3]), fact }, least([])],
    figures: [{ title: 'MB', values: [10, 12.345] }],
  });

  expect(text).toBe(`\
| target | bound | median | least – most | rounds | verdict |
| --- | --- | --- | --- | --- | --- |
| speed | ≥ 1.5 × | 1.75 | 1.50 – 2.00 | 3 | met |
| bytes | ≤ 0.35 × | 0.50 | 0.50 – 0.50 | 1 | **missed** |
| bytes | ≤ 0.35 × | 0.30 | 0.30 – 0.30 | 1 | **missed**, the same results: no |
| speed | ≥ 1.5 × | – | – | 0 | **missed** |

| figure | median | least – most | rounds |
| --- | --- | --- | --- |
| MB | 11.2 | 10.0 – 12.3 | 2 |
`);
});
