/**
 * The metrics of `chancery metacontroller`. The label `controller` contains kind and name, such as
 * `composite-shops`.
 */
export const METACONTROLLER_METRICS = {
  /** Counter. Labels controller, hook, result: `ok` or the reason of the failure. */
  hookCalls: 'metacontroller_hook_calls_total',
  /** Histogram. Labels controller, hook. */
  hookSeconds: 'metacontroller_hook_call_seconds',
  /** Counter. Label controller. */
  hotLoops: 'metacontroller_hot_loops_total',
  /** Counter. Labels controller, reason. */
  failures: 'metacontroller_parent_failures_total',
  /** Gauge. Label controller. */
  failingParents: 'metacontroller_failing_parents',
  /** Gauge: number of controllers per state. Label state: running, starting, failed. */
  controllers: 'metacontroller_controllers',
} as const;
