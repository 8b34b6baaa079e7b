import { expect, test } from 'vitest';
import type { Case } from '../scale/cases.ts';
import type { Figures } from '../scale/figures.ts';
import { perObjectMore } from '../scale/growth.ts';
import { PLOTS, plotOf } from '../scale/plots.ts';
import { renderReport } from '../scale/report.ts';
import { Results } from '../scale/results.ts';

function growth(at: number, curve = 'Pod 7.7 kB'): Case {
  const title = `${at} × ${curve}`;
  const run = (): Promise<Figures> => Promise.resolve({});
  return { scenario: 'growth', curve, at, title, quick: false, run };
}

const cases = [growth(1_000), growth(2_000), growth(11_000)];

/** 10 µs and 100 B for each object, beside what a process costs without any. */
function measured(): Results {
  const results = new Results();
  for (const one of cases) {
    results.add(one, { syncMs: 500 + one.at * 0.01, heapBytes: 2e7 + one.at * 100 });
  }
  return results;
}

function report(results: Results, remarks: readonly string[] = []): string {
  return renderReport({
    command: 'npm run bench -- scale',
    time: '2026-01-01T00:00:00Z',
    facts: [['machine', 'a | b']],
    plotted: ['growth-sync'],
    plotFolder: 'plots',
    ...{ cases, results, remarks },
  });
}

test('the cost of each additional object does not include the cost of a process without objects', () => {
  const values = cases.map(({ at }) => ({ objects: at, value: 500 + at * 2 }));

  expect(perObjectMore(values.toReversed())).toEqual([
    { objects: 2_000, value: 2 },
    { objects: 11_000, value: 2 },
  ]);
  expect(perObjectMore([])).toEqual([]);
});

test('the report has a row per case with medians and ranges, and no column for missing figures', () => {
  const results = measured();
  results.add(growth(1_000), { syncMs: 610 });

  const rows = report(results).split('\n');

  expect(rows).toContain('|  | time to sync, ms | heap + external after, MB |');
  expect(rows).toContain('| 1000 × Pod 7.7 kB | 560 (510 – 610) | 20.1 |');
  expect(rows).toContain('| 11000 × Pod 7.7 kB | 610 | 21.1 |');
  expect(rows).toContain('| machine | a \\| b |');
});

test('the report contains the cost of each additional object, relative to the first such cost', () => {
  expect(report(measured())).toContain('| 11,000 × Pod 7.7 kB | 10.0 (×1.00) | 100 (×1.00) |');
});

test('the report links only to plots that were made', () => {
  const links = [...report(measured()).matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, to]) => to);

  expect(links).toEqual(['plots/growth-sync.svg']);
});

test('the report omits scenarios without figures, and lists failures', () => {
  const text = report(new Results(), ['growth, 1000: an event\nwas lost']);

  expect(text).not.toContain('Growing numbers');
  expect(text).toContain('- growth, 1000: an event was lost');
});

test('a plot contains the medians of every curve, in the units of its axis', () => {
  const plan = PLOTS.find(({ file }) => file === 'growth-sync');
  if (plan === undefined) return expect.unreachable('no such plot');

  const plot = plotOf(plan, cases, measured());

  const points = [2_000, 11_000].map((x) => ({ x, y: expect.closeTo(10, 6) }));
  expect(plot?.curves).toEqual([{ name: 'Pod 7.7 kB', points }]);
});

test('there is no plot of a single point', () => {
  const plan = PLOTS.find(({ file }) => file === 'growth-events');
  if (plan === undefined) return expect.unreachable('no such plot');
  const results = new Results();
  results.add(growth(1_000), { cpuPerEventUs: 5 });

  expect(plotOf(plan, cases, results)).toBeUndefined();
});
