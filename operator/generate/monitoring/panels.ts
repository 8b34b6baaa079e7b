import type { Series } from './series.ts';

/** One line or a group of lines of a panel. */
export interface Query {
  readonly expr: string;
  /** Grafana's name of each line, with labels in double braces. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  /** A unit of Grafana. */
  readonly unit: 'short' | 's' | 'bytes' | 'percentunit' | 'reqps' | 'ops';
  readonly queries: readonly Query[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The features of an operator on which panels depend. */
export interface OperatorParts {
  /** True when the operator elects a leader, or when its replicas share the work through Leases. */
  readonly hasElection: boolean;
  readonly isSharded: boolean;
  readonly hasWebhooks: boolean;
}

/** All rows in reading order. A row without a metric of this operator is omitted. */
export function rowsOf(series: Series, parts: OperatorParts): readonly Row[] {
  const panels = new Panels(series);
  return [
    { title: 'Process', panels: panels.process(parts) },
    { title: 'Reconciles', panels: panels.reconciles() },
    { title: 'Queue', panels: panels.queue() },
    { title: 'Sources', panels: panels.sources() },
    { title: 'API server', panels: panels.requests() },
    ...(parts.hasWebhooks ? [{ title: 'Webhooks', panels: panels.webhooks() }] : []),
    ...(parts.isSharded ? [{ title: 'Shared work', panels: panels.shards() }] : []),
  ];
}

class Panels {
  readonly #series: Series;

  constructor(series: Series) {
    this.#series = series;
  }

  process({ hasElection }: OperatorParts): readonly Panel[] {
    const leader = panel('Replicas that lead', 'short', [
      this.#sum('leader_election_master_status', 'name'),
    ]);
    return [
      panel('Pods that answer', 'short', [this.#sum('up', 'job')]),
      ...(hasElection ? [leader] : []),
      panel('CPU', 'short', [this.#rate('process_cpu_seconds_total', 'pod')]),
      panel('Memory', 'bytes', [
        this.#sum('process_resident_memory_bytes', 'pod', '{{pod}} resident'),
        this.#sum('nodejs_heap_size_used_bytes', 'pod', '{{pod}} heap'),
      ]),
      panel('Event loop: blocks', 's', this.#quantiles('chancery_event_loop_delay_seconds', 'pod')),
    ];
  }

  reconciles(): readonly Panel[] {
    const bad = [
      'controller_runtime_reconcile_errors_total',
      'controller_runtime_terminal_reconcile_errors_total',
      'controller_runtime_reconcile_panics_total',
      'controller_runtime_reconcile_timeouts_total',
      'chancery_reconcile_conflicts_total',
    ];
    const dropped = [
      'chancery_mapping_failures_total',
      'chancery_predicate_failures_total',
      'chancery_trigger_failures_total',
    ];
    const own = ['chancery_write_loop_total', 'chancery_write_fight_total'];
    const byController = (names: readonly string[]): readonly Query[] =>
      names.map((name) => this.#rate(name, 'controller', `{{controller}} ${wordsOf(name)}`));
    const busy = 'controller_runtime_active_workers';
    const most = 'controller_runtime_max_concurrent_reconciles';
    return [
      panel('Reconciles by result', 'ops', [
        this.#rate('controller_runtime_reconcile_total', 'controller, result'),
      ]),
      panel('Failures by kind', 'ops', byController(bad)),
      panel(
        'Time of a reconcile',
        's',
        this.#quantiles('controller_runtime_reconcile_time_seconds', 'controller'),
      ),
      panel('Workers', 'short', [
        this.#sum(busy, 'controller', '{{controller}} busy'),
        this.#sum(most, 'controller', '{{controller}} all'),
      ]),
      panel('Loops of writes, and fights', 'ops', byController(own)),
      panel('Failures around reconciles', 'ops', byController(dropped)),
    ];
  }

  queue(): readonly Panel[] {
    const wait = 'workqueue_queue_duration_seconds';
    const longest = 'workqueue_longest_running_processor_seconds';
    return [
      panel('Keys that wait', 'short', [this.#sum('workqueue_depth', 'controller, priority')]),
      panel('Time in the queue', 's', this.#quantiles(wait, 'controller')),
      panel('Keys added and tried again', 'ops', [
        this.#rate('workqueue_adds_total', 'controller', '{{controller}} added'),
        this.#rate('workqueue_retries_total', 'controller', '{{controller}} again'),
      ]),
      panel('Longest reconcile under way', 's', [this.#max(longest, 'controller')]),
    ];
  }

  sources(): readonly Panel[] {
    const state = this.#series('chancery_source_state');
    const contact = this.#series('chancery_last_contact_timestamp_seconds');
    const by = 'resource, exported_namespace';
    const failures = 'chancery_source_failures_total';
    return [
      panel('Sources by state', 'short', [
        { expr: `sum by (state) (${state})`, legend: '{{state}}' },
      ]),
      panel('Time since the last contact', 's', [
        { expr: `time() - min by (${by}) (${contact})`, legend: legendOf(by) },
      ]),
      panel('Events received', 'ops', [
        this.#rate('chancery_watch_events_total', 'resource, type'),
      ]),
      panel('Failures of lists and watches', 'ops', [this.#rate(failures, 'resource, reason')]),
      panel('Objects in caches', 'short', [this.#sum('chancery_cached_objects', by)]),
      panel('Size of caches', 'bytes', [this.#sum('chancery_cached_bytes_estimate', by)]),
      panel('Time of a list', 's', this.#quantiles('chancery_list_duration_seconds', 'resource')),
    ];
  }

  requests(): readonly Panel[] {
    const requests = 'rest_client_requests_total';
    const failed = this.#rate(requests, 'pod', '', 'code=~"5..|429|<error>"').expr;
    return [
      panel('Requests', 'reqps', [this.#rate(requests, 'method, code')]),
      panel('Share that failed', 'percentunit', [
        { expr: `${failed} / ${this.#rate(requests, 'pod').expr}`, legend: '{{pod}}' },
      ]),
      panel('Events not sent', 'ops', [this.#rate('chancery_events_dropped_total', 'reason')]),
    ];
  }

  webhooks(): readonly Panel[] {
    const latency = 'controller_runtime_webhook_latency_seconds';
    const underWay = 'controller_runtime_webhook_requests_in_flight';
    return [
      panel('Reviews', 'reqps', [this.#rate('chancery_webhook_reviews_total', 'webhook, outcome')]),
      panel('Time of a review', 's', this.#quantiles(latency, 'webhook')),
      panel('Reviews under way', 'short', [this.#sum(underWay, 'webhook')]),
    ];
  }

  shards(): readonly Panel[] {
    const handover = 'chancery_shard_handover_seconds';
    return [
      panel('Groups by phase', 'short', [this.#sum('chancery_shard_groups', 'pod, phase')]),
      panel('Replicas that share the work', 'short', [this.#sum('chancery_shard_members', 'pod')]),
      panel('Time of a hand-over', 's', this.#quantiles(handover, 'pod')),
    ];
  }

  #sum(name: string, by: string, legend: string = legendOf(by)): Query {
    return { expr: `sum by (${by}) (${this.#series(name)})`, legend };
  }

  #max(name: string, by: string): Query {
    return { expr: `max by (${by}) (${this.#series(name)})`, legend: legendOf(by) };
  }

  #rate(name: string, by: string, legend: string = legendOf(by), matchers?: string): Query {
    const rate = `rate(${this.#series(name, matchers)}[$__rate_interval])`;
    return { expr: `sum by (${by}) (${rate})`, legend };
  }

  #quantiles(histogram: string, by: string): readonly Query[] {
    const { expr } = this.#rate(`${histogram}_bucket`, `${by}, le`);
    return [0.5, 0.99].map((quantile) => ({
      expr: `histogram_quantile(${quantile}, ${expr})`,
      legend: `${legendOf(by)} p${quantile * 100}`,
    }));
  }
}

function panel(title: string, unit: Panel['unit'], queries: readonly Query[]): Panel {
  return { title, unit, queries };
}

function legendOf(by: string): string {
  return by
    .split(', ')
    .map((label) => `{{${label}}}`)
    .join(' ');
}

/** The name of a counter in words: write loop for `chancery_write_loop_total`. */
function wordsOf(counter: string): string {
  return counter
    .replace(/^(?:controller_runtime|chancery)_(?:reconcile_)?|_total$/g, '')
    .replaceAll('_', ' ');
}
