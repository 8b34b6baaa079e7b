import { expect, test } from 'vitest';
import { formatBaseline, parseBaseline, regressions } from '../baseline.ts';
import type { FigureName } from '../figures.ts';
import { Results } from '../results.ts';
import type { Target } from '../targets.ts';
import { judge, type Verdict } from '../verdicts.ts';

const side = { work: 'pod-10k', subject: 'chancery-envelope', figure: 'eventsPerSecond' } as const;
const theirs = { ...side, subject: 'client-node' } as const;
const speed: Target = { id: 'speed', title: 'events/s', of: side, by: theirs, atLeast: 2 };

function verdictsOf(ours: number | undefined, target: Target = speed): readonly Verdict[] {
  const results = new Results();
  const { figure } = target.of;
  if (ours !== undefined) results.add(1, 'pod-10k', 'chancery-envelope', { [figure]: ours });
  results.add(1, 'pod-10k', 'client-node', { [figure]: 100 });
  return judge(results, [target]);
}

function targetOf(figure: FigureName, bound: Pick<Target, 'atMost' | 'atLeast'>): Target {
  const { atLeast: _, ...rest } = speed;
  return { ...rest, of: { ...side, figure }, by: { ...theirs, figure }, ...bound };
}

test('a figure that is worse than in the baseline by more than the noise is reported', () => {
  const baseline = parseBaseline(formatBaseline({}, verdictsOf(300)));

  expect(baseline).toEqual({ speed: 3 });
  expect(regressions(baseline, verdictsOf(241))).toEqual([]);
  expect(regressions(baseline, verdictsOf(900))).toEqual([]);
  expect(regressions(baseline, verdictsOf(239))).toEqual([
    'speed (events/s): baseline 3, now 2.39: worse by more than 20 %',
  ]);
});

test.each([
  ['cpuSecondsPer100k', 59, 61],
  ['syncPeakBytes', 54, 56],
] as const)('the figure %s counts as worse only if it grows by more than its tolerance', (figure, fine, worse) => {
  const target = targetOf(figure, { atMost: 0.3 });

  expect(regressions({ speed: 0.5 }, verdictsOf(fine, target))).toEqual([]);
  expect(regressions({ speed: 0.5 }, verdictsOf(worse, target))).toHaveLength(1);
});

test('a ratio that is far below its bound may grow several times without being reported', () => {
  const target = targetOf('syncPeakBytes', { atMost: 1.5 });

  expect(regressions({ speed: 0.04 }, verdictsOf(28, target))).toEqual([]);
  expect(regressions({ speed: 0.04 }, verdictsOf(38, target))).toHaveLength(1);
});

test('a requested ratio that was not measured is reported, and a ratio that was not requested is not', () => {
  const verdicts = verdictsOf(undefined);

  expect(regressions({ speed: 3 }, verdicts)).toEqual([
    'speed (events/s): baseline 3, not measured now',
  ]);
  expect(regressions({ speed: 3 }, verdicts, () => false)).toEqual([]);
});

test('a ratio in the baseline whose target no longer exists is reported', () => {
  expect(regressions({ old: 3 }, verdictsOf(300))).toEqual([
    'old: in the baseline with 3, and no target any more',
  ]);
});

test('absolute times are compared only if the same run measured a reference for them', () => {
  const { by: _, atLeast: __, ...alone } = targetOf('chunksCpuMs', { atMost: 15 });
  const absolute = { ...alone, atMost: 15 };

  expect(formatBaseline({}, verdictsOf(20, absolute))).toBe('{\n  "ratios": {}\n}\n');
  const guarded = { ...absolute, guardBy: { ...theirs, figure: 'chunksCpuMs' } as const };
  expect(parseBaseline(formatBaseline({}, verdictsOf(20, guarded)))).toEqual({ speed: 0.2 });
});

test('a new baseline keeps ratios that were not measured, and drops ratios without a target', () => {
  const text = formatBaseline({ speed: 3, old: 1 }, verdictsOf(undefined));

  expect(parseBaseline(text)).toEqual({ speed: 3 });
});

test.each([
  '{}',
  '[]',
  '{"ratios":[]}',
  '{"ratios":{"speed":"3"}}',
])('the text %s is refused as a baseline', (text) => {
  expect(() => parseBaseline(text)).toThrow(/needs "ratios"/);
});
