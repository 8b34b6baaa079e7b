import type { FigureName } from './figures.ts';
import type { FigureOf } from './results.ts';
import type { SubjectName } from './subjects.ts';
import type { WorkName } from './works.ts';

/** A median, or the difference of two medians; divided by `over` if that is given. */
export interface Term extends FigureOf {
  readonly less?: FigureOf;
  readonly over?: number;
}

/**
 * A bound for `of`, or for `of` divided by `by`. Few bounds are absolute times: only those that people or
 * probes wait for.
 */
export interface Target {
  readonly id: string;
  readonly title: string;
  readonly of: Term;
  readonly by?: Term;
  /** For a target without `by`: `--check` divides by this figure, because it compares no absolute times. */
  readonly guardBy?: Term;
  readonly atLeast?: number;
  readonly atMost?: number;
}

type Bound = Pick<Target, 'atLeast' | 'atMost'>;
type Side = readonly [work: WorkName, subject: SubjectName];

/** Probes and Leases must be answered within this time, with any input. */
const MOST_DELAY_MS = 50;

/** All targets, in the order of the report. */
export const TARGETS: readonly Target[] = [
  peer('pod-envelope', 'events/s, keys only, Pod, 10k', {
    figure: 'eventsPerSecond',
    ...{ work: 'pod-10k', ours: 'chancery-envelope', atLeast: 3.5 },
  }),
  ratio(
    'pod-envelope-parse',
    'events/s, keys only, Pod, 10k, by JSON.parse alone',
    'eventsPerSecond',
    {
      ...sides(['pod-10k', 'chancery-envelope'], ['pod-10k', 'json-parse']),
      atLeast: 1.7,
    },
  ),
  peer('pod-object', 'events/s, every object read, Pod, 10k', {
    figure: 'eventsPerSecond',
    ...{ work: 'pod-10k', ours: 'chancery-object', atLeast: 1.7 },
  }),
  peer('config-map-envelope', 'events/s, keys only, ConfigMap, 50k', {
    figure: 'eventsPerSecond',
    ...{ work: 'config-map-50k', ours: 'chancery-envelope', atLeast: 2.2 },
  }),
  peer('config-map-object', 'events/s, every object read, ConfigMap, 50k', {
    figure: 'eventsPerSecond',
    ...{ work: 'config-map-50k', ours: 'chancery-object', atLeast: 1.35 },
  }),
  ratio(
    'pod-reconcile',
    'events/s to reconcile on 1,000 hot keys, Pod, by JSON.parse alone',
    'hotEventsPerSecond',
    {
      ...sides(['pod-10k', 'chancery-reconcile'], ['pod-10k', 'json-parse']),
      atLeast: 1.7,
    },
  ),
  peer('pod-cpu-envelope', 'CPU per 100k events, keys only, Pod', {
    figure: 'cpuSecondsPer100k',
    ...{ work: 'pod-10k', ours: 'chancery-envelope', atMost: 0.3 },
  }),
  peer('pod-cpu-object', 'CPU per 100k events, every object read, Pod', {
    figure: 'cpuSecondsPer100k',
    ...{ work: 'pod-10k', ours: 'chancery-object', atMost: 0.55 },
  }),
  peer('pod-heap', 'heap and external memory after sync of 10k Pods', {
    figure: 'heapBytes',
    ...{ work: 'pod-10k', ours: 'chancery-envelope', atMost: 0.28 },
  }),
  peer('pod-peak', 'peak RSS, first list of 10k Pods', {
    figure: 'syncPeakBytes',
    ...{ work: 'pod-10k', ours: 'chancery-envelope', atMost: 0.3 },
  }),
  peer('pod-peak-relist', 'peak RSS, relist of 10k Pods', {
    figure: 'relistPeakBytes',
    ...{ work: 'pod-10k', ours: 'chancery-envelope', atMost: 0.3 },
  }),
  peer('pod-sync', 'time to sync 10k Pods, without import', {
    figure: 'listMs',
    ...{ work: 'pod-10k', ours: 'chancery-envelope', atMost: 0.25 },
  }),
  absolute('pod-50k-delay', 'longest loop delay, first list of 50k Pods, ms', 'syncDelayMs', {
    ...side('pod-50k', 'chancery-envelope'),
    atMost: 20,
  }),
  absolute('pod-50k-delay-relist', 'longest loop delay, relist of 50k Pods, ms', 'relistDelayMs', {
    ...side('pod-50k', 'chancery-envelope'),
    atMost: 20,
  }),
  peer('first-event', 'start of the process to first event, 100 Pods', {
    figure: 'firstEventMs',
    ...{ work: 'pod-100', ours: 'chancery-envelope', atMost: 0.25 },
  }),
  aboveCurl('latency-p50', 'latency p50 at 200/s above curl, kubectl, ms', 'latencyP50Ms', 0.5),
  aboveCurl('latency-p99', 'latency p99 at 200/s above curl, kubectl, ms', 'latencyP99Ms', 3),
  flat('flat-cpu', 'CPU per event, 100k objects by 1k', 'cpuSecondsPer100k'),
  flatMemory('flat-memory', 'memory for each object more, 100k objects by 10k'),
  {
    ...absolute('chunks', '1.5 MB in 16 kB chunks, CPU ms', 'chunksCpuMs', {
      ...side('chunks', 'chancery-envelope'),
      atMost: 15,
    }),
    guardBy: at(['chunks', 'client-node'], 'chunksCpuMs'),
  },
  ...badInput('slow', 'a slow handler that holds back, 30k Pod events', {
    ...{ work: 'slow-consumer', subject: 'chancery-slow' },
    // The socket keeps unread data. Memory only grows by garbage: objects that were read take four times the
    // memory of their text.
    atMost: 3,
  }),
  ...badInput('stuck', 'a handler that never returns, 30k Pod events', {
    ...{ work: 'slow-consumer', subject: 'chancery-stuck' },
    // Waiting events are merged: memory holds the first old and the last new object of each key, and garbage.
    atMost: 3,
  }),
  ...badInput('deletes', '100k deletes at once', {
    ...{ work: 'deletes-100k', subject: 'chancery-deleted' },
    // Memory holds the collection a second time as text of the events, until V8 collects garbage.
    atMost: 1.5,
  }),
  delayed('endless-delay', 'a line without end', {
    ...{ work: 'endless-line', subject: 'chancery-endless', figure: 'endlessDelayMs' },
  }),
  {
    id: 'endless-memory',
    title: 'a line without end: peak RSS above what was there before, MB',
    of: {
      ...{ work: 'endless-line', subject: 'chancery-endless', figure: 'endlessPeakBytes' },
      less: at(['endless-line', 'chancery-endless'], 'rssBytes'),
      over: 1e6,
    },
    // 67 MB of the line are in memory when it is cut; the rest is left by sockets and the other source.
    atMost: 100,
  },
  delayed('page-delay', 'a page of 500 objects of 1 MB', {
    ...{ work: 'page-500mb', subject: 'chancery-large', figure: 'syncDelayMs' },
  }),
  {
    id: 'page-memory',
    title: 'a page of 500 objects of 1 MB: peak RSS, by what they take afterwards',
    of: at(['page-500mb', 'chancery-large'], 'syncPeakBytes'),
    by: at(['page-500mb', 'chancery-large'], 'heapBytes'),
    // All objects, and half as much in progress: never the text of the page and its objects together.
    atMost: 1.5,
  },
];

interface PeerTarget extends Bound {
  readonly figure: FigureName;
  readonly work: WorkName;
  readonly ours: SubjectName;
}

/** Chancery's figure divided by that of client-node. */
function peer(id: string, title: string, { figure, work, ours, ...bound }: PeerTarget): Target {
  const by = { work, subject: 'client-node', figure } as const;
  return {
    id,
    title: `${title}, by client-node`,
    of: { work, subject: ours, figure },
    by,
    ...bound,
  };
}

interface Sides extends Bound {
  readonly left: Side;
  readonly right: Side;
}

function sides(left: Side, right: Side): Pick<Sides, 'left' | 'right'> {
  return { left, right };
}

function ratio(
  id: string,
  title: string,
  figure: FigureName,
  { left, right, ...bound }: Sides,
): Target {
  return { id, title, of: at(left, figure), by: at(right, figure), ...bound };
}

function side(work: WorkName, subject: SubjectName): { readonly only: Side } {
  return { only: [work, subject] };
}

function absolute(
  id: string,
  title: string,
  figure: FigureName,
  { only, ...bound }: Bound & { readonly only: Side },
): Target {
  return { id, title, of: at(only, figure), ...bound };
}

function aboveCurl(id: string, title: string, figure: FigureName, atMost: number): Target {
  const less = at(['latency-kubectl', 'curl-kubectl'], figure);
  return {
    id,
    title,
    of: { ...at(['latency-kubectl', 'chancery-kubectl'], figure), less },
    atMost,
  };
}

/**
 * The memory of each object added from 10k to 100k, divided by that from 1k to 10k. The memory of a process
 * without objects does not count.
 */
function flatMemory(id: string, title: string): Target {
  const heapOf = (work: WorkName): FigureOf => at([work, 'chancery-envelope'], 'heapBytes');
  const [few, some, many] = [
    heapOf('config-map-1k'),
    heapOf('config-map-10k'),
    heapOf('config-map-100k'),
  ];
  const of = { ...many, less: some, over: 90_000 };
  return { id, title, of, by: { ...some, less: few, over: 9_000 }, atMost: 1.15 };
}

interface BadInput extends Bound {
  readonly work: WorkName;
  readonly subject: SubjectName;
}

/** The event loop must keep running, and memory must stay within a multiple of the collection's size. */
function badInput(
  id: string,
  title: string,
  { work, subject, ...bound }: BadInput,
): readonly Target[] {
  const side: Side = [work, subject];
  return [
    delayed(`${id}-delay`, title, { work, subject, figure: 'burstDelayMs' }),
    {
      id: `${id}-memory`,
      title: `${title}: peak RSS above what was there before, by what the collection takes`,
      of: { ...at(side, 'burstPeakBytes'), less: at(side, 'rssBytes') },
      by: at(side, 'heapBytes'),
      ...bound,
    },
  ];
}

function delayed(id: string, title: string, of: FigureOf): Target {
  return { id, title: `${title}: longest loop delay, ms`, of, atMost: MOST_DELAY_MS };
}

function flat(id: string, title: string, figure: FigureName): Target {
  const of = at(['config-map-100k', 'chancery-envelope'], figure);
  return { id, title, of, by: at(['config-map-1k', 'chancery-envelope'], figure), atMost: 1.15 };
}

function at([work, subject]: Side, figure: FigureName): FigureOf {
  return { work, subject, figure };
}
