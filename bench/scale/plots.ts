/** Which plots there are, and what of the results each shows. */
import type { Case, ScenarioName } from './cases.ts';
import { FIGURES, type FigureName } from './figures.ts';
import { perObjectMore } from './growth.ts';
import type { Curve, Plot, Point } from './plot.ts';
import type { Results } from './results.ts';

/** A plot to be made of results. */
export interface PlotPlan extends Omit<Plot, 'curves'> {
  readonly scenario: ScenarioName;
  /** The name of the file, without `.svg`. */
  readonly file: string;
  readonly shows: readonly Shown[];
  /** What each object more costs, instead of the whole; the values are multiplied by `scale`. */
  readonly perObjectMore?: { readonly scale: number };
}

/** A figure of every curve of the scenario; `as` follows the name of the curve. */
interface Shown {
  readonly figure: FigureName;
  readonly as?: string;
}

const OBJECTS = { xLabel: 'objects', logX: true } as const;
const SOURCES = { xLabel: 'sources in one process' } as const;

export const PLOTS: readonly PlotPlan[] = [
  {
    ...SOURCES,
    scenario: 'sources',
    file: 'sources-memory',
    title: 'Memory of one process by its sources',
    description: 'Resident memory of a process after the first lists of 10 to 500 sources.',
    yLabel: 'RSS, MB',
    shows: [{ figure: 'rssBytes' }],
  },
  {
    ...SOURCES,
    scenario: 'sources',
    file: 'sources-idle',
    title: 'CPU of one process while nothing happens, by its sources',
    description: 'CPU milliseconds a minute of a process with 10 to 500 open watches.',
    yLabel: 'ms a minute',
    shows: [{ figure: 'idleCpuMsPerMinute' }],
  },
  {
    ...OBJECTS,
    scenario: 'growth',
    file: 'growth-sync',
    title: 'First list: time for each object more',
    description: 'Microseconds from start to a complete cache for each object beyond 1,000.',
    yLabel: 'µs for each object',
    shows: [{ figure: 'syncMs' }],
    perObjectMore: { scale: 1e3 },
  },
  {
    ...OBJECTS,
    scenario: 'growth',
    file: 'growth-events',
    title: 'Events: CPU for each, by the objects cached',
    description: 'CPU microseconds for each event of a burst that goes round all objects.',
    yLabel: 'CPU µs for each event',
    shows: [{ figure: 'cpuPerEventUs' }],
  },
  {
    ...OBJECTS,
    scenario: 'growth',
    file: 'growth-memory',
    title: 'Memory kept for each object more',
    description:
      'Heap and external memory after a garbage collection for each object beyond 1,000.',
    yLabel: 'kB for each object',
    shows: [{ figure: 'heapBytes' }],
    perObjectMore: { scale: 1e-3 },
  },
  {
    ...OBJECTS,
    scenario: 'growth',
    file: 'growth-delay',
    title: 'Longest event-loop delay, by the objects listed',
    description: 'The longest delay of the event loop during a first list and during a relist.',
    yLabel: 'ms',
    shows: [
      { figure: 'syncDelayMs', as: 'first' },
      { figure: 'stormDelayMs', as: 'relist' },
    ],
  },
  {
    scenario: 'handlers',
    file: 'handlers',
    title: 'Handlers on one informer: CPU for each call',
    description: 'CPU microseconds for each event and handler, with 1 to 1,000 handlers.',
    xLabel: 'handlers',
    logX: true,
    yLabel: 'µs for each event and handler',
    shows: [{ figure: 'cpuPerCallUs' }],
  },
  {
    scenario: 'controllers',
    file: 'controllers',
    title: 'Controllers on one source: CPU for each reconcile',
    description: 'CPU microseconds for each event and controller, with 1 to 1,000 controllers.',
    xLabel: 'controllers of one manager',
    logX: true,
    yLabel: 'µs for each reconcile',
    shows: [{ figure: 'cpuPerCallUs' }],
  },
];

/** @returns undefined when no curve has two points, which is what makes a line. */
export function plotOf(plan: PlotPlan, cases: readonly Case[], results: Results): Plot | undefined {
  const own = cases.filter(({ scenario }) => scenario === plan.scenario);
  const names = [...new Set(own.map(({ curve }) => curve))];
  const curves = names.flatMap((name) => {
    const points = own.filter(({ curve }) => curve === name);
    return plan.shows.map((shown) => curveOf(plan, shown, name, { points, results }));
  });
  const drawn = curves.filter(({ points }) => points.length > 1);
  return drawn.length === 0 ? undefined : { ...plan, curves: drawn };
}

function curveOf(
  { perObjectMore: more }: PlotPlan,
  { figure, as }: Shown,
  name: string,
  { points, results }: { readonly points: readonly Case[]; readonly results: Results },
): Curve {
  const measured = points.flatMap((one) => {
    const median = results.summary(one, figure)?.median;
    return median === undefined ? [] : [{ objects: one.at, value: median }];
  });
  const scale = more?.scale ?? FIGURES[figure].scale;
  const shown = more === undefined ? measured : perObjectMore(measured);
  return {
    name: as === undefined ? name : `${name}, ${as}`,
    points: shown.map(({ objects, value }): Point => ({ x: objects, y: value * scale })),
  };
}
