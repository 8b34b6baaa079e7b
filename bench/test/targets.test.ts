import { expect, test } from 'vitest';
import { Results } from '../results.ts';
import { TARGETS, type Target } from '../targets.ts';
import { judge } from '../verdicts.ts';

const ours = { work: 'pod-10k', subject: 'chancery-envelope', figure: 'eventsPerSecond' } as const;
const theirs = { ...ours, subject: 'client-node' } as const;
const base: Pick<Target, 'id' | 'title'> = { id: 'speed', title: 'events/s' };

function resultsOf(oursValues: readonly number[], theirValues: readonly number[]): Results {
  const results = new Results();
  for (const [index, eventsPerSecond] of oursValues.entries()) {
    results.add(index + 1, 'pod-10k', 'chancery-envelope', { eventsPerSecond });
  }
  for (const [index, eventsPerSecond] of theirValues.entries()) {
    results.add(index + 1, 'pod-10k', 'client-node', { eventsPerSecond });
  }
  return results;
}

test.each([
  [400, { atLeast: 4 }, true],
  [399, { atLeast: 4 }, false],
  [400, { atMost: 4 }, true],
  [401, { atMost: 4 }, false],
])('a ratio of %d to 100 meets the bound %j: %s', (value, bound, met) => {
  const target: Target = { ...base, of: ours, by: theirs, ...bound };

  const [verdict] = judge(resultsOf([value], [100]), [target]);

  expect(verdict?.figure?.median).toBe(value / 100);
  expect(verdict?.met).toBe(met);
});

test('runs of the same round are compared, and the figure is the median of these ratios', () => {
  const target: Target = { ...base, of: ours, by: theirs, atLeast: 2 };

  // In the second round the machine was ten times slower.
  const [verdict] = judge(resultsOf([200, 21, 190], [100, 10, 100]), [target]);

  expect(verdict?.figure).toEqual({ median: 2, min: 1.9, max: 2.1, rounds: 3 });
});

test('a round is left out of the comparison if one side has no figure', () => {
  const target: Target = { ...base, of: ours, by: theirs, atLeast: 2 };

  const [verdict] = judge(resultsOf([200, 1_000_000], [100]), [target]);

  expect(verdict?.figure).toEqual({ median: 2, min: 2, max: 2, rounds: 1 });
});

test('if no round has figures of both sides, the medians of the two sides are compared', () => {
  const target: Target = { ...base, of: ours, by: theirs, atLeast: 2 };
  const results = resultsOf([200, 220], []);
  results.add(3, 'pod-10k', 'client-node', { eventsPerSecond: 100 });

  const [verdict] = judge(results, [target]);

  expect(verdict?.figure?.median).toBe(2.1);
});

test('the difference of two figures is computed before the division', () => {
  const of = { ...ours, less: theirs, over: 10 };

  const [verdict] = judge(resultsOf([150], [50]), [{ ...base, of, atMost: 10 }]);

  expect(verdict).toMatchObject({ figure: { median: 10 }, met: true });
});

test.each([
  ['the left side', [], [100]],
  ['the right side', [100], []],
])('without a figure for %s there is no verdict', (_side, oursValues, theirValues) => {
  const target: Target = { ...base, of: ours, by: theirs, atLeast: 1 };

  const [verdict] = judge(resultsOf(oursValues, theirValues), [target]);

  expect(verdict).toEqual({ target, figure: undefined, met: undefined, guarded: undefined });
});

test('every target has a unique id and exactly one bound', () => {
  expect(new Set(TARGETS.map(({ id }) => id)).size).toBe(TARGETS.length);
  expect(
    TARGETS.filter(({ atLeast, atMost }) => (atLeast === undefined) === (atMost === undefined)),
  ).toEqual([]);
});
