import type { Clock } from '../core/clock.ts';
import type { Labels, Meter } from '../core/metrics.ts';
import type { WatchEvent } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Action, Reason } from './policy/classify.ts';

/** What a reflector is doing, as far as somebody outside can act on it. */
export interface ReflectorStatus {
  /**
   * `starting`: nothing has worked or failed yet. `healthy`: the last request worked. `failing`: it
   * retries. `unserved`: the server does not have the resource (now). `forbidden`: RBAC or the
   * ambassador's filter refuses; after a healthy period the API server's first two refusals are
   * `failing`. `stopped`: for good.
   */
  readonly health: 'starting' | 'healthy' | 'failing' | 'unserved' | 'forbidden' | 'stopped';
  /** Why it is not healthy. */
  readonly reason: Reason | undefined;
  /** What the last request failed with; undefined while it is healthy. */
  readonly error: unknown;
  /** The first of the delays, in milliseconds. */
  readonly retryInMs: number | undefined;
}

const HEALTH: Partial<Record<Reason, ReflectorStatus['health']>> = {
  unserved: 'unserved',
  forbidden: 'forbidden',
  filtered: 'forbidden',
  unwatchable: 'healthy', // it is listed every 30 s instead
};

/** Failures that come after a server has accepted: accepting again does not disprove them. */
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
 * Refusals by the API server, since a source was healthy, that make it forbidden; fewer are retries. A
 * restarting API server answers 403 until its RBAC cache is filled, which takes an instant. The waits
 * after a 403 are 5 s and 10 s, each up to 20 % longer (`pace.ts`), so the third refusal comes 15 to 18 s
 * after the first: a lost right is logged as an error within that time.
 */
const LASTING_REFUSALS = 3;

/** A stall or a routine relist is part of normal life, and no state of its own. */
const ROUTINE: ReadonlySet<Reason> = new Set(['ended', 'stalled', 'expired']);

/**
 * Turns attempts into states: speaks when health changed, and once for each reason of a failure that
 * lasts, however often reasons take turns.
 */
export class StatusReporter {
  readonly #tell: (status: ReflectorStatus) => void;
  #status: ReflectorStatus = plain('starting');
  /** Reasons that were told since the health changed. */
  readonly #told = new Set<Reason>();
  /** Since the last healthy state; undefined before the first, when a refusal is told at once. */
  #refusals: number | undefined;

  constructor(tell: (status: ReflectorStatus) => void) {
    this.#tell = tell;
  }

  get status(): ReflectorStatus {
    return this.#status;
  }

  /** A new run begins, perhaps after another one. */
  starting(): ReflectorStatus {
    if (this.#status.health === 'stopped') {
      this.#refusals = undefined;
      this.#enter(plain('starting'));
    }
    return this.#status;
  }

  /** A list is in the sink. The watch that follows decides whether all is well. */
  listed(): void {
    if (this.#status.health === 'starting') this.#enter(plain('healthy'));
  }

  /** A watch was accepted. */
  accepted(): void {
    const { reason } = this.#status;
    if (reason === undefined || !NEEDS_PROOF.has(reason)) this.#enter(plain('healthy'));
  }

  /** A watch has delivered. */
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

  /** Counts a refusal. True when it may be that of a server that has started again. */
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
    if (changed) this.#told.clear();
    else if (reason === undefined || this.#told.has(reason)) return;
    if (reason !== undefined) this.#told.add(reason);
    this.#tell(status);
  }
}

function plain(health: ReflectorStatus['health']): ReflectorStatus {
  return { health, reason: undefined, error: undefined, retryInMs: undefined };
}

/** What a list was for. */
type ListPurpose = 'paged' | 'stream' | 'probe' | 'verify';

const STATES: readonly ReflectorStatus['health'][] = [
  'starting',
  'healthy',
  'failing',
  'unserved',
  'forbidden',
  'stopped',
];

/** The measurements of one source. The only place that knows the names of its metrics. */
export class SourceMeter {
  readonly #meter: Meter;
  readonly #labels: Labels;
  readonly #clock: Clock;

  /** @param labels - group, version, resource and namespace of the source, or fewer. */
  constructor(meter: Meter, labels: Labels, clock: Clock) {
    this.#meter = meter;
    this.#labels = labels;
    this.#clock = clock;
  }

  /** A watch was accepted, or refused for a reason. */
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

  /** A list that began at `startedAt` of the monotonic clock has ended. */
  listed(mode: ListPurpose, result: 'ok' | 'stream-refused' | Reason, startedAt: number): void {
    this.#count('chancery_lists_total', { mode, result });
    const seconds = (this.#clock.monotonic() - startedAt) / 1_000;
    this.#meter.observe('chancery_list_duration_seconds', { ...this.#labels, mode }, seconds);
    if (result === 'ok') this.#contacted();
  }

  /** A watch was cut because it was silent for too long. */
  stalled(): void {
    this.#count('chancery_watch_stalls_total');
  }

  /** The server showed an older state than one that it had shown before. */
  regressed(): void {
    this.#count('chancery_rv_regression_total');
  }

  drifted(count: number): void {
    if (count > 0) this.#count('chancery_cache_drift_total', {}, count);
  }

  /** An event about an object of another kind was left out. */
  skipped(): void {
    this.#count('chancery_watch_events_skipped_total');
  }

  /** A line or a list that is not what the protocol promises. */
  undecodable(): void {
    this.#count('chancery_decode_errors_total');
  }

  /** The server ended a watch while a slow handler kept us from reading it. */
  slowConsumer(): void {
    this.#count('chancery_watch_slow_consumer_total');
  }

  /** Objects that stood in one list more than once. */
  duplicated(count: number): void {
    if (count > 0) this.#count('chancery_list_duplicates_total', {}, count);
  }

  /** One series for each state: 1 for the one that holds. */
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
