import { PROFILES } from '../test/support/load/profiles.ts';
import { FIGURE_NAMES, FIGURES, type FigureName, formatFigure } from './figures.ts';
import type { Facts } from './machine.ts';
import { bullets, table } from './markdown.ts';
import type { Results } from './results.ts';
import { SUBJECTS, type SubjectName } from './subjects.ts';
import type { Target } from './targets.ts';
import type { Verdict } from './verdicts.ts';
import type { Work, WorkName } from './works.ts';

export interface ReportInput {
  readonly command: string;
  /** RFC 3339. */
  readonly time: string;
  /** See `machineLoad`: before the first run. */
  readonly load: string;
  readonly facts: Facts;
  readonly works: Readonly<Record<WorkName, Work>>;
  readonly results: Results;
  readonly verdicts: readonly Verdict[];
  /** One line for each run that failed, or was left out. */
  readonly remarks: readonly string[];
}

/** What others are compared with. */
const REFERENCE: SubjectName = 'client-node';
const NOTHING = '–';

/** The report in Markdown: targets first, then all figures, then where they come from. */
export function renderReport(input: ReportInput): string {
  const sections = [
    `# Benchmarks\n\n\`${input.command}\`, ${input.time}\n\n${loadLine(input.load)}`,
    `## Targets\n\n${targetTable(input.verdicts)}`,
    `## Figures\n\nMedian (least – most) of the rounds; × is the ratio to ${REFERENCE}'s median.`,
    ...Object.entries(input.works).flatMap(([name, work]) =>
      workSection(name, work, input.results),
    ),
    ...(input.remarks.length === 0 ? [] : [`## Not measured\n\n${bullets(input.remarks)}`]),
    `## Where\n\n${table(['what', 'value'], input.facts)}`,
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
  const title = `${PROFILES[work.profile].title}, ${work.objects.toLocaleString('en-US')} objects`;
  return [`### ${name}: ${title}\n\n${describe(work)}${table(head, rows)}`];
}

function describe({ burst, hot }: Work): string {
  const bursts = [
    ...(burst ? [`${burst.toLocaleString('en-US')} events over all keys`] : []),
    ...(hot ? [`${hot.toLocaleString('en-US')} over hot keys`] : []),
  ];
  return bursts.length === 0 ? '' : `Bursts: ${bursts.join(', ')}.\n\n`;
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

/** Two digits that matter, for ratios and small differences. */
function rounded(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 });
}
