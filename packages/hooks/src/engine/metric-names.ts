/**
 * The metrics of the hook runner, with the names and labels of shell-operator. An option can change
 * the prefix `shell_operator_`. The last five metrics exist only here.
 */
export const HOOK_METRICS = {
  /** Histogram of the duration of runs, with the labels `hook`, `binding` and `queue`. */
  runSeconds: 'shell_operator_hook_run_seconds',
  /** Counter of failed runs that are retried, with the same labels as `runSeconds`. */
  runErrors: 'shell_operator_hook_run_errors_total',
  /** Counter of failed runs of bindings with `allowFailure`, with the same labels as `runSeconds`. */
  runAllowedErrors: 'shell_operator_hook_run_allowed_errors_total',
  /** Counter of successful runs, with the same labels as `runSeconds`. */
  runSuccess: 'shell_operator_hook_run_success_total',
  /** Histogram of the processor time of runs in user mode, with the same labels as `runSeconds`. */
  runUserCpuSeconds: 'shell_operator_hook_run_user_cpu_seconds',
  /** Histogram of the processor time of runs in the kernel, with the same labels as `runSeconds`. */
  runSystemCpuSeconds: 'shell_operator_hook_run_sys_cpu_seconds',
  /** Gauge of the largest resident memory of a run, with the same labels as `runSeconds`. */
  runMaxRssBytes: 'shell_operator_hook_run_max_rss_bytes',
  /** Gauge that is 1 when every binding of the hook is watched, with the label `hook`. */
  enableSuccess: 'shell_operator_hook_enable_kubernetes_bindings_success',
  /** Counter of bindings that could not be watched when the hook started, with the label `hook`. */
  enableErrors: 'shell_operator_hook_enable_kubernetes_bindings_errors_total',
  /** Gauge of the seconds until every binding was watched, with the label `hook`. */
  enableSeconds: 'shell_operator_hook_enable_kubernetes_bindings_seconds',
  /** Gauge of the number of tasks in a queue, with the label `queue`. */
  queueLength: 'shell_operator_tasks_queue_length',
  /** Histogram of the duration of a queue's operations, with the labels `queue_name` and `queue_action`. */
  queueActionSeconds: 'shell_operator_tasks_queue_action_duration_seconds',
  /** Counter of the seconds that tasks have waited in a queue, with the same labels as `runSeconds`. */
  waitInQueueSeconds: 'shell_operator_task_wait_in_queue_seconds_total',
  /**
   * Histogram of the time that a filter takes for a page of a list, or for changes that arrive together. It
   * has the same labels as `runSeconds`.
   */
  filterSeconds: 'shell_operator_kube_jq_filter_duration_seconds',
  /**
   * Histogram of the time that the engine needs for changes that arrive together, with the same labels as
   * `runSeconds`.
   */
  eventSeconds: 'shell_operator_kube_event_duration_seconds',
  /** Gauge of the number of objects in a snapshot, with the same labels as `runSeconds`. */
  snapshotObjects: 'shell_operator_kube_snapshot_objects',
  /**
   * Counter of lists and watches that failed. The label `error_type` is `expired`, `eof`, `unexpected-eof` or
   * `fail`.
   */
  watchErrors: 'shell_operator_kubernetes_client_watch_errors_total',
  /** Counter of reads of the snapshot of a binding that is not watched yet, with the label `binding`. */
  bindingMonitorMissing: 'shell_operator_binding_monitor_missing_total',
  /** Counter that is increased at startup, and then every 10 s. */
  liveTicks: 'shell_operator_live_ticks',
  /**
   * Gauge of the seconds since the first failure of the task that blocks a queue; 0 when no task blocks the
   * queue. It has the labels `hook` and `queue`.
   */
  blockedSeconds: 'shell_operator_hook_blocked_seconds',
  /** Gauge of the longest time that a queue has waited for a free process slot. */
  longestProcessWait: 'shell_operator_longest_process_wait_seconds',
  /** Gauge that is 1 for each file that `--skip-broken-hooks` excluded, with the label `hook`. */
  leftOut: 'shell_operator_hook_left_out',
  /** Counter of tasks that were given up after the maximum number of attempts, with the label `hook`. */
  givenUp: 'shell_operator_hook_given_up_total',
  /**
   * Counter of objects for which a filter failed, updated once a minute, with the labels `hook` and
   * `binding`.
   */
  filterErrors: 'shell_operator_hook_filter_errors_total',
} as const;
