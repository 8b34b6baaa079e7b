import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Log } from '../../controller/reconciler.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { Labels, Meter } from '../../core/metrics.ts';
import { type AddedRegistries, familyOf } from './added-registries.ts';
import { METRICS } from './catalogue.ts';
import { shownName } from './claimed-names.ts';
import { type Exposition, type ExpositionFormat, formatExposition } from './exposition.ts';
import type { Metric, MetricSum } from './metric.ts';

export interface PrometheusMeterOptions {
  /** Prefix of the toolkit's own metrics. Default `chancery_`. */
  readonly prefix?: string;
  /** Also collect sizes, durations and retries of requests. Default false, because they have many series. */
  readonly detailed?: boolean;
  /** Logs the first measurement that fails because of a bug. Default: not logged. */
  readonly log?: Pick<Log, 'error'>;
  /** Metrics to collect in addition to the catalogue. Default: none. */
  readonly more?: readonly Metric[];
  /** Registries with further metrics for the scrape. Default: none. */
  readonly added?: AddedRegistries;
}

const OWN_PREFIX = 'chancery_';
const ERRORS = 'chancery_meter_errors_total';

/**
 * Collects the metrics of the toolkit and of the process for Prometheus. Each meter has its own registry.
 * User code may register its own metrics in that registry.
 */
export class PrometheusMeter implements Meter, Exposition {
  /**
   * prom-client's registry. `new Counter({ …, registers: [meter.registry] })` adds a metric to the scrape.
   */
  readonly registry: Registry = new Registry();
  readonly #metrics = new Map<string, BoundedMetric>();
  /** Maps the name of a counter to the sums that are computed from it. */
  readonly #sums = new Map<string, (MetricSum & { readonly name: string })[]>();
  /** Detailed metrics that this meter does not collect. */
  readonly #dropped = new Set<string>();
  readonly #log: Pick<Log, 'error'> | undefined;
  readonly #added: AddedRegistries | undefined;
  #failed = false;

  /** @throws ConfigurationError `CONFIG` when no metric name may begin with the prefix. */
  constructor({
    prefix = OWN_PREFIX,
    detailed = false,
    log,
    added,
    more = [],
  }: PrometheusMeterOptions = {}) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(prefix)) {
      throw new ConfigurationError('metrics prefix must be letters, digits and _, no digit first', {
        context: { prefix },
      });
    }
    this.#log = log;
    this.#added = added;
    for (const metric of [...METRICS, ...more]) {
      const { sumOf } = metric;
      if (sumOf !== undefined) {
        const known = this.#sums.get(sumOf.metric) ?? [];
        this.#sums.set(sumOf.metric, [...known, { ...sumOf, name: metric.name }]);
      }
      if (metric.detailed && !detailed) this.#dropped.add(metric.name);
      else {
        const name = shownName(metric, prefix);
        this.#metrics.set(metric.name, new BoundedMetric({ ...metric, name }, this.registry));
      }
    }
  }

  count(name: string, labels: Labels, amount = 1): void {
    this.#measure(name, Counter, (counter, bounded) => counter.inc(bounded(labels), amount));
    for (const sum of this.#sums.get(name) ?? []) this.count(sum.name, sum.labels(labels), amount);
  }

  gauge(name: string, labels: Labels, value: number): void {
    this.#measure(name, Gauge, (gauge, bounded) => gauge.set(bounded(labels), value));
  }

  observe(name: string, labels: Labels, value: number): void {
    this.#measure(name, Histogram, (histogram, bounded) =>
      histogram.observe(bounded(labels), value),
    );
  }

  async expose(format: ExpositionFormat): Promise<string> {
    const registries = [this.registry, processMetrics()];
    const all = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()));
    const own = all.flat().map(familyOf);
    const families = [...own, ...((await this.#added?.families(own)) ?? [])];
    return formatExposition(families, format);
  }

  #measure<M extends PrometheusMetric>(
    name: string,
    type: new (...args: never[]) => M,
    measure: (metric: M, bounded: BoundedMetric['seriesOf']) => void,
  ): void {
    try {
      const found = this.#metrics.get(name);
      if (found?.metric instanceof type) measure(found.metric, found.seriesOf);
      else if (!this.#dropped.has(name)) throw new TypeError('no metric of this name and type');
    } catch (error) {
      this.#wrong(name, error);
    }
  }

  /** A failed measurement must never cause an error in the measured code. */
  #wrong(metric: string, err: unknown): void {
    const errors = this.#metrics.get(ERRORS)?.metric;
    if (errors instanceof Counter) errors.inc();
    if (this.#failed) return;
    this.#failed = true;
    this.#log?.error(
      { metric, err },
      'measurement is dropped, this is a bug; further ones are only counted',
    );
  }
}

let ofProcess: Registry | undefined;

/**
 * The `process_*` and `nodejs_*` metrics. Created once per process, because prom-client's observer of garbage
 * collection cannot be removed.
 */
export function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

type PrometheusMetric = Counter | Gauge | Histogram;

/**
 * The maximum number of series per metric. Labels with unbounded values would otherwise use up all memory.
 */
export const MAX_SERIES = 10_000;

/** A prom-client metric that refuses new series when it has `MAX_SERIES` series. */
class BoundedMetric {
  readonly metric: PrometheusMetric;
  readonly #labels: readonly string[];
  /** The label values of every series so far. */
  readonly #known = new Set<string>();

  constructor({ type, name, help, labels, buckets }: Metric, registry: Registry) {
    const options = { name, help, labelNames: [...labels], registers: [registry] };
    this.#labels = labels;
    if (type === 'counter') this.metric = new Counter(options);
    else if (type === 'gauge') this.metric = new Gauge(options);
    else this.metric = new Histogram({ ...options, buckets: [...(buckets ?? [])] });
  }

  /**
   * All labels of a series, in the order of the catalogue. A missing label becomes an empty one, as in
   * Prometheus.
   *
   * @throws TypeError when a label is unknown or not a string, and when there are too many series.
   */
  readonly seriesOf = (labels: Labels): Record<string, string> => {
    const series: Record<string, string> = {};
    for (const label of this.#labels) series[label] = labels[label] ?? '';
    for (const label of Object.keys(labels)) {
      if (!Object.hasOwn(series, label)) throw new TypeError(`label ${label} is unknown`);
    }
    const values = Object.values(series);
    if (values.some((value) => typeof value !== 'string'))
      throw new TypeError('a label is no text');
    const key = values.join('\0');
    if (!this.#known.has(key)) {
      if (this.#known.size >= MAX_SERIES) throw new TypeError('there are too many series');
      this.#known.add(key);
    }
    return series;
  };
}
