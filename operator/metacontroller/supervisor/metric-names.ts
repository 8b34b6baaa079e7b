/** The metrics of `chancery metacontroller`. The label `controller` has kind and name, as in `composite-shops`. */
export const METACONTROLLER_METRICS = {
  /** Counter. Labels controller, hook, result: `ok` or the reason of the failure. */
  hookCalls: 'chancery_metacontroller_hook_calls_total',
  /** Histogram. Labels controller, hook. */
  hookSeconds: 'chancery_metacontroller_hook_call_seconds',
  /** Counter. Label controller. */
  hotLoops: 'chancery_metacontroller_hot_loops_total',
  /** Counter. Labels controller, reason. */
  failures: 'chancery_metacontroller_parent_failures_total',
  /** Gauge. Label controller. */
  failingParents: 'chancery_metacontroller_failing_parents',
  /** Gauge: controllers by what they do. Label state: running, starting, failed. */
  controllers: 'chancery_metacontroller_controllers',
} as const;
