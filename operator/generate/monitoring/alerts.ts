import type { Series } from './series.ts';

/** A fault of an operator that needs the attention of a person. */
export interface Alert {
  readonly name: string;
  /**
   * `critical`: the operator does not work, or prevents other programs from working. `warning`: the
   * operator works, but not fully.
   */
  readonly severity: 'critical' | 'warning';
  /** The expression in PromQL. Each series in its result is a separate alert. */
  readonly expr: string;
  /** Time that the condition must hold before the alert fires. Default: none. */
  readonly for?: string;
  /** One line, with labels that Prometheus fills in. */
  readonly summary: string;
  /** The consequence for users. */
  readonly description: string;
}

const OPERATOR = 'namespace, job';
const POD = `${OPERATOR}, pod`;
const CONTROLLER = `${OPERATOR}, controller`;
/**
 * Prometheus adds a label `namespace` to each scrape, so it renames the label `namespace` of the
 * metric.
 */
const SOURCE = `${POD}, group, version, resource, exported_namespace`;

/**
 * PromQL for a share: the rate of the series of a counter that match `bad`, divided by the rate of
 * all series of the counter.
 */
function share(series: Series, counter: string, bad: string, by: string, window: string): string {
  const rate = (matchers?: string): string =>
    `sum by (${by}) (rate(${series(counter, matchers)}[${window}]))`;
  return `${rate(bad)} / ${rate()}`;
}

/**
 * All alerts, in the order in which a person should read them: first the faults that stop
 * everything.
 */
export function alertsOf(series: Series): readonly Alert[] {
  return [...processAlerts(series), ...workAlerts(series), ...clusterAlerts(series)];
}

function processAlerts(series: Series): readonly Alert[] {
  const owned = `sum by (${OPERATOR}, name) (${series('chancery_shard_groups', 'phase="owning"')})`;
  const groups = `max by (${OPERATOR}, name) (sum by (${POD}, name) (${series('chancery_shard_groups')}))`;
  const lag = `sum by (${POD}, le) (rate(${series('chancery_event_loop_delay_seconds_bucket')}[5m]))`;
  return [
    {
      name: 'ChanceryOperatorDown',
      severity: 'critical',
      expr: `sum by (${OPERATOR}) (${series('up')}) == 0 or absent(${series('up')})`,
      for: '5m',
      summary: 'No Pod of {{ $labels.job }} answers',
      description: 'Prometheus reaches no Pod of this operator. Nothing is reconciled.',
    },
    {
      name: 'ChanceryNoLeader',
      severity: 'critical',
      expr: `max by (${OPERATOR}, name) (${series('leader_election_master_status')}) == 0 unless on (${OPERATOR}) ${series('chancery_shard_groups')}`,
      for: '5m',
      summary: 'No replica of {{ $labels.job }} holds the Lease {{ $labels.name }}',
      description: 'All replicas wait. Nothing is reconciled.',
    },
    {
      name: 'ChanceryGroupWithoutHolder',
      severity: 'critical',
      expr: `${owned} < ${groups}`,
      for: '5m',
      summary: '{{ $value }} groups of {{ $labels.job }} are at work, which is not all',
      description: 'The keys of the other groups are not reconciled by any replica.',
    },
    {
      name: 'ChanceryEventLoopBlocked',
      severity: 'warning',
      expr: `histogram_quantile(0.99, ${lag}) > 1`,
      for: '10m',
      summary: 'The event loop of {{ $labels.pod }} stands still again and again',
      description:
        'One second in a hundred or more has a block of over 1 s. Blocks delay every request, and long ones lose the Lease.',
    },
  ];
}

function workAlerts(series: Series): readonly Alert[] {
  const errors = `sum by (${CONTROLLER}) (rate(${series('controller_runtime_reconcile_errors_total')}[15m]))`;
  const all = `sum by (${CONTROLLER}) (rate(${series('controller_runtime_reconcile_total')}[15m]))`;
  return [
    {
      name: 'ChanceryReconcilesFailing',
      severity: 'warning',
      expr: `${errors} / ${all} > 0.1`,
      for: '15m',
      summary:
        '{{ $value | humanizePercentage }} of the reconciles of {{ $labels.controller }} fail',
      description:
        'Failed keys are tried again, less and less often. Their objects stay as they are.',
    },
    {
      name: 'ChanceryReconcilePanics',
      severity: 'warning',
      expr: `sum by (${CONTROLLER}) (increase(${series('controller_runtime_reconcile_panics_total')}[15m])) > 0`,
      summary: 'The code of {{ $labels.controller }} has a bug',
      description:
        'A reconcile threw a programming error, such as a TypeError. Retries do not help.',
    },
    {
      name: 'ChanceryReconcileStuck',
      severity: 'warning',
      expr: `max by (${POD}, controller) (${series('workqueue_longest_running_processor_seconds')}) > 600`,
      summary:
        'A reconcile of {{ $labels.controller }} has been running for {{ $value | humanizeDuration }}',
      description:
        'It holds a worker and its key. Its time limit, 5 minutes by default, has not ended it: it ignores its signal.',
    },
    {
      name: 'ChanceryQueueNotDraining',
      severity: 'warning',
      expr: `sum by (${POD}, controller) (${series('workqueue_depth')}) > 0`,
      for: '30m',
      summary: 'Keys of {{ $labels.controller }} have been waiting for half an hour',
      description: 'The queue was never empty: work arrives faster than it is done.',
    },
    {
      name: 'ChanceryWriteLoop',
      severity: 'warning',
      expr: `sum by (${CONTROLLER}) (increase(${series('chancery_write_loop_total')}[15m])) > 0`,
      summary:
        '{{ $labels.controller }} wakes itself by its own writes, or fights with another writer',
      description:
        'The operator slows the loop down. This continues until the writes stop differing.',
    },
  ];
}

function clusterAlerts(series: Series): readonly Alert[] {
  return [
    {
      name: 'ChancerySourceUnhealthy',
      severity: 'warning',
      expr: `max by (${SOURCE}) (${series('chancery_source_state', 'state="healthy"')}) == 0`,
      for: '10m',
      summary: '{{ $labels.pod }} does not see changes of {{ $labels.resource }}',
      description:
        'Lists and watches of this resource are refused or fail. The cache has the last known state.',
    },
    {
      name: 'ChanceryRequestsFailing',
      severity: 'warning',
      expr: `${share(series, 'rest_client_requests_total', 'code=~"5..|429|<error>"', POD, '5m')} > 0.05`,
      for: '10m',
      summary: '{{ $value | humanizePercentage }} of the requests of {{ $labels.pod }} fail',
      description: 'The API server or the ambassador does not answer, or answers 429 or 5xx.',
    },
    {
      name: 'ChanceryWebhookFailing',
      severity: 'critical',
      expr: `${share(series, 'chancery_webhook_reviews_total', 'outcome=~"failed|timeout|unusable"', `${OPERATOR}, webhook`, '5m')} > 0.05`,
      for: '5m',
      summary:
        '{{ $value | humanizePercentage }} of the reviews of {{ $labels.webhook }} have no usable answer',
      description:
        'With failurePolicy Fail, the API server refuses the requests of users that it asks about.',
    },
  ];
}
