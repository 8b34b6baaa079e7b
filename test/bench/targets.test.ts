import { expect, test } from 'vitest';
import { formatBaseline, parseBaseline, regressions } from '../../bench/baseline.ts';
import { Results } from '../../bench/results.ts';
import { judge, TARGETS, type Target } from '../../bench/targets.ts';

const ours = { work: 'pod-10k', subject: 'chancery-envelope', figure: 'eventsPerSecond' } as const;
const theirs = { ...ours, subject: 'client-node' } as const;
const base: Pick<Target, 'id' | 'title'> = { id: 'speed', title: 'events/s' };

function resultsOf(oursValues: readonly number[], theirValues: readonly number[]): Results {
  const results = new Results();
  for (const eventsPerSecond of oursValues) {
    results.add('pod-10k', 'chancery-envelope', { eventsPerSecond });
  }
  for (const eventsPerSecond of theirValues) {
    results.add('pod-10k', 'client-node', { eventsPerSecond });
  }
  return results;
}

test.each([
  [400, { atLeast: 4 }, true],
  [399, { atLeast: 4 }, false],
  [400, { atMost: 4 }, true],
  [401, { atMost: 4 }, false],
])('%d by 100 against %j: met is %s', (value, bound, met) => {
  const target: Target = { ...base, of: ours, by: theirs, ...bound };

  const [verdict] = judge(resultsOf([value], [100]), [target]);

  expect(verdict).toEqual({ target, figure: value / 100, met });
});

test('a ratio is one of medians', () => {
  const target: Target = { ...base, of: ours, by: theirs, atLeast: 2 };

  const [verdict] = judge(resultsOf([1, 200, 1_000], [90, 100, 5_000]), [target]);

  expect(verdict?.figure).toBe(2);
});

test('a difference is taken before it is divided', () => {
  const of = { ...ours, less: theirs, over: 10 };

  const [verdict] = judge(resultsOf([150], [50]), [{ ...base, of, atMost: 10 }]);

  expect(verdict).toMatchObject({ figure: 10, met: true });
});

test.each([
  ['the left side', [], [100]],
  ['the right side', [100], []],
])('without %s nothing is said', (_side, oursValues, theirValues) => {
  const target: Target = { ...base, of: ours, by: theirs, atLeast: 1 };

  const [verdict] = judge(resultsOf(oursValues, theirValues), [target]);

  expect(verdict).toEqual({ target, figure: undefined, met: undefined });
});

test('every target has a name of its own and exactly one bound', () => {
  expect(new Set(TARGETS.map(({ id }) => id)).size).toBe(TARGETS.length);
  expect(
    TARGETS.filter(({ atLeast, atMost }) => (atLeast === undefined) === (atMost === undefined)),
  ).toEqual([]);
});

test('what a release has met is what the next one is held to', () => {
  const target: Target = { ...base, of: ours, by: theirs, atLeast: 2 };
  const baseline = parseBaseline(formatBaseline(judge(resultsOf([300], [100]), [target])));

  expect(baseline).toEqual({ met: ['speed'] });
  expect(regressions(baseline, judge(resultsOf([250], [100]), [target]))).toEqual([]);
  expect(regressions(baseline, judge(resultsOf([150], [100]), [target]))).toEqual([
    'speed was met at the last release, and is missed with 1.5',
  ]);
  expect(regressions(baseline, judge(resultsOf([150], []), [target]))).toEqual([
    'speed was met at the last release, and was not measured',
  ]);
});

test('what a release has missed may be missed again', () => {
  const target: Target = { ...base, of: ours, by: theirs, atLeast: 2 };
  const verdicts = judge(resultsOf([100], [100]), [target]);

  expect(regressions(parseBaseline(formatBaseline(verdicts)), verdicts)).toEqual([]);
});

test('a baseline without its list is refused', () => {
  expect(() => parseBaseline('{}')).toThrow(/needs "met"/);
});
