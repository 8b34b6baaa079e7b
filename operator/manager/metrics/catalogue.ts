import { KNOWN_ELSEWHERE } from './known-elsewhere.ts';
import type { Metric } from './metric.ts';

/** The histogram buckets for lists. They cover the time that the largest list of an API server takes. */
const LIST_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** The histogram buckets for delays, from unnoticeable ones to those that make the process lose its Lease. */
const STALL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const SOURCE = ['group', 'version', 'resource', 'namespace'];

/** The toolkit's own metrics. */
const OWN: readonly Metric[] = [
  {
    name: 'chancery_reconcile_conflicts_total',
    type: 'counter',
    help: 'Reconciliations that ended in a conflict, which is retried',
    labels: ['controller'],
  },
  {
    name: 'chancery_mapping_failures_total',
    type: 'counter',
    help: 'Changes that were dropped because a mapping failed again and again',
    labels: ['controller'],
  },
  {
    name: 'chancery_predicate_failures_total',
    type: 'counter',
    help: 'Times that a predicate began to throw',
    labels: ['controller'],
  },
  {
    name: 'chancery_trigger_failures_total',
    type: 'counter',
    help: 'Failures of triggers',
    labels: ['controller'],
  },
  {
    name: 'chancery_write_loop_total',
    type: 'counter',
    help: 'Reconciliations that continued a loop of writes, or a fight between writers',
    labels: ['controller'],
  },
  {
    name: 'chancery_write_fight_total',
    type: 'counter',
    help: 'Writes that reverted a change which another writer makes again and again',
    labels: ['controller'],
  },
  {
    name: 'chancery_shard_foreign_objects_total',
    type: 'counter',
    help: 'Objects and changes that were received and dropped because another replica works on them',
    labels: SOURCE,
  },
  {
    name: 'chancery_shard_groups',
    type: 'gauge',
    help: 'Groups of keys, by their state in this replica',
    labels: ['name', 'phase'],
  },
  {
    name: 'chancery_shard_members',
    type: 'gauge',
    help: 'Replicas that share the work, as seen by this replica',
    labels: ['name'],
  },
  {
    name: 'chancery_shard_handover_seconds',
    type: 'histogram',
    help: 'Time from the end of dispatching a group to the release of its Lease',
    labels: ['name'],
    buckets: STALL_SECONDS,
  },
  {
    name: 'chancery_unselected_finalizers',
    type: 'gauge',
    help: 'Objects that carry the finalizer of the controller and that its source does not select',
    labels: ['controller'],
  },
  {
    name: 'chancery_consistency_wait_expired_total',
    type: 'counter',
    help: 'Keys reconciled before the cache had caught up with their own writes',
    labels: ['controller'],
  },
  {
    name: 'chancery_webhook_reviews_total',
    type: 'counter',
    help: 'Reviews, by result: allowed, denied, failed, timeout or unusable',
    labels: ['webhook', 'outcome'],
  },
  {
    name: 'chancery_events_dropped_total',
    type: 'counter',
    help: 'Kubernetes Events that were not sent, by reason',
    labels: ['controller', 'reason'],
  },
  {
    name: 'chancery_watch_opens_total',
    type: 'counter',
    help: 'Watches opened, by result',
    labels: [...SOURCE, 'result'],
  },
  {
    name: 'chancery_watch_events_total',
    type: 'counter',
    help: 'Watch events received, by type',
    labels: [...SOURCE, 'type'],
  },
  {
    name: 'chancery_watch_events_skipped_total',
    type: 'counter',
    help: 'Watch events ignored because they were about an object of another kind',
    labels: SOURCE,
  },
  {
    name: 'chancery_source_failures_total',
    type: 'counter',
    help: 'Failed lists, and watches that ended with an error, by reason',
    labels: [...SOURCE, 'reason'],
  },
  {
    name: 'chancery_watch_stalls_total',
    type: 'counter',
    help: 'Watches closed because they were silent for too long',
    labels: SOURCE,
  },
  {
    name: 'chancery_watch_slow_consumer_total',
    type: 'counter',
    help: 'Watches that the server ended while a slow handler kept them from being read',
    labels: SOURCE,
  },
  {
    name: 'chancery_lists_total',
    type: 'counter',
    help: 'Lists, by mode and result',
    labels: [...SOURCE, 'mode', 'result'],
  },
  {
    name: 'chancery_list_duration_seconds',
    type: 'histogram',
    help: 'How long lists take, all pages',
    labels: [...SOURCE, 'mode'],
    buckets: LIST_SECONDS,
  },
  {
    name: 'chancery_list_duplicates_total',
    type: 'counter',
    help: 'Objects that stood in one list more than once',
    labels: SOURCE,
  },
  {
    name: 'chancery_decode_errors_total',
    type: 'counter',
    help: 'Lines and lists that broke the protocol',
    labels: SOURCE,
  },
  {
    name: 'chancery_rv_regression_total',
    type: 'counter',
    help: 'Times that the server returned an older state than before, or a different state with the same resourceVersion',
    labels: SOURCE,
  },
  {
    name: 'chancery_cache_drift_total',
    type: 'counter',
    help: 'Cached objects that differed from the server in an authoritative relist',
    labels: SOURCE,
  },
  {
    name: 'chancery_outdated_events_total',
    type: 'counter',
    help: 'Watch events older than the cached object',
    labels: SOURCE,
  },
  {
    name: 'chancery_overlay_expired_total',
    type: 'counter',
    help: 'Writes of this process that a cache did not receive within a minute',
    labels: SOURCE,
  },
  {
    name: 'chancery_source_state',
    type: 'gauge',
    help: 'State of a source: 1 for the current state, 0 for the others',
    labels: [...SOURCE, 'state'],
  },
  {
    name: 'chancery_last_contact_timestamp_seconds',
    type: 'gauge',
    help: 'Time of the last response from the server, in seconds since 1970',
    labels: SOURCE,
  },
  {
    name: 'chancery_cached_objects',
    type: 'gauge',
    help: 'Objects in caches',
    labels: SOURCE,
  },
  {
    name: 'chancery_cached_bytes_estimate',
    type: 'gauge',
    help: 'Approximate size of the objects in caches, in bytes',
    labels: SOURCE,
  },
  {
    name: 'chancery_index_errors_total',
    type: 'counter',
    help: 'Calls of an index function that threw',
    labels: SOURCE,
  },
  {
    name: 'chancery_transform_errors_total',
    type: 'counter',
    help: 'Objects that a source received and whose transform failed',
    labels: SOURCE,
  },
  {
    name: 'chancery_handler_errors_total',
    type: 'counter',
    help: 'Calls of a change handler that threw',
    labels: SOURCE,
  },
  {
    name: 'chancery_event_loop_delay_seconds',
    type: 'histogram',
    help: 'The longest time that the event loop was blocked, for each second',
    labels: [],
    buckets: STALL_SECONDS,
  },
  {
    name: 'chancery_meter_errors_total',
    type: 'counter',
    help: 'Measurements that were dropped because of a bug: a wrong name, label or value',
    labels: [],
  },
];

/** Every metric that the toolkit emits. The meter refuses a metric that is not listed here. */
export const METRICS: readonly Metric[] = [...KNOWN_ELSEWHERE, ...OWN];
