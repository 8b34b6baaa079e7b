import type { Labels } from '../../core/metrics.ts';

/** A metric that the toolkit emits through the port `core/metrics.ts`. */
export interface Metric {
  /**
   * The name that the toolkit emits. The prefix `chancery_` of its own metrics can be changed by a setting.
   */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, ascending, without +Inf. Set for histograms only. */
  readonly buckets?: readonly number[];
  /** The name in the scrape. Default: `name`, with the prefix of the settings. */
  readonly shownAs?: string;
  /** Set for a counter that sums up another one: it grows with that, and nothing else counts it. */
  readonly sumOf?: MetricSum;
  /** Collected only if detailed metrics are turned on, because each has a series or histogram per verb. */
  readonly detailed?: true;
}

/** How a counter follows from another. */
export interface MetricSum {
  /** The name that the toolkit emits. */
  readonly metric: string;
  /** The labels of the sum, by those of the counter. */
  labels(of: Labels): Labels;
}

/** controller-runtime's bounds for durations from milliseconds to a minute. */
const SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** client-go's bounds for requests. */
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** client-go's bounds for bodies: 64 bytes to 16 MiB. */
const BYTES = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

/**
 * client-go's bounds for queues: 1e-8 and eleven steps of a factor of ten. Multiplied step by step as in
 * client-go, because sums by `le` over operators of both kinds need numbers that are equal to the last
 * digit.
 */
const QUEUE_SECONDS = Array.from({ length: 11 }).reduce<number[]>(
  (bounds) => [...bounds, (bounds.at(-1) ?? 0) * 10],
  [10e-9],
);

/** A list takes as long as any large answer. */
const LIST_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** From a delay that is not noticeable to one that loses a Lease. */
const STALL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const QUEUE = ['name', 'controller'];
const SOURCE = ['group', 'version', 'resource', 'namespace'];

/** Metrics with the names, labels and bounds of controller-runtime and client-go. */
const KNOWN_ELSEWHERE: readonly Metric[] = [
  {
    name: 'controller_runtime_reconcile_total',
    type: 'counter',
    help: 'Total number of reconciliations per controller',
    labels: ['controller', 'result'],
  },
  {
    name: 'controller_runtime_reconcile_errors_total',
    type: 'counter',
    help: 'Total number of reconciliation errors per controller',
    labels: ['controller'],
  },
  {
    name: 'controller_runtime_terminal_reconcile_errors_total',
    type: 'counter',
    help: 'Total number of terminal reconciliation errors per controller',
    labels: ['controller'],
  },
  {
    name: 'controller_runtime_reconcile_panics_total',
    type: 'counter',
    help: 'Total number of reconciliation panics per controller',
    labels: ['controller'],
  },
  {
    name: 'controller_runtime_reconcile_timeouts_total',
    type: 'counter',
    help: 'Total number of reconciliation timeouts per controller',
    labels: ['controller'],
  },
  {
    name: 'controller_runtime_reconcile_time_seconds',
    type: 'histogram',
    help: 'Length of time per reconciliation per controller',
    labels: ['controller'],
    buckets: SECONDS,
  },
  {
    name: 'controller_runtime_max_concurrent_reconciles',
    type: 'gauge',
    help: 'Maximum number of concurrent reconciles per controller',
    labels: ['controller'],
  },
  {
    name: 'controller_runtime_active_workers',
    type: 'gauge',
    help: 'Number of currently used workers per controller',
    labels: ['controller'],
  },
  {
    name: 'workqueue_depth',
    type: 'gauge',
    help: 'Current depth of workqueue by workqueue and priority',
    labels: [...QUEUE, 'priority'],
  },
  {
    name: 'workqueue_adds_total',
    type: 'counter',
    help: 'Total number of adds handled by workqueue',
    labels: QUEUE,
  },
  {
    name: 'workqueue_retries_total',
    type: 'counter',
    help: 'Total number of retries handled by workqueue',
    labels: QUEUE,
  },
  {
    name: 'workqueue_queue_duration_seconds',
    type: 'histogram',
    help: 'How long in seconds an item stays in workqueue before being requested',
    labels: QUEUE,
    buckets: QUEUE_SECONDS,
  },
  {
    name: 'workqueue_work_duration_seconds',
    type: 'histogram',
    help: 'How long in seconds processing an item from workqueue takes',
    labels: QUEUE,
    buckets: QUEUE_SECONDS,
  },
  {
    name: 'workqueue_unfinished_work_seconds',
    type: 'gauge',
    help: 'Seconds of work that is in progress and not yet observed by work_duration',
    labels: QUEUE,
  },
  {
    name: 'workqueue_longest_running_processor_seconds',
    type: 'gauge',
    help: 'How many seconds the longest running processor for workqueue has been running',
    labels: QUEUE,
  },
  {
    name: 'rest_client_requests_total',
    type: 'counter',
    help: 'Number of HTTP requests, partitioned by status code, method, and host',
    labels: ['code', 'method', 'host'],
  },
  {
    name: 'rest_client_request_duration_seconds',
    type: 'histogram',
    help: 'Seconds until the head of an answer, by verb and host; watches are left out',
    labels: ['verb', 'host'],
    buckets: REQUEST_SECONDS,
    detailed: true,
  },
  {
    name: 'rest_client_request_size_bytes',
    type: 'histogram',
    help: 'Size of request bodies in bytes, by verb and host; watches are left out',
    labels: ['verb', 'host'],
    buckets: BYTES,
    detailed: true,
  },
  {
    name: 'rest_client_response_size_bytes',
    type: 'histogram',
    help: 'Size of response bodies in bytes, by verb and host; watches are left out',
    labels: ['verb', 'host'],
    buckets: BYTES,
    detailed: true,
  },
  {
    name: 'rest_client_request_retries_total',
    type: 'counter',
    help: 'Number of request retries, partitioned by status code, verb, and host',
    labels: ['code', 'verb', 'host'],
    detailed: true,
  },
  {
    name: 'leader_election_master_status',
    type: 'gauge',
    help: 'Whether this process holds the lease: 1 for the leader, 0 for a standby',
    labels: ['name'],
  },
  {
    name: 'leader_election_slowpath_total',
    type: 'counter',
    help: 'Renewals of a lease that had to read it first',
    labels: ['name'],
  },
];

/** The toolkit's own metrics. */
const OWN: readonly Metric[] = [
  {
    name: 'chancery_reconcile_conflicts_total',
    type: 'counter',
    help: 'Reconciliations that ended in a conflict, which is retried',
    labels: ['controller'],
  },
  {
    name: 'chancery_mapping_failures_total',
    type: 'counter',
    help: 'Changes that were dropped because a mapping failed again and again',
    labels: ['controller'],
  },
  {
    name: 'chancery_predicate_failures_total',
    type: 'counter',
    help: 'Times that a predicate began to throw',
    labels: ['controller'],
  },
  {
    name: 'chancery_trigger_failures_total',
    type: 'counter',
    help: 'Failures of triggers',
    labels: ['controller'],
  },
  {
    name: 'chancery_write_loop_total',
    type: 'counter',
    help: 'Reconciliations that were one more turn of a loop of writes',
    labels: ['controller'],
  },
  {
    name: 'chancery_unselected_finalizers',
    type: 'gauge',
    help: 'Objects that carry the finalizer of the controller and that its source does not select',
    labels: ['controller'],
  },
  {
    name: 'chancery_consistency_wait_expired_total',
    type: 'counter',
    help: 'Keys that ran although the cache had not caught up with what they wrote',
    labels: ['controller'],
  },
  {
    name: 'chancery_events_dropped_total',
    type: 'counter',
    help: 'Kubernetes Events that were not sent, by the reason why',
    labels: ['controller', 'reason'],
  },
  {
    name: 'chancery_watch_opens_total',
    type: 'counter',
    help: 'Watches opened, by what became of it',
    labels: [...SOURCE, 'result'],
  },
  {
    name: 'chancery_watch_events_total',
    type: 'counter',
    help: 'Watch events received, by type',
    labels: [...SOURCE, 'type'],
  },
  {
    name: 'chancery_watch_events_skipped_total',
    type: 'counter',
    help: 'Watch events left out because they were about an object of another kind',
    labels: SOURCE,
  },
  {
    name: 'chancery_source_failures_total',
    type: 'counter',
    help: 'Lists that failed and watches that did not end by routine, by the reason why',
    labels: [...SOURCE, 'reason'],
  },
  {
    name: 'chancery_watch_stalls_total',
    type: 'counter',
    help: 'Watches cut because they were silent for too long',
    labels: SOURCE,
  },
  {
    name: 'chancery_watch_slow_consumer_total',
    type: 'counter',
    help: 'Watches that the server ended while a slow handler kept them from being read',
    labels: SOURCE,
  },
  {
    name: 'chancery_lists_total',
    type: 'counter',
    help: 'Lists, by mode and by what became of them',
    labels: [...SOURCE, 'mode', 'result'],
  },
  {
    name: 'chancery_list_duration_seconds',
    type: 'histogram',
    help: 'How long lists take, all pages',
    labels: [...SOURCE, 'mode'],
    buckets: LIST_SECONDS,
  },
  {
    name: 'chancery_list_duplicates_total',
    type: 'counter',
    help: 'Objects that stood in one list more than once',
    labels: SOURCE,
  },
  {
    name: 'chancery_decode_errors_total',
    type: 'counter',
    help: 'Lines and lists that were not what the protocol promises',
    labels: SOURCE,
  },
  {
    name: 'chancery_rv_regression_total',
    type: 'counter',
    help: 'Times that the server showed an older state than one it had shown before, or another state at the same resourceVersion',
    labels: SOURCE,
  },
  {
    name: 'chancery_cache_drift_total',
    type: 'counter',
    help: 'Objects in which the cache had drifted from the server, found by an authoritative relist',
    labels: SOURCE,
  },
  {
    name: 'chancery_outdated_events_total',
    type: 'counter',
    help: 'Events older than what the cache had already',
    labels: SOURCE,
  },
  {
    name: 'chancery_overlay_expired_total',
    type: 'counter',
    help: 'Writes of this process that a cache did not hear of within a minute',
    labels: SOURCE,
  },
  {
    name: 'chancery_source_state',
    type: 'gauge',
    help: 'What a source is doing: 1 for the state that holds, 0 for the others',
    labels: [...SOURCE, 'state'],
  },
  {
    name: 'chancery_last_contact_timestamp_seconds',
    type: 'gauge',
    help: 'When the server was last heard of, in seconds since 1970',
    labels: SOURCE,
  },
  {
    name: 'chancery_cached_objects',
    type: 'gauge',
    help: 'Objects in caches',
    labels: SOURCE,
  },
  {
    name: 'chancery_cached_bytes_estimate',
    type: 'gauge',
    help: 'About how many bytes the objects in caches take',
    labels: SOURCE,
  },
  {
    name: 'chancery_index_errors_total',
    type: 'counter',
    help: 'Calls of an index function that threw',
    labels: SOURCE,
  },
  {
    name: 'chancery_transform_errors_total',
    type: 'counter',
    help: 'Objects that a source received and whose transform failed',
    labels: SOURCE,
  },
  {
    name: 'chancery_handler_errors_total',
    type: 'counter',
    help: 'Calls of a change handler that threw',
    labels: SOURCE,
  },
  {
    name: 'chancery_event_loop_delay_seconds',
    type: 'histogram',
    help: 'The longest time in each second for which the event loop did not turn',
    labels: [],
    buckets: STALL_SECONDS,
  },
  {
    name: 'chancery_meter_errors_total',
    type: 'counter',
    help: 'Measurements that were dropped because of a bug: a wrong name, label or value',
    labels: [],
  },
];

/** Every metric that the toolkit emits. The meter refuses a metric that is not listed here. */
export const METRICS: readonly Metric[] = [...KNOWN_ELSEWHERE, ...OWN];
