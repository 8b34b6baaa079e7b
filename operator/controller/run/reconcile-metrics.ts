import type { Labels, Meter } from '../../core/metrics.ts';
import type { Failure } from './failure.ts';

const RESULTS = ['success', 'error', 'requeue', 'requeue_after'];

const TOTAL = 'controller_runtime_reconcile_total';
const ERRORS = 'controller_runtime_reconcile_errors_total';
const TERMINAL = 'controller_runtime_terminal_reconcile_errors_total';
const PANICS = 'controller_runtime_reconcile_panics_total';
const TIMEOUTS = 'controller_runtime_reconcile_timeouts_total';
const CONFLICTS = 'chancery_reconcile_conflicts_total';
const MAPPING_FAILURES = 'chancery_mapping_failures_total';
const PREDICATE_FAILURES = 'chancery_predicate_failures_total';
const TRIGGER_FAILURES = 'chancery_trigger_failures_total';
const WRITE_LOOPS = 'chancery_write_loop_total';
const WRITE_FIGHTS = 'chancery_write_fight_total';
const UNSELECTED = 'chancery_unselected_finalizers';
const SECONDS = 'controller_runtime_reconcile_time_seconds';
const MAX_WORKERS = 'controller_runtime_max_concurrent_reconciles';
const ACTIVE_WORKERS = 'controller_runtime_active_workers';

const COUNTERS = [
  ERRORS,
  TERMINAL,
  PANICS,
  TIMEOUTS,
  CONFLICTS,
  MAPPING_FAILURES,
  PREDICATE_FAILURES,
  TRIGGER_FAILURES,
  WRITE_LOOPS,
  WRITE_FIGHTS,
];

/** The metrics of a controller. If controller-runtime has the same metric, its name is used. */
export class ReconcileMetrics {
  readonly #meter: Meter;
  readonly #labels: Labels;
  #activeCount = 0;

  constructor(meter: Meter, controller: string) {
    this.#meter = meter;
    this.#labels = { controller };
  }

  /**
   * Creates every series with the value 0, because an alert on the growth of a counter needs this first
   * value.
   */
  begin(workers: number): void {
    for (const result of RESULTS) this.#meter.count(TOTAL, { ...this.#labels, result }, 0);
    for (const name of COUNTERS) this.#meter.count(name, this.#labels, 0);
    this.#meter.gauge(MAX_WORKERS, this.#labels, workers);
    this.#meter.gauge(ACTIVE_WORKERS, this.#labels, 0);
  }

  attemptBegan(): void {
    this.#meter.gauge(ACTIVE_WORKERS, this.#labels, ++this.#activeCount);
  }

  attemptEnded(durationMs: number): void {
    this.#meter.gauge(ACTIVE_WORKERS, this.#labels, --this.#activeCount);
    this.#meter.observe(SECONDS, this.#labels, durationMs / 1_000);
  }

  succeeded(result: 'success' | 'requeue' | 'requeue_after'): void {
    this.#meter.count(TOTAL, { ...this.#labels, result });
  }

  failed(kind: Failure['kind']): void {
    this.#meter.count(TOTAL, { ...this.#labels, result: 'error' });
    this.#meter.count(ERRORS, this.#labels);
    if (kind === 'terminal') this.#meter.count(TERMINAL, this.#labels);
    if (kind === 'panic') this.#meter.count(PANICS, this.#labels);
    if (kind === 'conflict') this.#meter.count(CONFLICTS, this.#labels);
  }

  timedOut(): void {
    this.#meter.count(TIMEOUTS, this.#labels);
  }

  /** Counts a change that was dropped because its mapping failed. */
  mappingFailed(): void {
    this.#meter.count(MAPPING_FAILURES, this.#labels);
  }

  /**
   * Counts that the predicate of a source has thrown an error. Called only for the first error of each
   * predicate.
   */
  predicateFailed(): void {
    this.#meter.count(PREDICATE_FAILURES, this.#labels);
  }

  triggerFailed(): void {
    this.#meter.count(TRIGGER_FAILURES, this.#labels);
  }

  /** Counts one round of a write loop. */
  looped(): void {
    this.#meter.count(WRITE_LOOPS, this.#labels);
  }

  /** Counts a write in a fight with another writer. */
  fought(): void {
    this.#meter.count(WRITE_FIGHTS, this.#labels);
  }

  /** Sets the number of objects that have the finalizer, but that the source does not select. */
  unselected(count: number): void {
    this.#meter.gauge(UNSELECTED, this.#labels, count);
  }
}
