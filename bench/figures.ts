/** The quantity that a figure measures. Less is better, except for events per second. */
export type FigureKind = 'CPU' | 'time' | 'memory' | 'events/s';

/** One measured quantity, and how it is printed. */
export interface Figure {
  readonly title: string;
  readonly kind: FigureKind;
  /** Factor from the stored value to the printed value. */
  readonly scale: number;
  readonly digits: number;
}

const MB = 1e-6;

/** All figures, in the order of the report. Bytes, milliseconds and counts are stored without scaling. */
export const FIGURES = {
  importMs: { title: 'import, ms', kind: 'time', scale: 1, digits: 0 },
  firstEventMs: { title: 'start to first event, ms', kind: 'time', scale: 1, digits: 0 },
  syncMs: { title: 'start to synced, ms', kind: 'time', scale: 1, digits: 0 },
  listMs: { title: 'import to synced, ms', kind: 'time', scale: 1, digits: 0 },
  syncDelayMs: { title: 'longest loop delay in sync, ms', kind: 'time', scale: 1, digits: 0 },
  syncTurnMs: { title: 'CPU of the longest turn in sync, ms', kind: 'CPU', scale: 1, digits: 0 },
  syncPeakBytes: { title: 'peak RSS in sync, MB', kind: 'memory', scale: MB, digits: 0 },
  heapBytes: { title: 'heap + external after, MB', kind: 'memory', scale: MB, digits: 1 },
  rssBytes: { title: 'RSS after, MB', kind: 'memory', scale: MB, digits: 0 },
  eventsPerSecond: { title: 'events/s', kind: 'events/s', scale: 1, digits: 0 },
  cpuSecondsPer100k: { title: 'CPU s per 100k', kind: 'CPU', scale: 1, digits: 2 },
  burstDelayMs: { title: 'longest loop delay in burst, ms', kind: 'time', scale: 1, digits: 0 },
  burstTurnMs: { title: 'CPU of the longest turn in burst, ms', kind: 'CPU', scale: 1, digits: 0 },
  burstPeakBytes: { title: 'peak RSS in burst, MB', kind: 'memory', scale: MB, digits: 0 },
  hotEventsPerSecond: {
    title: 'events/s on 1,000 hot keys',
    kind: 'events/s',
    scale: 1,
    digits: 0,
  },
  hotCpuSecondsPer100k: { title: 'CPU s per 100k, hot keys', kind: 'CPU', scale: 1, digits: 2 },
  latencyP50Ms: { title: 'latency p50, ms', kind: 'time', scale: 1, digits: 2 },
  latencyP99Ms: { title: 'latency p99, ms', kind: 'time', scale: 1, digits: 2 },
  latencyMaxMs: { title: 'latency max, ms', kind: 'time', scale: 1, digits: 1 },
  relistMs: { title: 'cut to relisted, ms', kind: 'time', scale: 1, digits: 0 },
  relistDelayMs: { title: 'longest loop delay in relist, ms', kind: 'time', scale: 1, digits: 0 },
  relistTurnMs: {
    title: 'CPU of the longest turn in relist, ms',
    kind: 'CPU',
    scale: 1,
    digits: 0,
  },
  relistPeakBytes: { title: 'peak RSS in relist, MB', kind: 'memory', scale: MB, digits: 0 },
  endlessMs: {
    title: 'line without end: until all is well, ms',
    kind: 'time',
    scale: 1,
    digits: 0,
  },
  endlessDelayMs: { title: 'longest loop delay meanwhile, ms', kind: 'time', scale: 1, digits: 0 },
  endlessTurnMs: {
    title: 'CPU of the longest turn meanwhile, ms',
    kind: 'CPU',
    scale: 1,
    digits: 0,
  },
  endlessPeakBytes: { title: 'peak RSS meanwhile, MB', kind: 'memory', scale: MB, digits: 0 },
  endlessLatencyMs: {
    title: 'latency of others meanwhile, max, ms',
    kind: 'time',
    scale: 1,
    digits: 1,
  },
  idleCpuMsPerMinute: {
    title: 'idle CPU with 50 watches, ms a minute',
    kind: 'CPU',
    scale: 1,
    digits: 1,
  },
  chunksCpuMs: { title: '1.5 MB in 16 kB chunks, CPU ms', kind: 'CPU', scale: 1, digits: 1 },
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureName = keyof typeof FIGURES;

/** The figures of one run; undefined means the same as left out. */
export type Figures = { [name in FigureName]?: number | undefined };

export const FIGURE_NAMES: readonly FigureName[] = Object.keys(FIGURES) as FigureName[];

/** The figure as printed in the report, with grouped thousands. */
export function formatFigure(name: FigureName, value: number): string {
  const { scale, digits } = FIGURES[name];
  return (value * scale).toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
