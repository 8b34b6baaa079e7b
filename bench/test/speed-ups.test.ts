/** `--against`: rows of new by old, and of ours by client-node, with their bounds and the report. */
import { expect, test } from 'vitest';
import { FIGURES, type FigureName, type Figures } from '../figures.ts';
import { plan } from '../plan.ts';
import { Results } from '../results.ts';
import { reportOnPairs } from '../speed-up-report.ts';
import { byClientNode, isLacking, type SpeedUp, speedUps } from '../speed-ups.ts';
import type { SubjectName } from '../subjects.ts';
import type { Work, WorkName } from '../works.ts';

const ROUNDS = 3;

function runsOf(
  work: WorkName,
  ...subjects: readonly SubjectName[]
): { works: Record<WorkName, Work>; runs: ReturnType<typeof plan> } {
  const works = { [work]: { profile: 'pod', objects: 10, subjects } } as const;
  return { works, runs: plan({ works, rounds: ROUNDS, only: [], inPairs: true }) };
}

interface Sides {
  readonly new: readonly Figures[];
  readonly old: readonly Figures[];
}

/** One pair of `chancery-object` at pod-10k: the figures of each round. */
function resultsOf(sides: Sides): Results {
  const results = new Results();
  for (const build of ['new', 'old'] as const) {
    for (const [index, figures] of sides[build].entries()) {
      results.add(index + 1, 'pod-10k', 'chancery-object', figures, build);
    }
  }
  return results;
}

const { works, runs } = runsOf('pod-10k', 'chancery-object');
const rowsOf = (sides: Sides): readonly SpeedUp[] => speedUps(resultsOf(sides), runs);
/** The same in each round: the interval is a point. */
const always = (figures: Figures): readonly Figures[] => Array(ROUNDS).fill(figures);

test.each<[FigureName, number, number]>([
  ['cpuSecondsPer100k', 2, 4],
  ['relistMs', 200, 400],
  ['heapBytes', 1e6, 2e6],
  ['eventsPerSecond', 80_000, 40_000],
])('for the figure %s, the new value %d is twice as good as the old value %d', (figure, now, then) => {
  const [row] = rowsOf({ new: always({ [figure]: now }), old: always({ [figure]: then }) });

  expect(row?.ratio).toMatchObject({ mean: 2, low: 2, high: 2, rounds: ROUNDS });
});

test('a ratio compares the two runs of the same round, even if the rounds differ widely', () => {
  const rounds = [{ relistMs: 10 }, { relistMs: 1_000 }, { relistMs: 30 }];
  const slower = rounds.map(({ relistMs }) => ({ relistMs: relistMs * 1.25 }));

  const [row] = rowsOf({ new: rounds, old: slower });

  expect(row?.ratio?.low).toBeCloseTo(1.25, 9);
  expect(row?.ratio?.high).toBeCloseTo(1.25, 9);
});

test.each<[FigureName, number, number, number | undefined, SpeedUp['verdict']]>([
  ['cpuSecondsPer100k', 100, 95, 0.95, 'met'],
  ['cpuSecondsPer100k', 1000, 949, 0.95, 'missed'],
  ['burstTurnMs', 1000, 949, 0.95, 'missed'],
  ['relistMs', 10, 9, 0.9, 'met'],
  ['relistMs', 1000, 899, 0.9, 'missed'],
  ['burstDelayMs', 1000, 899, 0.9, 'missed'],
  ['latencyP99Ms', 1000, 899, 0.9, 'missed'],
  ['heapBytes', 100, 1, undefined, 'free'],
  ['eventsPerSecond', 1, 100, undefined, 'free'],
])('for the figure %s, the new value %d, the old value %d and the required ratio %s result in: %s', (figure, now, then, atLeast, verdict) => {
  const [row] = rowsOf({ new: always({ [figure]: now }), old: always({ [figure]: then }) });

  expect(row).toMatchObject({ atLeast, verdict });
  expect(row && isLacking(row)).toBe(verdict === 'missed');
});

test('a bound is met only if the lower end of the interval reaches it, whatever the mean is', () => {
  const old = [{ relistMs: 100 }, { relistMs: 130 }, { relistMs: 95 }];

  const [row] = rowsOf({ new: always({ relistMs: 100 }), old });

  expect(row?.ratio?.mean).toBeGreaterThan(1);
  expect(row?.verdict).toBe('undecided');
  expect(row && isLacking(row)).toBe(true);
});

test('a figure that only one build has is reported as not measured, and counts as missing', () => {
  const rows = rowsOf({ new: always({ relistMs: 1, syncMs: 1 }), old: always({ syncMs: 1 }) });

  expect(rows.map(({ of, verdict }) => [of.figure, verdict])).toEqual([
    ['syncMs', 'met'],
    ['relistMs', 'not measured'],
  ]);
  expect(rows.map(isLacking)).toEqual([false, true]);
});

test('a round has no ratio if one build has no value, or has the value 0', () => {
  const [row] = rowsOf({
    new: [{ syncDelayMs: 0 }, { syncDelayMs: 4 }, { syncDelayMs: 4 }, { syncDelayMs: 4 }],
    old: [{ syncDelayMs: 4 }, { syncDelayMs: 4 }, {}, { syncDelayMs: 4 }],
  });

  expect(row?.ratio).toMatchObject({ mean: 1, rounds: 2 });
});

test.each<[WorkName, number, number | undefined, SpeedUp['verdict']]>([
  ['config-map-50k', 130, 1.3, 'met'],
  ['config-map-50k', 129, 1.3, 'missed'],
  ['pod-10k', 170, 1.7, 'met'],
  ['pod-10k', 169, 1.7, 'missed'],
  ['pod-100', 1, undefined, 'free'],
])('in %s, %d events/s of ours and 100 of client-node, with the required ratio %s, result in: %s', (work, ours, atLeast, verdict) => {
  const planned = runsOf(work, 'client-node', 'chancery-object', 'chancery-envelope');
  const results = new Results();
  for (const round of [1, 2]) {
    results.add(round, work, 'chancery-object', { eventsPerSecond: ours });
    results.add(round, work, 'chancery-object', { eventsPerSecond: 1 }, 'old');
    results.add(round, work, 'client-node', { eventsPerSecond: 100, relistMs: 5 });
  }

  const rows = byClientNode(results, planned.runs);

  expect(rows).toMatchObject([
    { of: { work, subject: 'chancery-object' }, by: { subject: 'client-node' }, atLeast, verdict },
  ]);
});

const frame = {
  command: 'npm run bench -- --against ../old',
  time: '2026-01-01T00:00:00Z',
  load: '0.1, 0.2, 0.3',
  facts: [['Node', 'v24']],
  remarks: ['round 3, pod-10k, chancery-object (old): it ended with 1'],
} as const;

test('the report has a row per figure and the ratios to client-node, and missing figures are listed', () => {
  const planned = runsOf('pod-10k', 'client-node', 'chancery-object');
  const results = resultsOf({
    new: always({ eventsPerSecond: 30_000, cpuSecondsPer100k: 2, relistMs: 300 }),
    old: always({ eventsPerSecond: 20_000, cpuSecondsPer100k: 3 }),
  });
  for (const round of [1, 2, 3]) {
    results.add(round, 'pod-10k', 'client-node', { eventsPerSecond: 20_000 });
  }

  const { report, lacking } = reportOnPairs({ frame, ...planned, results });

  const lines = report.split('\n');
  const start = '| chancery-object |';
  expect(lines.filter((line) => line.startsWith(start))).toEqual([
    `${start} events/s | events/s | 30,000 | 20,000 | 1.500 | 1.500 – 1.500 | 3 | – | – |`,
    `${start} CPU s per 100k | CPU | 2.00 | 3.00 | 1.500 | 1.500 – 1.500 | 3 | ≥ 0.95 | met |`,
    `${start} cut to relisted, ms | time | 300 | – | – | – | 0 | ≥ 0.9 | **not measured** |`,
  ]);
  expect(lines).toContain(
    '| pod-10k | events/s | 30,000 | 20,000 | 1.500 | 1.500 – 1.500 | 3 | ≥ 1.7 | **missed** |',
  );
  expect(lines).toContain(
    '1 of 2 rows with a bound meet it; 0 are undecided; 1 rows are not measured.',
  );
  expect(lines).toContain('- round 3, pod-10k, chancery-object (old): it ended with 1');
  expect(lacking).toEqual([
    'not measured: pod-10k, chancery-object by old, cut to relisted, ms',
    'missed: pod-10k, chancery-object by client-node, events/s: 1.500 (1.500 – 1.500), at least 1.7',
  ]);
});

test('a workload without any figure is reported as not measured', () => {
  const { lacking } = reportOnPairs({ frame, works, runs, results: new Results() });

  expect(lacking).toEqual(['not measured: pod-10k']);
});

test('figures in bytes are of the kind memory, and figures of the kind CPU have CPU in their title', () => {
  const kinds = Object.entries(FIGURES).map(([name, { title, kind }]) => [
    kind,
    name.endsWith('Bytes') ? 'memory' : title.includes('CPU') ? 'CPU' : kind,
  ]);

  expect(kinds.filter(([kind, expected]) => kind !== expected)).toEqual([]);
});
