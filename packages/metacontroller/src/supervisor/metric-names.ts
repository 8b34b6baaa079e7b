/**
 * The metrics of `chancery metacontroller`. The label `controller` contains kind and name, such as
 * `composite-shops`.
 */
export const METACONTROLLER_METRICS = {
  /**
   * Counter of calls of hooks, with the labels `controller`, `hook` and `result`. The result is `ok`, or the
   * reason of the failure.
   */
  hookCalls: 'metacontroller_hook_calls_total',
  /** Histogram of the duration of calls of hooks, with the labels `controller` and `hook`. */
  hookSeconds: 'metacontroller_hook_call_seconds',
  /** Counter of detected hot loops, with the label `controller`. */
  hotLoops: 'metacontroller_hot_loops_total',
  /** Counter of failed reconciles of parents, with the labels `controller` and `reason`. */
  failures: 'metacontroller_parent_failures_total',
  /** Gauge of the parents whose last reconcile failed, with the label `controller`. */
  failingParents: 'metacontroller_failing_parents',
  /**
   * Gauge of the number of controllers in each state. The label `state` is `running`, `starting` or `failed`.
   */
  controllers: 'metacontroller_controllers',
} as const;
