/**
 * The metrics of the hook runner, with the names and labels of shell-operator. An option can change
 * the prefix `shell_operator_`. The last five metrics exist only here.
 */
export const HOOK_METRICS = {
  /** Histogram. Labels of a run: hook, binding, queue. */
  runSeconds: 'shell_operator_hook_run_seconds',
  /** Counter. Labels of a run. */
  runErrors: 'shell_operator_hook_run_errors_total',
  /** Counter: errors of bindings with `allowFailure`. Labels of a run. */
  runAllowedErrors: 'shell_operator_hook_run_allowed_errors_total',
  /** Counter. Labels of a run. */
  runSuccess: 'shell_operator_hook_run_success_total',
  /** Histogram. Labels of a run. */
  runUserCpuSeconds: 'shell_operator_hook_run_user_cpu_seconds',
  /** Histogram. Labels of a run. */
  runSystemCpuSeconds: 'shell_operator_hook_run_sys_cpu_seconds',
  /** Gauge. Labels of a run. */
  runMaxRssBytes: 'shell_operator_hook_run_max_rss_bytes',
  /** Gauge: 1 when every binding of the hook is watched. Label hook. */
  enableSuccess: 'shell_operator_hook_enable_kubernetes_bindings_success',
  /** Counter: bindings that could not be watched when the hook started. Label hook. */
  enableErrors: 'shell_operator_hook_enable_kubernetes_bindings_errors_total',
  /** Gauge: seconds until every binding was watched. Label hook. */
  enableSeconds: 'shell_operator_hook_enable_kubernetes_bindings_seconds',
  /** Gauge. Label queue. */
  queueLength: 'shell_operator_tasks_queue_length',
  /** Histogram: duration of the operations of a queue. Labels queue_name, queue_action. */
  queueActionSeconds: 'shell_operator_tasks_queue_action_duration_seconds',
  /** Counter. Labels of a run. */
  waitInQueueSeconds: 'shell_operator_task_wait_in_queue_seconds_total',
  /**
   * Histogram: duration of a filter for a page of a list, or for changes that arrive together.
   * Labels of a run.
   */
  filterSeconds: 'shell_operator_kube_jq_filter_duration_seconds',
  /** Histogram: time that the engine needs for changes that arrive together. Labels of a run. */
  eventSeconds: 'shell_operator_kube_event_duration_seconds',
  /** Gauge. Labels of a run. */
  snapshotObjects: 'shell_operator_kube_snapshot_objects',
  /** Counter: lists and watches that failed. Label error_type: expired, eof, unexpected-eof, fail. */
  watchErrors: 'shell_operator_kubernetes_client_watch_errors_total',
  /** Counter: reads of the snapshot of a binding that is not watched yet. Label binding. */
  bindingMonitorMissing: 'shell_operator_binding_monitor_missing_total',
  /** Counter: increased at the start, and then every 10 s. */
  liveTicks: 'shell_operator_live_ticks',
  /**
   * Gauge: seconds since the first failure of the task that blocks its queue; 0 when no task blocks
   * it. Labels hook, queue.
   */
  blockedSeconds: 'shell_operator_hook_blocked_seconds',
  /** Gauge: the longest time that a queue has waited for a free process slot. */
  longestProcessWait: 'shell_operator_longest_process_wait_seconds',
  /** Gauge: 1 for each file that `--skip-broken-hooks` excluded. Label hook. */
  leftOut: 'shell_operator_hook_left_out',
  /** Counter: tasks that were given up after the maximum number of attempts. Label hook. */
  givenUp: 'shell_operator_hook_given_up_total',
  /** Counter: objects for which a filter failed, updated once a minute. Labels hook, binding. */
  filterErrors: 'shell_operator_hook_filter_errors_total',
} as const;
