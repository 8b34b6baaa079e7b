import { PROFILES } from '../test/support/load/profiles.ts';
import { FIGURE_NAMES, FIGURES, type FigureName, formatFigure } from './figures.ts';
import type { Facts } from './machine.ts';
import { bullets, table } from './markdown.ts';
import type { PlannedRun } from './plan.ts';
import type { Results } from './results.ts';
import { SUBJECTS, type SubjectName } from './subjects.ts';
import type { Target } from './targets.ts';
import type { Verdict } from './verdicts.ts';
import type { Work, WorkName } from './works.ts';

/** The parts that every report has: how it was made. */
export interface ReportFrame {
  readonly command: string;
  /** RFC 3339. */
  readonly time: string;
  /** See `machineLoad`; taken before the first run. */
  readonly load: string;
  readonly facts: Facts;
  /** One line for each run that failed or was left out. */
  readonly remarks: readonly string[];
}

export interface ReportInput extends ReportFrame {
  readonly works: Readonly<Record<WorkName, Work>>;
  readonly results: Results;
  readonly verdicts: readonly Verdict[];
}

/** The input of a report. */
export interface MeasuredRuns {
  readonly frame: ReportFrame;
  readonly works: Readonly<Record<WorkName, Work>>;
  readonly runs: readonly PlannedRun[];
  readonly results: Results;
}

export interface Found {
  readonly report: string;
  /** A line for each requested figure that is missing. If there are any, the exit code is 1. */
  readonly lacking: readonly string[];
}

/** The subject that others are compared with. */
const REFERENCE: SubjectName = 'client-node';
export const NOTHING = '–';

/** The report in Markdown: targets first, then all figures, then the machine. */
export function renderReport(input: ReportInput): string {
  return framed(input, [
    `## Targets\n\n${targetTable(input.verdicts)}`,
    `## Figures\n\nMedian (least – most) of the rounds; × is the ratio to ${REFERENCE}'s median.`,
    ...Object.entries(input.works).flatMap(([name, work]) =>
      workSection(name, work, input.results),
    ),
  ]);
}

/** Puts the results between the command line and the facts about the machine. */
export function framed(frame: ReportFrame, found: readonly string[]): string {
  const sections = [
    `# Benchmarks\n\n\`${frame.command}\`, ${frame.time}\n\n${loadLine(frame.load)}`,
    ...found,
    ...(frame.remarks.length === 0 ? [] : [`## Not measured\n\n${bullets(frame.remarks)}`]),
    `## Where\n\n${table(['what', 'value'], frame.facts)}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

function loadLine(load: string): string {
  return `Load of the machine before: ${load} (1, 5 and 15 minutes). More than 0.5 is noise.`;
}

function targetTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ target, figure, met }) => [
    target.title,
    boundOf(target),
    figure === undefined ? NOTHING : rounded(figure.median),
    figure === undefined || figure.rounds === 1
      ? NOTHING
      : `${rounded(figure.min)} – ${rounded(figure.max)}`,
    String(figure?.rounds ?? 0),
    met === undefined ? 'not measured' : met ? 'met' : '**missed**',
  ]);
  const measured = verdicts.filter(({ met }) => met !== undefined);
  const met = measured.filter((verdict) => verdict.met);
  const sum = `${met.length} of ${measured.length} measured targets are met.`;
  const how =
    'The figure of a round compares runs of that round; the median is that of these figures.';
  return `${how}\n\n${table(['target', 'bound', 'median', 'least – most', 'rounds', 'verdict'], rows)}\n\n${sum}`;
}

function boundOf({ by, atLeast, atMost }: Target): string {
  const sign = by === undefined ? '' : ' ×';
  return atLeast === undefined ? `≤ ${atMost}${sign}` : `≥ ${atLeast}${sign}`;
}

function workSection(name: WorkName, work: Work, results: Results): readonly string[] {
  const measured = FIGURE_NAMES.filter((figure) =>
    work.subjects.some((subject) => results.summary({ work: name, subject, figure })),
  );
  if (measured.length === 0) return [];
  const subjects = work.subjects.filter((subject) =>
    measured.some((figure) => results.summary({ work: name, subject, figure })),
  );
  const rows = measured.map((figure) => [
    FIGURES[figure].title,
    ...subjects.map((subject) => cell(results, { work: name, subject, figure })),
  ]);
  const head = ['', ...subjects.map((subject) => SUBJECTS[subject].title)];
  return [`${workHead(name, work)}\n\n${table(head, rows)}`];
}

/** The heading of a work's figures, with the size of its bursts. */
export function workHead(name: WorkName, { profile, objects, burst, hot }: Work): string {
  const title = `### ${name}: ${PROFILES[profile].title}, ${objects.toLocaleString('en-US')} objects`;
  const bursts = [
    ...(burst ? [`${burst.toLocaleString('en-US')} events over all keys`] : []),
    ...(hot ? [`${hot.toLocaleString('en-US')} over hot keys`] : []),
  ];
  return bursts.length === 0 ? title : `${title}\n\nBursts: ${bursts.join(', ')}.`;
}

interface Cell {
  readonly work: WorkName;
  readonly subject: SubjectName;
  readonly figure: FigureName;
}

function cell(results: Results, { work, subject, figure }: Cell): string {
  const summary = results.summary({ work, subject, figure });
  if (summary === undefined) return NOTHING;
  const [median, min, max] = [summary.median, summary.min, summary.max].map((value) =>
    formatFigure(figure, value),
  );
  const range = summary.rounds === 1 ? '' : ` (${min} – ${max})`;
  const reference = results.summary({ work, subject: REFERENCE, figure });
  const comparable = reference !== undefined && reference.median !== 0 && subject !== REFERENCE;
  const ratio = comparable ? ` ×${rounded(summary.median / reference.median)}` : '';
  return `${median}${range}${ratio}`;
}

/** For ratios and small differences: at most two decimals below 10, and one from 10 on. */
function rounded(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 });
}
