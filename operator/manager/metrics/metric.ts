import type { Labels } from '../../core/metrics.ts';

/** A metric that the toolkit emits through the port `core/metrics.ts`. */
export interface Metric {
  /**
   * The name that the toolkit emits. A setting can change the prefix `chancery_` of the toolkit's own
   * metrics.
   */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, ascending, without +Inf. Set for histograms only. */
  readonly buckets?: readonly number[];
  /** The name in the scrape. Default: `name`, with the prefix of the settings. */
  readonly shownAs?: string;
  /**
   * Set if this counter adds up the series of another counter. It grows together with that counter, and must
   * not be counted directly.
   */
  readonly sumOf?: MetricSum;
  /**
   * Collected only if detailed metrics are enabled, because each of these metrics has a series or histogram
   * per verb.
   */
  readonly detailed?: true;
}

/** Declares that a counter adds up the series of another counter. */
export interface MetricSum {
  /** The name of the other counter, as the toolkit emits it. */
  readonly metric: string;
  /** Maps the labels of the other counter to the labels of the sum. */
  labels(of: Labels): Labels;
}
