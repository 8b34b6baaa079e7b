import type { Metric, MetricSum } from 'chancery/internal';
import { HOOK_METRICS } from '../engine/metric-names.ts';

/** Histogram buckets for the duration of runs, from a short shell script to a hook that works for minutes. */
const RUN_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

/** Histogram buckets for work in memory, and for filters. */
const SHORT_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

const OF_RUN = ['hook', 'binding', 'queue'];

type Row = readonly [
  name: string,
  type: Metric['type'],
  labels: readonly string[],
  help: string,
  buckets?: readonly number[],
];

const ROWS: readonly Row[] = [
  [
    HOOK_METRICS.runSeconds,
    'histogram',
    OF_RUN,
    'Duration of runs of hooks in seconds',
    RUN_SECONDS,
  ],
  [HOOK_METRICS.runErrors, 'counter', OF_RUN, 'Runs that failed and are tried again'],
  [HOOK_METRICS.runAllowedErrors, 'counter', OF_RUN, 'Runs that failed where allowFailure is set'],
  [HOOK_METRICS.runSuccess, 'counter', OF_RUN, 'Runs that succeeded'],
  [
    HOOK_METRICS.runUserCpuSeconds,
    'histogram',
    OF_RUN,
    'Processor time of a run in user mode in seconds',
    RUN_SECONDS,
  ],
  [
    HOOK_METRICS.runSystemCpuSeconds,
    'histogram',
    OF_RUN,
    'Processor time of a run in the kernel in seconds',
    RUN_SECONDS,
  ],
  [
    HOOK_METRICS.runMaxRssBytes,
    'gauge',
    OF_RUN,
    'Largest resident memory of the last run in bytes',
  ],
  [HOOK_METRICS.enableSuccess, 'gauge', ['hook'], '1 when every binding of the hook is watched'],
  [
    HOOK_METRICS.enableErrors,
    'counter',
    ['hook'],
    'Bindings that could not be watched when it was their turn',
  ],
  [
    HOOK_METRICS.enableSeconds,
    'gauge',
    ['hook'],
    'Seconds until every binding of the hook was watched',
  ],
  [HOOK_METRICS.queueLength, 'gauge', ['queue'], 'Tasks in the queue'],
  [
    HOOK_METRICS.queueActionSeconds,
    'histogram',
    ['queue_name', 'queue_action'],
    'Duration of changes of a queue in seconds',
    SHORT_SECONDS,
  ],
  [HOOK_METRICS.waitInQueueSeconds, 'counter', OF_RUN, 'Seconds that tasks waited in their queue'],
  [
    HOOK_METRICS.filterSeconds,
    'histogram',
    OF_RUN,
    'Duration of a jq filter over a page of a list or changes that came together in seconds',
    SHORT_SECONDS,
  ],
  [
    HOOK_METRICS.eventSeconds,
    'histogram',
    OF_RUN,
    'Time in which changes that came together become tasks in seconds',
    SHORT_SECONDS,
  ],
  [HOOK_METRICS.snapshotObjects, 'gauge', OF_RUN, 'Objects in the snapshot of the binding'],
  [
    HOOK_METRICS.watchErrors,
    'counter',
    ['error_type'],
    'Lists and watches that failed: expired, eof, unexpected-eof, fail',
  ],
  [
    HOOK_METRICS.bindingMonitorMissing,
    'counter',
    ['binding'],
    'Snapshots of a binding that is not watched yet',
  ],
  [HOOK_METRICS.liveTicks, 'counter', [], 'One at the start, then one each 10 s'],
  [
    HOOK_METRICS.blockedSeconds,
    'gauge',
    ['hook', 'queue'],
    'Seconds since the first failure of the task that blocks its queue',
  ],
  [
    HOOK_METRICS.longestProcessWait,
    'gauge',
    [],
    'Longest time that a queue has waited for a process in seconds',
  ],
  [HOOK_METRICS.leftOut, 'gauge', ['hook'], '1 for a file that --skip-broken-hooks skipped'],
  [HOOK_METRICS.givenUp, 'counter', ['hook'], 'Tasks that were given up after the most attempts'],
  [
    HOOK_METRICS.filterErrors,
    'counter',
    ['hook', 'binding'],
    'Objects for which a jq filter failed, added once a minute',
  ],
];

/**
 * Maps the reasons of this toolkit to the error types of client-go. All other reasons become
 * `fail`.
 */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  expired: 'expired',
  'ended-at-once': 'eof',
  broken: 'unexpected-eof',
  stalled: 'unexpected-eof',
};

const WATCH_ERRORS: MetricSum = {
  metric: 'chancery_source_failures_total',
  labels: ({ reason = '' }) => ({ error_type: ERROR_TYPES[reason] ?? 'fail' }),
};

/** The prefix that shell-operator gives to its metrics by default. */
const RUNNER_PREFIX = 'shell_operator_';

/**
 * The metrics of the hook runner.
 *
 * @param prefix - the prefix of the metric names in a scrape.
 */
export function runnerMetrics(prefix: string = RUNNER_PREFIX): readonly Metric[] {
  return ROWS.map(([name, type, labels, help, buckets]) => ({
    ...{ name, type, labels, help },
    shownAs: `${prefix}${name.slice(RUNNER_PREFIX.length)}`,
    ...(buckets !== undefined && { buckets }),
    ...(name === HOOK_METRICS.watchErrors && { sumOf: WATCH_ERRORS }),
  }));
}
