import type { Cancel, Clock } from '../core/clock.ts';
import type { Labels, Meter } from '../core/metrics.ts';

/** Milliseconds between two updates of the gauges of running reconciles, as in client-go. */
const REFRESH_MS = 500;

/** Maximum number of priorities with their own series, as in controller-runtime. */
const MAX_PRIORITIES = 25;

/** The label for the sum of the depths of all further priorities, as in controller-runtime. */
const FURTHER_PRIORITIES = 'exceeded_cardinality_limit';

/**
 * The metrics of a work queue. They have the same names as in controller-runtime, so that its dashboards and
 * alerts work.
 *
 * `workqueue_queue_duration_seconds` is measured from the time when a key can be handed out. It does not
 * include a delay, or the time in which a worker still held the key.
 */
export class QueueMetrics {
  readonly #meter: Meter;
  readonly #clock: Clock;
  readonly #labels: Labels;
  /** Number of ready keys by label. It has at most one label more than `MAX_PRIORITIES`. */
  readonly #depth = new Map<string, number>();
  /** The time when each held key was taken. */
  readonly #startedAt = new Map<unknown, number>();
  #cancelRefresh: Cancel | undefined;

  /** @param name - the name of the queue and of the controller, as in controller-runtime. */
  constructor(meter: Meter, clock: Clock, name: string) {
    this.#meter = meter;
    this.#clock = clock;
    this.#labels = { name, controller: name };
    // Every series must exist from the start, because an alert on the growth of a counter needs the value 0
    // as well.
    for (const counter of ['workqueue_adds_total', 'workqueue_retries_total']) {
      meter.count(counter, this.#labels, 0);
    }
    this.#setUnderWay();
  }

  added(): void {
    this.#meter.count('workqueue_adds_total', this.#labels);
  }

  retried(): void {
    this.#meter.count('workqueue_retries_total', this.#labels);
  }

  /** Call this when a key of this priority has become ready. */
  entered(priority: number): void {
    this.#changeDepth(priority, 1);
  }

  /** Call this when a key of this priority is no longer ready. */
  left(priority: number): void {
    this.#changeDepth(priority, -1);
  }

  /** Call this when no key is ready any more. */
  emptied(): void {
    for (const label of this.#depth.keys()) this.#setDepth(label, 0);
  }

  taken(key: unknown, readyAtMs: number): void {
    const nowMs = this.#clock.monotonic();
    const waitedSeconds = (nowMs - readyAtMs) / 1_000;
    this.#meter.observe('workqueue_queue_duration_seconds', this.#labels, waitedSeconds);
    this.#startedAt.set(key, nowMs);
    this.#cancelRefresh ??= this.#clock.schedule(REFRESH_MS, () => this.#refresh());
  }

  done(key: unknown): void {
    const startedAtMs = this.#startedAt.get(key);
    if (startedAtMs === undefined) return;
    const workedSeconds = (this.#clock.monotonic() - startedAtMs) / 1_000;
    this.#meter.observe('workqueue_work_duration_seconds', this.#labels, workedSeconds);
    this.#startedAt.delete(key);
    if (this.#startedAt.size > 0) return;
    this.#cancelRefresh?.();
    this.#cancelRefresh = undefined;
    this.#setUnderWay();
  }

  #refresh(): void {
    this.#cancelRefresh = this.#clock.schedule(REFRESH_MS, () => this.#refresh());
    this.#setUnderWay();
  }

  #setUnderWay(): void {
    const nowMs = this.#clock.monotonic();
    let unfinishedMs = 0;
    let longestMs = 0;
    for (const startedAtMs of this.#startedAt.values()) {
      unfinishedMs += nowMs - startedAtMs;
      longestMs = Math.max(longestMs, nowMs - startedAtMs);
    }
    const set = (name: string, ms: number): void =>
      this.#meter.gauge(name, this.#labels, ms / 1_000);
    set('workqueue_unfinished_work_seconds', unfinishedMs);
    set('workqueue_longest_running_processor_seconds', longestMs);
  }

  #changeDepth(priority: number, by: 1 | -1): void {
    const own = `${priority}`;
    const isKnown = this.#depth.has(own) || this.#depth.size < MAX_PRIORITIES;
    const label = isKnown ? own : FURTHER_PRIORITIES;
    this.#setDepth(label, (this.#depth.get(label) ?? 0) + by);
  }

  #setDepth(label: string, depth: number): void {
    this.#depth.set(label, depth);
    this.#meter.gauge('workqueue_depth', { ...this.#labels, priority: label }, depth);
  }
}
