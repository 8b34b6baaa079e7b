/**
 * What the toolkit reads from a prom-client registry. The type is declared here, so that a module may use any
 * version of prom-client, or none.
 */
export interface MetricsRegistry {
  /** The metrics with their current values. */
  getMetricsAsJSON(): Promise<
    readonly {
      readonly name: string;
      readonly help: string;
      /** `counter`, `gauge`, `histogram` or `summary`. */
      readonly type: unknown;
      readonly values?: readonly {
        readonly value: number;
        readonly labels: object;
        /** Includes the suffix of a histogram's or summary's series, such as `_bucket`. */
        readonly metricName?: string;
      }[];
    }[]
  >;
}

/** True for a value that can be read as a registry of metrics. */
export function isRegistry(value: unknown): value is MetricsRegistry {
  return typeof (value as Partial<MetricsRegistry> | null)?.getMetricsAsJSON === 'function';
}
