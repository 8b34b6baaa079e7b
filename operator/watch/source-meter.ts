import type { Clock } from '../core/clock.ts';
import type { Labels, Meter } from '../core/metrics.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import type { Reason } from './policy/classify.ts';
import type { ReflectorStatus } from './reflector-status.ts';

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
