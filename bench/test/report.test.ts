import { expect, test } from 'vitest';
import { formatFigure } from '../figures.ts';
import { type ReportInput, renderReport } from '../report.ts';
import { Results } from '../results.ts';
import type { Target } from '../targets.ts';
import { judge } from '../verdicts.ts';
import type { Work } from '../works.ts';

const work: Work = {
  profile: 'pod',
  objects: 10_000,
  burst: 30_000,
  subjects: ['chancery-envelope', 'client-node', 'drain'],
};
const target: Target = {
  id: 'speed',
  title: 'events/s',
  of: { work: 'pods', subject: 'chancery-envelope', figure: 'eventsPerSecond' },
  by: { work: 'pods', subject: 'client-node', figure: 'eventsPerSecond' },
  atLeast: 3.5,
};

function inputOf(more: Partial<ReportInput> = {}): ReportInput {
  const results = new Results();
  results.add(1, 'pods', 'chancery-envelope', { eventsPerSecond: 80_000, heapBytes: 5_000_000 });
  results.add(2, 'pods', 'chancery-envelope', { eventsPerSecond: 90_000 });
  for (const round of [1, 2]) {
    results.add(round, 'pods', 'client-node', { eventsPerSecond: 20_000 });
  }
  return {
    command: 'npm run bench -- --quick',
    time: '2026-01-01T00:00:00Z',
    load: '0.1, 0.2, 0.3',
    facts: [['Node', 'v24']],
    works: { pods: work },
    results,
    verdicts: judge(results, [target]),
    remarks: [],
    ...more,
  };
}

const linesOf = (report: string): readonly string[] => report.split('\n');

test('the report contains the command, its time, and facts about the machine', () => {
  const lines = linesOf(renderReport(inputOf()));

  expect(lines).toContain('`npm run bench -- --quick`, 2026-01-01T00:00:00Z');
  expect(lines).toContain('| Node | v24 |');
  expect(lines.some((line) => line.startsWith('Load of the machine before: 0.1, 0.2, 0.3'))).toBe(
    true,
  );
});

test('the row of a target has its bound, median, range, number of rounds and verdict', () => {
  const lines = linesOf(renderReport(inputOf()));

  expect(lines).toContain('| events/s | ≥ 3.5 × | 4.25 | 4 – 4.5 | 2 | met |');
  expect(lines).toContain('1 of 1 measured targets are met.');
});

test('the report distinguishes missed targets from targets that were not measured', () => {
  const missed = judge(inputOf().results, [{ ...target, atLeast: 5 }]);
  const unknown = judge(new Results(), [target]);

  const lines = linesOf(renderReport(inputOf({ verdicts: [...missed, ...unknown] })));

  expect(lines).toContain('| events/s | ≥ 5 × | 4.25 | 4 – 4.5 | 2 | **missed** |');
  expect(lines).toContain('| events/s | ≥ 3.5 × | – | – | 0 | not measured |');
  expect(lines).toContain('0 of 1 measured targets are met.');
});

test('each figure has a median, a range and a ratio, and a subject without figures has no column', () => {
  const lines = linesOf(renderReport(inputOf()));

  expect(lines).toContain('|  | chancery, keys only | @kubernetes/client-node |');
  expect(lines).toContain(
    '| events/s | 85,000 (80,000 – 90,000) ×4.25 | 20,000 (20,000 – 20,000) |',
  );
  expect(lines).toContain('| heap + external after, MB | 5.0 | – |');
});

test('a workload without results has no section in the report', () => {
  const report = renderReport(inputOf({ works: { pods: work, others: work } }));

  expect(report).toContain('### pods: Pod 7.7 kB, 10,000 objects');
  expect(report).not.toContain('### others');
});

test('each remark about a failed measurement is one line of the report', () => {
  const lines = linesOf(renderReport(inputOf({ remarks: ['round 1: it ended\n  with 1'] })));

  expect(lines).toContain('- round 1: it ended   with 1');
});

test('bytes are printed in megabytes, and times in milliseconds', () => {
  expect(formatFigure('syncPeakBytes', 241_400_000)).toBe('241');
  expect(formatFigure('latencyP50Ms', 0.1234)).toBe('0.12');
});
