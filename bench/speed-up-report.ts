import { FIGURES, formatFigure } from './figures.ts';
import { table } from './markdown.ts';
import { type Found, framed, type MeasuredRuns, NOTHING, workHead } from './report.ts';
import type { FigureOf, Results } from './results.ts';
import {
  byClientNode,
  isLacking,
  type SpeedUp,
  type SpeedUpVerdict,
  speedUps,
  worksWithout,
} from './speed-ups.ts';
import type { RatioInterval } from './statistics.ts';

const HOW = `New is this checkout, old the one of \`--against\`. A speed-up above 1 means that new is better: it is
old/new for CPU, time and memory, and new/old for events/s. Each round has one ratio, of two runs that were made one
directly after the other. The speed-up is the geometric mean of these ratios; the interval is Student's t interval
over their logarithms, 95 %. **met**: the lower end of the interval is not below the bound. **missed**: the whole
interval is below it. **undecided**: the bound is within the interval. The last two end the command with 1.`;

/** The report of `--against`: new compared with old, and Chancery with client-node. */
export function reportOnPairs({ frame, works, runs, results }: MeasuredRuns): Found {
  const rows = speedUps(results, runs);
  const references = byClientNode(results, runs);
  const all = [...rows, ...references];
  const report = framed(frame, [
    `## Speed-up\n\n${HOW}\n\n${sumOf(all)}`,
    ...Object.entries(works).flatMap(([name, work]) => {
      const there = rows.filter(({ of }) => of.work === name);
      return there.length === 0 ? [] : [`${workHead(name, work)}\n\n${pairTable(there, results)}`];
    }),
    ...(references.length === 0
      ? []
      : [`## Events/s by client-node\n\n${referenceTable(references, results)}`]),
  ]);
  const nothing = worksWithout(results, runs).map((work) => `not measured: ${work}`);
  return { report, lacking: [...nothing, ...all.filter(isLacking).map(lineOn)] };
}

function lineOn({ of, by, ratio, atLeast, verdict }: SpeedUp): string {
  const row = `${of.work}, ${of.subject} by ${by.build ?? by.subject}, ${FIGURES[of.figure].title}`;
  if (ratio === undefined) return `${verdict}: ${row}`;
  return `${verdict}: ${row}: ${factor(ratio.mean)} (${intervalOf(ratio)}), at least ${atLeast}`;
}

function sumOf(rows: readonly SpeedUp[]): string {
  const count = (...verdicts: readonly SpeedUpVerdict[]): number =>
    rows.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const bound = count('met', 'missed', 'undecided');
  const sum = `${count('met')} of ${bound} rows with a bound meet it`;
  return `${sum}; ${count('undecided')} are undecided; ${count('not measured')} rows are not measured.`;
}

const RATIO_HEAD = ['speed-up', '95 % interval', 'rounds', 'bound', 'verdict'];

function pairTable(rows: readonly SpeedUp[], results: Results): string {
  const head = ['subject', 'figure', 'kind', 'new, median', 'old, median', ...RATIO_HEAD];
  const cells = rows.map((row) => {
    const { title, kind } = FIGURES[row.of.figure];
    return [row.of.subject, title, kind, ...medians(row, results), ...ratioCells(row)];
  });
  return table(head, cells);
}

function referenceTable(rows: readonly SpeedUp[], results: Results): string {
  const head = [
    'work',
    'figure',
    'chancery-object',
    'client-node',
    'ratio',
    ...RATIO_HEAD.slice(1),
  ];
  const cells = rows.map((row) => [
    ...[row.of.work, FIGURES[row.of.figure].title],
    ...medians(row, results),
    ...ratioCells(row),
  ]);
  return table(head, cells);
}

function medians({ of, by }: SpeedUp, results: Results): readonly string[] {
  const median = (side: FigureOf): string => {
    const summary = results.summary(side);
    return summary === undefined ? NOTHING : formatFigure(side.figure, summary.median);
  };
  return [median(of), median(by)];
}

function ratioCells({ ratio, atLeast, verdict }: SpeedUp): readonly string[] {
  return [
    ratio === undefined ? NOTHING : factor(ratio.mean),
    ratio === undefined ? NOTHING : intervalOf(ratio),
    String(ratio?.rounds ?? 0),
    atLeast === undefined ? NOTHING : `≥ ${atLeast}`,
    verdict === 'free' ? NOTHING : verdict === 'met' ? verdict : `**${verdict}**`,
  ];
}

function intervalOf({ low, high }: RatioInterval): string {
  return `${factor(low)} – ${factor(high)}`;
}

/** Three decimals: a value just below a bound must not look like the bound. */
function factor(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : '∞';
}
