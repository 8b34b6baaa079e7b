/** One thing that is measured, and how tables and plots show it. */
export interface Figure {
  readonly title: string;
  /** From what is stored to what is shown. */
  readonly scale: number;
  readonly digits: number;
}

const MB = 1e-6;
const KB = 1e-3;

/** All figures, in the order of the tables. Bytes, milliseconds and counts are stored as they are. */
export const FIGURES = {
  syncMs: { title: 'time to sync, ms', scale: 1, digits: 0 },
  syncCpuMs: { title: 'CPU to sync, ms', scale: 1, digits: 0 },
  syncDelayMs: { title: 'longest loop delay in sync, ms', scale: 1, digits: 0 },
  syncPeakBytes: { title: 'peak RSS in sync, MB', scale: MB, digits: 0 },
  heapBytes: { title: 'heap + external after, MB', scale: MB, digits: 1 },
  rssBytes: { title: 'RSS after, MB', scale: MB, digits: 0 },
  heapPerSourceBytes: { title: 'heap for each source, kB', scale: KB, digits: 1 },
  connections: { title: 'connections', scale: 1, digits: 0 },
  lists: { title: 'lists', scale: 1, digits: 0 },
  mostLists: { title: 'lists at a time, as the server saw it', scale: 1, digits: 0 },
  idleCpuMsPerMinute: { title: 'idle CPU, ms a minute', scale: 1, digits: 0 },
  addCpuMs: { title: 'CPU to add them, ms', scale: 1, digits: 1 },
  addDelayMs: { title: 'longest loop delay while they are added, ms', scale: 1, digits: 0 },
  addPeakBytes: { title: 'peak RSS while they are added, MB', scale: MB, digits: 0 },
  heapPerHandlerBytes: { title: 'heap for each, kB', scale: KB, digits: 2 },
  cpuPerEventUs: { title: 'CPU for each event, µs', scale: 1, digits: 1 },
  cpuPerCallUs: { title: 'CPU for each event and handler, µs', scale: 1, digits: 3 },
  relistMs: { title: 'server back to relisted, ms', scale: 1, digits: 0 },
  liveMs: { title: 'server back to all watching, ms', scale: 1, digits: 0 },
  stormCpuMs: { title: 'CPU, ms', scale: 1, digits: 0 },
  stormDelayMs: { title: 'longest loop delay in relist, ms', scale: 1, digits: 0 },
  stormPeakBytes: { title: 'peak RSS in relist, MB', scale: MB, digits: 0 },
  eventMs: { title: 'one event to each: until all have seen it, ms', scale: 1, digits: 0 },
  eventCpuMs: { title: 'CPU of that, ms', scale: 1, digits: 0 },
  eventDelayMs: { title: 'longest loop delay in events, ms', scale: 1, digits: 0 },
  equalSources: { title: "sources whose state is the server's", scale: 1, digits: 0 },
  aloneP50Ms: { title: 'latency p50 without a slow handler, ms', scale: 1, digits: 2 },
  slowP50Ms: { title: 'latency p50 beside one, ms', scale: 1, digits: 2 },
  aloneP99Ms: { title: 'latency p99 without, ms', scale: 1, digits: 2 },
  slowP99Ms: { title: 'latency p99 beside one, ms', scale: 1, digits: 2 },
  pending: { title: 'changes that wait for it', scale: 1, digits: 0 },
  grownPerEventBytes: {
    title: 'heap grown for each event that it has not taken, B',
    scale: 1,
    digits: 1,
  },
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureName = keyof typeof FIGURES;

export const FIGURE_NAMES: readonly FigureName[] = Object.keys(FIGURES) as FigureName[];

/** What one run has measured; undefined is the same as left out. */
export type Figures = { readonly [name in FigureName]?: number | undefined };

/** With thousands grouped. */
export function formatFigure(name: FigureName, value: number): string {
  const { scale, digits } = FIGURES[name];
  return (value * scale).toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
