import type { Facts } from '../machine.ts';
import { bullets, table } from '../markdown.ts';
import type { Case, ScenarioName } from './cases.ts';
import { FIGURE_NAMES, FIGURES, type FigureName, formatFigure } from './figures.ts';
import { type Measured, perObjectMore } from './growth.ts';
import { PLOTS, type PlotPlan } from './plots.ts';
import type { Results } from './results.ts';

export interface ReportInput {
  readonly command: string;
  /** RFC 3339. */
  readonly time: string;
  readonly facts: Facts;
  readonly cases: readonly Case[];
  readonly results: Results;
  /** Files of plots that were made, without `.svg`. */
  readonly plotted: readonly string[];
  /** The folder of the plots, as links from the document name it. */
  readonly plotFolder: string;
  /** One line for each run that failed, or was left out. */
  readonly remarks: readonly string[];
}

const NOTHING = '–';

/** What was done, for each scenario: a heading and a sentence or two. */
const SECTIONS: Readonly<Record<ScenarioName, readonly [heading: string, text: string]>> = {
  sources: [
    'Many sources in one process',
    'Each source has a namespace of its own with 20 ConfigMaps of 1 kB, and all share one transport, once as informers and once as ' +
      'controllers of one manager. More than ten sources start spread over a second, which the time includes. Then nothing ' +
      'happens for a while, and then each source gets one event. In the end every cache is compared with the server.',
  ],
  growth: [
    'Growing numbers of objects',
    'One informer gets a burst that changes all objects in turn. "For each object more" counts from the smallest number of objects, ' +
      'so that the costs of an empty process are left out.',
  ],
  storm: [
    'A relist storm after a restart of the server',
    'All connections break, the port is closed for a second, every resourceVersion has expired, and a page takes 10 ms. A fifth of ' +
      'the objects has changed, a tenth is gone, one is new. Relists of many sources are spread over two seconds by design. In the end every ' +
      'source is compared with the server, before and after one more event to each.',
  ],
  handlers: [
    'Many handlers on one informer',
    'All handlers are added at once to a full cache; then comes a burst. Each handler reads the key of each change.',
  ],
  controllers: [
    'Many controllers on one source',
    'Controllers of one manager over the same 100 ConfigMaps: each reconciles each object at the start, and then each event, one at a time.',
  ],
  slow: [
    'One slow handler',
    'The first promise of the handler stays open while 5,000 objects change 15,000 times. Then it resolves, and the handler must ' +
      'end with the state of the server.',
  ],
};

/** Tables and links to plots, a section for each scenario that has figures. */
export function renderReport(input: ReportInput): string {
  const scenarios = [...new Set(input.cases.map(({ scenario }) => scenario))];
  const sections = [
    `\`${input.command}\`, ${input.time}. Medians of the rounds; the least and the most where there was more than one.`,
    ...scenarios.flatMap((scenario) => section(scenario, input)),
    ...(input.remarks.length === 0 ? [] : [`### Not measured\n\n${bullets(input.remarks)}`]),
    `### The machine\n\n${table(['what', 'value'], input.facts)}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

function section(scenario: ScenarioName, input: ReportInput): readonly string[] {
  const { results } = input;
  const measured = input.cases.filter(
    (one) => one.scenario === scenario && namesOf(one, results).length > 0,
  );
  if (measured.length === 0) return [];
  const [heading, text] = SECTIONS[scenario];
  const names = FIGURE_NAMES.filter((name) =>
    measured.some((one) => results.summary(one, name) !== undefined),
  );
  const rows = measured.map((one) => [one.title, ...names.map((name) => cell(results, one, name))]);
  const head = ['', ...names.map((name) => FIGURES[name].title)];
  const more = scenario === 'growth' ? [growthTable(measured, results)] : [];
  const images = PLOTS.filter(
    ({ file, scenario: of }) => of === scenario && input.plotted.includes(file),
  ).map((plot) => image(plot, input.plotFolder));
  return [`### ${heading}\n\n${text}`, table(head, rows), ...more, ...images];
}

function namesOf(one: Case, results: Results): readonly FigureName[] {
  return FIGURE_NAMES.filter((name) => results.summary(one, name) !== undefined);
}

function cell(results: Results, one: Case, name: FigureName): string {
  const summary = results.summary(one, name);
  if (summary === undefined) return NOTHING;
  const [median, min, max] = [summary.median, summary.min, summary.max].map((value) =>
    formatFigure(name, value),
  );
  return summary.rounds === 1 || min === max ? `${median}` : `${median} (${min} – ${max})`;
}

/** What is for each object more, and how that compares with the first such figure of the same curve. */
function growthTable(measured: readonly Case[], results: Results): string {
  const rows = [...new Set(measured.map(({ curve }) => curve))].flatMap((curve) => {
    const points = measured.filter((one) => one.curve === curve);
    const time = more(points, results, 'syncMs');
    const memory = more(points, results, 'heapBytes');
    return time.map(({ objects, value }, index) => {
      const bytes = memory[index]?.value ?? Number.NaN;
      return [
        `${objects.toLocaleString('en-US')} × ${curve}`,
        `${(value * 1e3).toFixed(1)} (×${(value / (time[0]?.value ?? 1)).toFixed(2)})`,
        `${bytes.toFixed(0)} (×${(bytes / (memory[0]?.value ?? 1)).toFixed(2)})`,
      ];
    });
  });
  const head = ['', 'time to sync, µs for each object more', 'memory, B for each object more'];
  return table(head, rows);
}

function more(points: readonly Case[], results: Results, name: FigureName): readonly Measured[] {
  return perObjectMore(
    points.flatMap((one) => {
      const median = results.summary(one, name)?.median;
      return median === undefined ? [] : [{ objects: one.at, value: median }];
    }),
  );
}

function image({ file, title }: PlotPlan, folder: string): string {
  return `![${title}](${folder}/${file}.svg)`;
}
