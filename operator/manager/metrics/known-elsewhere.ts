import type { Metric } from './metric.ts';

/** controller-runtime's bounds for durations from milliseconds to a minute. */
const SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** The default bounds of Prometheus, which controller-runtime uses for webhooks. */
const WEBHOOK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The bounds that client-go uses for the duration of requests, in seconds. */
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** The bounds that client-go uses for the size of bodies: 64 bytes to 16 MiB. */
const BYTES = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

/**
 * client-go's twelve bounds for queues: 1e-8 to 1e3 seconds, each ten times the previous one. They are
 * multiplied step by step as in client-go: a query that adds up Go and Chancery operators by `le` needs
 * numbers with the same last digit.
 */
const QUEUE_SECONDS = Array.from({ length: 11 }).reduce<number[]>(
  (bounds) => [...bounds, (bounds.at(-1) ?? 0) * 10],
  [10e-9],
);

const QUEUE = ['name', 'controller'];

/** Metrics with the names, labels and bounds of controller-runtime and client-go. */
export const KNOWN_ELSEWHERE: readonly Metric[] = [
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
    name: 'controller_runtime_webhook_requests_total',
    type: 'counter',
    help: 'Total number of admission requests by HTTP status code',
    labels: ['webhook', 'code'],
  },
  {
    name: 'controller_runtime_webhook_latency_seconds',
    type: 'histogram',
    help: 'Latency of processing admission requests',
    labels: ['webhook'],
    buckets: WEBHOOK_SECONDS,
  },
  {
    name: 'controller_runtime_webhook_requests_in_flight',
    type: 'gauge',
    help: 'Current number of admission requests being served',
    labels: ['webhook'],
  },
  {
    name: 'controller_runtime_webhook_panics_total',
    type: 'counter',
    help: 'Total number of webhook panics: functions that threw',
    labels: [],
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
    help: 'Seconds until the head of an answer, by verb and host; watches are not counted',
    labels: ['verb', 'host'],
    buckets: REQUEST_SECONDS,
    detailed: true,
  },
  {
    name: 'rest_client_request_size_bytes',
    type: 'histogram',
    help: 'Size of request bodies in bytes, by verb and host; watches are not counted',
    labels: ['verb', 'host'],
    buckets: BYTES,
    detailed: true,
  },
  {
    name: 'rest_client_response_size_bytes',
    type: 'histogram',
    help: 'Size of response bodies in bytes, by verb and host; watches are not counted',
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
    help: 'Renewals of a lease that had to read the lease first',
    labels: ['name'],
  },
];
