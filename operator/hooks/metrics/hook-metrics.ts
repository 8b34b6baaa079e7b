import type { MetricsRegistry } from '../../manager/metrics/registry.ts';
import type { MetricOperation } from './metric-operation.ts';

/** The metrics that hooks report. A registry for the manager, and the text of `/metrics/hooks`. */
export declare class HookMetrics implements MetricsRegistry {
  /** Applies the operations of one run, which were checked. */
  apply(hook: string, operations: readonly MetricOperation[]): void;
  getMetricsAsJSON(): ReturnType<MetricsRegistry['getMetricsAsJSON']>;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
}
