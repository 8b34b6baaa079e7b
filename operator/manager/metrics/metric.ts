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
