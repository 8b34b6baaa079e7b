/**
 * The metrics of the original under its names, with its labels and bucket bounds, and four of our own.
 *
 * `rest_client_requests_total` is one of the toolkit's metrics, and `rest_client_request_duration_seconds` is in
 * `request-durations.ts`. The collectors `go_*` and `promhttp_*` have no counterpart.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ReloadObserver } from './observer.ts';
import { type RequestDurations, requestDurations } from './request-durations.ts';

/** Upper bounds in seconds, as the original has them. */
const RECONCILE_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ACTION_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const QUEUE_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const REQUEST_SECONDS = [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];

export interface MetricsOptions {
  /** True with `METRICS_COUNT_BY_NAMESPACE=enabled`. */
  readonly byNamespace: boolean;
  /** Monotonic time in milliseconds, for the time that workloads are queued. */
  readonly monotonic: () => number;
  /**
   * The ambassador, as in `CHANCERY_API_URL`, whose requests are measured. Undefined: the toolkit measures them,
   * with other bounds, because its detailed metrics are on.
   */
  readonly measuredApiUrl: string | undefined;
}

/** What counts, and where the counts are. */
export interface ReloadMetrics {
  readonly registry: Registry;
  readonly observer: ReloadObserver;
  /** Counts a message that did not arrive. */
  readonly lost: (to: 'alert' | 'webhook') => void;
  /** Measures requests while it runs; undefined when the toolkit does it. */
  readonly durations: RequestDurations | undefined;
}

/** A registry of its own. The module hands it to the manager, which shows it on `/metrics`. */
export function reloadMetrics({
  byNamespace,
  monotonic,
  measuredApiUrl,
}: MetricsOptions): ReloadMetrics {
  const registry = new Registry();
  const registers = [registry];
  const lost = new Counter({
    name: 'reloader_messages_lost_total',
    help: 'Alerts and calls of the webhook that did not arrive',
    labelNames: ['to'],
    registers,
  });
  const observers = [
    reloadCounts(registry, byNamespace),
    reconcileCounts(registry),
    eventCounts(registry),
    queueGauges(registry, monotonic),
    ownMetrics(registry),
  ];
  return {
    registry,
    observer: joined(observers),
    lost: (to) => lost.inc({ to }),
    durations:
      measuredApiUrl === undefined
        ? undefined
        : requestDurations(measuredApiUrl, requestHistogram(registry), monotonic),
  };
}

/** The parts observe different methods, so that they can be one observer. */
function joined(observers: readonly ReloadObserver[]): ReloadObserver {
  const methods = new Set(observers.flatMap((each) => Object.keys(each)));
  const entries = [...methods].map((name) => {
    const method = name as keyof ReloadObserver;
    const call = (...given: unknown[]): void => {
      for (const each of observers)
        (each[method] as ((...words: unknown[]) => void) | undefined)?.(...given);
    };
    return [method, call];
  });
  return Object.fromEntries(entries) as ReloadObserver;
}

/** Restarts. One restart for several resources counts once; the original restarts and counts for each. */
function reloadCounts(registry: Registry, byNamespace: boolean): ReloadObserver {
  const registers = [registry];
  const executed = new Counter({
    name: 'reloader_reload_executed_total',
    help: 'Restarts of workloads, by whether they succeeded',
    labelNames: ['success'],
    registers,
  });
  for (const success of ['true', 'false']) executed.inc({ success }, 0);
  const executedIn =
    byNamespace &&
    new Counter({
      name: 'reloader_reload_executed_total_by_namespace',
      help: 'Restarts of workloads, by whether they succeeded and by namespace',
      labelNames: ['success', 'namespace'],
      registers,
    });
  const actions = new Counter({
    name: 'reloader_action_total',
    help: 'Attempts to restart a workload, by its kind and by how they ended',
    labelNames: ['workload_kind', 'result'],
    registers,
  });
  const latency = new Histogram({
    name: 'reloader_action_latency_seconds',
    help: 'Seconds from the begin of the reconcile of a workload to its restart, by kind',
    labelNames: ['workload_kind'],
    buckets: ACTION_SECONDS,
    registers,
  });
  const count = (
    { kind, namespace }: { readonly kind: string; readonly namespace: string },
    hasRestarted: boolean,
    durationMs: number,
  ): void => {
    const success = String(hasRestarted);
    executed.inc({ success });
    if (executedIn) executedIn.inc({ success, namespace });
    actions.inc({ workload_kind: kind, result: hasRestarted ? 'success' : 'error' });
    latency.observe({ workload_kind: kind }, durationMs / 1_000);
  };
  return {
    restarted: (about, _changes, durationMs) => count(about, true, durationMs),
    failed: (about, _changes, _error, durationMs) => count(about, false, durationMs),
  };
}

/** Reconciles of workloads. Each counts once; the original counts each of its events twice. */
function reconcileCounts(registry: Registry): ReloadObserver {
  const registers = [registry];
  const total = new Counter({
    name: 'reloader_reconcile_total',
    help: 'Reconciles of workloads, by how they ended',
    labelNames: ['result'],
    registers,
  });
  const duration = new Histogram({
    name: 'reloader_reconcile_duration_seconds',
    help: 'Seconds that reconciles of workloads take, by how they ended',
    labelNames: ['result'],
    buckets: RECONCILE_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: 'reloader_errors_total',
    help: 'Reconciles of workloads that failed, by type',
    labelNames: ['type'],
    registers,
  });
  const retries = new Counter({
    name: 'reloader_retries_total',
    help: 'Reconciles of workloads that began after one that failed',
    registers,
  });
  const skipped = new Counter({
    name: 'reloader_skipped_total',
    help: 'Reconciles of workloads that restarted nothing, by the reason',
    labelNames: ['reason'],
    registers,
  });
  return {
    reconciled(result, durationMs) {
      total.inc({ result });
      duration.observe({ result }, durationMs / 1_000);
      if (result === 'error') errors.inc({ type: 'handler_error' });
    },
    retried: () => retries.inc(),
    skipped: (reason) => skipped.inc({ reason }),
  };
}

/** Changes of resources, and the workloads that they were compared with. */
function eventCounts(registry: Registry): ReloadObserver {
  const registers = [registry];
  const received = new Counter({
    name: 'reloader_events_received_total',
    help: 'Changes of watched objects, by what happened and by resource',
    labelNames: ['event_type', 'resource_type'],
    registers,
  });
  const processed = new Counter({
    name: 'reloader_events_processed_total',
    help: 'Changes of watched objects that were handled; event_type is always unknown',
    labelNames: ['event_type', 'resource_type', 'result'],
    registers,
  });
  const scanned = new Counter({
    name: 'reloader_workloads_scanned_total',
    help: 'Workloads that were compared with their resources, by kind',
    labelNames: ['kind'],
    registers,
  });
  const matched = new Counter({
    name: 'reloader_workloads_matched_total',
    help: 'Workloads that at least one resource was found to concern, by kind',
    labelNames: ['kind'],
    registers,
  });
  return {
    received: ({ eventType, resourceType }) =>
      received.inc({ event_type: eventType, resource_type: resourceType }),
    processed: ({ resourceType }) =>
      processed.inc({ event_type: 'unknown', resource_type: resourceType, result: 'success' }),
    scanned: (kind) => scanned.inc({ kind }),
    matched: (kind) => matched.inc({ kind }),
  };
}

/** Workloads that a change has put into a queue, and that no reconcile has taken yet. All kinds together. */
function queueGauges(registry: Registry, monotonic: () => number): ReloadObserver {
  const registers = [registry];
  /** Since when each waits. A workload that waits already is not added again. */
  const waiting = new Map<string, number>();
  new Gauge({
    name: 'reloader_workqueue_depth',
    help: 'Workloads that wait to be compared because a resource has changed',
    registers,
    collect() {
      this.set(waiting.size);
    },
  });
  const adds = new Counter({
    name: 'reloader_workqueue_adds_total',
    help: 'Times that a change of a resource put a workload into a queue',
    registers,
  });
  const latency = new Histogram({
    name: 'reloader_workqueue_latency_seconds',
    help: 'Seconds that workloads wait until they are compared because a resource has changed',
    buckets: QUEUE_SECONDS,
    registers,
  });
  return {
    queued(workload) {
      if (waiting.has(workload)) return;
      waiting.set(workload, monotonic());
      adds.inc();
    },
    taken(workload) {
      const sinceMs = waiting.get(workload);
      if (sinceMs === undefined) return;
      waiting.delete(workload);
      latency.observe((monotonic() - sinceMs) / 1_000);
    },
    gone: (workload) => void waiting.delete(workload),
  };
}

/** What the original does not count. */
function ownMetrics(registry: Registry): ReloadObserver {
  const registers = [registry];
  const reasons = new Map<string, string>();
  new Gauge({
    name: 'reloader_restarts_pending',
    help: 'Workloads whose restart waits, by the reason',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const reason of reasons.values()) this.inc({ reason });
    },
  });
  const invalid = new Counter({
    name: 'reloader_config_invalid_total',
    help: 'Values of annotations that cannot be used',
    registers,
  });
  const reverted = new Counter({
    name: 'reloader_baseline_reverted_total',
    help: 'Times that another manager took the recorded hashes of a workload away again',
    registers,
  });
  return {
    pending({ kind, namespace, name }, reason) {
      const workload = `${kind}/${namespace}/${name}`;
      if (reason === undefined) reasons.delete(workload);
      else reasons.set(workload, reason);
    },
    gone: (workload) => void reasons.delete(workload),
    invalid: () => invalid.inc(),
    reverted: () => reverted.inc(),
  };
}

function requestHistogram(registry: Registry): Histogram<'verb' | 'host'> {
  return new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Seconds until the head of an answer, by verb and host; watches are not counted',
    labelNames: ['verb', 'host'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
}
