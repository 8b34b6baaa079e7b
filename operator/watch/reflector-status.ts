import type { Clock } from '../core/clock.ts';
import type { Labels, Meter } from '../core/metrics.ts';
import type { WatchEvent } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Action, Reason } from './policy/classify.ts';

/** The state of a reflector, with the facts that a caller can act on. */
export interface ReflectorStatus {
  /**
   * - `starting`: nothing has succeeded or failed yet.
   * - `healthy`: the last request succeeded.
   * - `failing`: the reflector retries.
   * - `unserved`: the server does not have the resource at the moment.
   * - `forbidden`: RBAC or the ambassador's filter refuses the requests. After a healthy period, the state is
   *   still `failing` for the first two refusals of the API server.
   * - `stopped`: the reflector has stopped, and does not start again.
   */
  readonly health: 'starting' | 'healthy' | 'failing' | 'unserved' | 'forbidden' | 'stopped';
  /** Why the source is not healthy. */
  readonly reason: Reason | undefined;
  /** The error of the last request; undefined while healthy. */
  readonly error: unknown;
  /** Milliseconds until the first retry. */
  readonly retryInMs: number | undefined;
}

const HEALTH: Partial<Record<Reason, ReflectorStatus['health']>> = {
  unserved: 'unserved',
  forbidden: 'forbidden',
  filtered: 'forbidden',
  unwatchable: 'healthy', // it is listed every 30 s instead
};

/**
 * Failures that happen after a watch was accepted. So they are not over just because another watch is
 * accepted.
 */
const NEEDS_PROOF: ReadonlySet<Reason> = new Set([
  'ended-at-once',
  'broken',
  'expired',
  'server-error',
  'overloaded',
  'undecodable',
  'ahead-of-server',
]);

/**
 * After a healthy period, the state becomes `forbidden` after this many refusals by the API server. After
 * fewer refusals it is `failing`, because a restarting API server answers 403 for a moment, until its RBAC
 * cache is filled. The waits after a 403 are 5 s and 10 s, each up to 20 % longer (`pace.ts`). So the third
 * refusal comes 15 to 18 s after the first, and a lost right is logged as an error after that time.
 */
const LASTING_REFUSALS = 3;

/** Stalls and routine relists are normal, so they do not change the state. */
const ROUTINE: ReadonlySet<Reason> = new Set(['ended', 'stalled', 'expired']);

/**
 * Derives the state from the outcomes of attempts. Reports each change of health. While a failure lasts, it
 * reports each reason only once, even if several reasons alternate.
 */
export class StatusReporter {
  readonly #report: (status: ReflectorStatus) => void;
  #status: ReflectorStatus = plain('starting');
  /** Reasons that were reported since the health changed. */
  readonly #reported = new Set<Reason>();
  /**
   * Number of refusals since the last healthy state. Undefined before the first healthy state, when a single
   * refusal makes the source `forbidden`.
   */
  #refusals: number | undefined;

  constructor(report: (status: ReflectorStatus) => void) {
    this.#report = report;
  }

  get status(): ReflectorStatus {
    return this.#status;
  }

  /** Call this when a run begins. It may follow an earlier run. */
  starting(): ReflectorStatus {
    if (this.#status.health === 'stopped') {
      this.#refusals = undefined;
      this.#enter(plain('starting'));
    }
    return this.#status;
  }

  /**
   * Call this when a list is in the sink. If the source was failing, only the watch that follows can make it
   * healthy.
   */
  listed(): void {
    if (this.#status.health === 'starting') this.#enter(plain('healthy'));
  }

  /** Call this when a watch was accepted. */
  accepted(): void {
    const { reason } = this.#status;
    if (reason === undefined || !NEEDS_PROOF.has(reason)) this.#enter(plain('healthy'));
  }

  /** Call this when a watch has delivered something, or has lasted for a second. */
  proven(): void {
    this.#enter(plain('healthy'));
  }

  failed({ reason, wait }: Action, retryInMs: number, error?: unknown): void {
    if (ROUTINE.has(reason) && wait === 'none') return;
    const isEarly = reason === 'forbidden' && this.#refusedEarly();
    const health = isEarly ? 'failing' : (HEALTH[reason] ?? 'failing');
    this.#enter({ health, reason, error, retryInMs });
  }

  stopped(): void {
    this.#enter(plain('stopped'));
  }

  /** Counts a refusal. Returns true if the refusal may come from a server that has just restarted. */
  #refusedEarly(): boolean {
    if (this.#refusals === undefined) return false;
    this.#refusals++;
    return this.#refusals < LASTING_REFUSALS;
  }

  #enter(status: ReflectorStatus): void {
    const { health, reason } = status;
    if (health === 'healthy') this.#refusals = 0;
    const changed = health !== this.#status.health;
    this.#status = status;
    if (changed) this.#reported.clear();
    else if (reason === undefined || this.#reported.has(reason)) return;
    if (reason !== undefined) this.#reported.add(reason);
    this.#report(status);
  }
}

function plain(health: ReflectorStatus['health']): ReflectorStatus {
  return { health, reason: undefined, error: undefined, retryInMs: undefined };
}

/** The purpose of a list. */
type ListPurpose = 'paged' | 'stream' | 'probe' | 'verify';

const STATES: readonly ReflectorStatus['health'][] = [
  'starting',
  'healthy',
  'failing',
  'unserved',
  'forbidden',
  'stopped',
];

/** Takes the measurements of one source. Only this class contains the names of these metrics. */
export class SourceMeter {
  readonly #meter: Meter;
  readonly #labels: Labels;
  readonly #clock: Clock;

  /** @param labels - group, version, resource and namespace of the source, or some of them. */
  constructor(meter: Meter, labels: Labels, clock: Clock) {
    this.#meter = meter;
    this.#labels = labels;
    this.#clock = clock;
  }

  /** Counts a watch that was accepted, or refused with a reason. */
  opened(result: 'ok' | Reason): void {
    this.#count('chancery_watch_opens_total', { result });
    if (result === 'ok') this.#contacted();
  }

  received(batch: readonly WatchEvent<KubernetesObject>[]): void {
    const counts = new Map<string, number>();
    for (const { type } of batch) counts.set(type, (counts.get(type) ?? 0) + 1);
    for (const [type, count] of counts) this.#count('chancery_watch_events_total', { type }, count);
    this.#contacted();
  }

  /** Counts a list that began at `startedAt`, on the monotonic clock, and has ended. */
  listed(mode: ListPurpose, result: 'ok' | 'stream-refused' | Reason, startedAt: number): void {
    this.#count('chancery_lists_total', { mode, result });
    const seconds = (this.#clock.monotonic() - startedAt) / 1_000;
    this.#meter.observe('chancery_list_duration_seconds', { ...this.#labels, mode }, seconds);
    if (result === 'ok') this.#contacted();
  }

  /**
   * Counts a list that failed, or a watch that ended. The normal end of a watch by the server is not counted.
   */
  failed(reason: Reason): void {
    if (reason !== 'ended') this.#count('chancery_source_failures_total', { reason });
  }

  /** Counts a watch that was ended because it was silent for too long. */
  stalled(): void {
    this.#count('chancery_watch_stalls_total');
  }

  /** Counts an event or a list with an older state than before. */
  regressed(): void {
    this.#count('chancery_rv_regression_total');
  }

  drifted(count: number): void {
    if (count > 0) this.#count('chancery_cache_drift_total', {}, count);
  }

  /** Counts an event that was omitted because its object is of another kind. */
  skipped(): void {
    this.#count('chancery_watch_events_skipped_total');
  }

  /** Counts a line or a list that did not follow the protocol. */
  undecodable(): void {
    this.#count('chancery_decode_errors_total');
  }

  /** Counts a watch that the server ended after a slow handler had delayed the reading. */
  slowConsumer(): void {
    this.#count('chancery_watch_slow_consumer_total');
  }

  /** Counts objects that appeared more than once in one list. */
  duplicated(count: number): void {
    if (count > 0) this.#count('chancery_list_duplicates_total', {}, count);
  }

  /** Sets one series per state: 1 for the current state, 0 for all other states. */
  entered(health: ReflectorStatus['health']): void {
    for (const state of STATES) {
      const value = state === health ? 1 : 0;
      this.#meter.gauge('chancery_source_state', { ...this.#labels, state }, value);
    }
  }

  #contacted(): void {
    const name = 'chancery_last_contact_timestamp_seconds';
    this.#meter.gauge(name, this.#labels, this.#clock.now() / 1_000);
  }

  #count(name: string, more: Labels = {}, amount = 1): void {
    this.#meter.count(name, { ...this.#labels, ...more }, amount);
  }
}
