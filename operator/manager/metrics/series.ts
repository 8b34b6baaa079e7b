import type { Labels } from '../../core/metrics.ts';
import type { Metric } from './catalogue.ts';

/** What a metric has for one set of label values. */
interface Series {
  readonly labels: Labels;
  /** Of a counter or gauge; the sum of a histogram. */
  value: number;
  /** Observations in each bucket of a histogram, not added up; the last is above all bounds. */
  readonly counts: Float64Array;
}

/** Labels whose values nobody bounds would take all memory; a metric has at most so many series. */
export const MAX_SERIES = 10_000;

type Node = Map<string, Node | Series>;

/**
 * The series of one metric. A series is found by the values of its labels, one map for each label,
 * which takes a fraction of what it takes to build a key of them.
 */
export class MetricSeries {
  readonly metric: Metric;
  readonly #root: Node = new Map();
  readonly #all: Series[] = [];

  constructor(metric: Metric) {
    this.metric = metric;
    if (metric.labels.length === 0) this.#all.push(this.#create({}));
  }

  /** Every series, the oldest first. */
  get all(): readonly Series[] {
    return this.#all;
  }

  /**
   * The series of these labels, which is made when there is none. A label that is missing is empty, as
   * in Prometheus.
   *
   * @throws TypeError when a label is unknown or no text, and when there are too many series.
   */
  of(labels: Labels): Series {
    let node: Node | Series | undefined = this.#root;
    for (const label of this.metric.labels) {
      node = (node as Node).get(labels[label] ?? '');
      if (node === undefined) return this.#add(labels);
    }
    return node === this.#root ? (this.#all[0] as Series) : (node as Series);
  }

  /** Adds one value to a histogram. */
  observe(labels: Labels, value: number): void {
    const series = this.of(labels);
    const at = bucketOf(this.metric.buckets ?? [], value);
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.value += value;
  }

  #add(labels: Labels): Series {
    const names = this.metric.labels;
    const unknown = Object.keys(labels).find((label) => !names.includes(label));
    if (unknown !== undefined) throw new TypeError(`label ${unknown} is unknown`);
    const values = names.map((name) => labels[name] ?? '');
    if (values.some((value) => typeof value !== 'string'))
      throw new TypeError('a label is no text');
    if (this.#all.length >= MAX_SERIES) throw new TypeError('there are too many series');
    const series = this.#create(labels);
    let node = this.#root;
    for (const value of values.slice(0, -1)) {
      const next = (node.get(value) as Node | undefined) ?? new Map();
      node.set(value, next);
      node = next;
    }
    node.set(values.at(-1) as string, series);
    this.#all.push(series);
    return series;
  }

  /** In the order of the catalogue, whatever the order that they came in. */
  #create(labels: Labels): Series {
    const { buckets, labels: names } = this.metric;
    const own = Object.fromEntries(names.map((name) => [name, labels[name] ?? '']));
    return { labels: own, value: 0, counts: new Float64Array(buckets ? buckets.length + 1 : 0) };
  }
}

/** The first bucket whose bound is not below `value`. */
function bucketOf(bounds: readonly number[], value: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value <= (bounds[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}
