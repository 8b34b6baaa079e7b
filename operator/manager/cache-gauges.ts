import type { Cancel, Clock } from '../core/clock.ts';
import { type Meter, noMeter } from '../core/metrics.ts';

/** A cache, as far as it is measured. */
export interface Measured {
  /** Names the resource, such as `pods`: the only label. */
  readonly resource: string;
  readonly informer: { size(): { readonly objects: number; readonly bytes: number } };
}

/** Between two measurements; Prometheus asks every 15 to 60 s. */
const INTERVAL_MS = 30_000;

/**
 * The gauges `cached_objects` and `cached_bytes_estimate`, by resource: all caches of one resource
 * in one series. Set every 30 s and whenever `measure` is called; never on the way of an event.
 */
export class CacheGauges {
  readonly #meter: Meter;
  readonly #clock: Clock;
  readonly #caches: () => Iterable<Measured>;
  /** So that the series of a resource whose caches are gone falls to 0. */
  readonly #seen = new Set<string>();
  #cancel: Cancel = () => {};

  constructor(meter: Meter, clock: Clock, caches: () => Iterable<Measured>) {
    this.#meter = meter;
    this.#clock = clock;
    this.#caches = caches;
  }

  start(): void {
    if (this.#meter === noMeter) return;
    this.measure();
    this.#cancel = this.#clock.schedule(INTERVAL_MS, () => this.start());
  }

  stop(): void {
    this.#cancel();
  }

  measure(): void {
    if (this.#meter === noMeter) return;
    const sums = new Map([...this.#seen].map((resource) => [resource, { objects: 0, bytes: 0 }]));
    for (const { resource, informer } of this.#caches()) {
      const { objects, bytes } = informer.size();
      const sum = sums.get(resource) ?? { objects: 0, bytes: 0 };
      sums.set(resource, { objects: sum.objects + objects, bytes: sum.bytes + bytes });
      this.#seen.add(resource);
    }
    for (const [resource, { objects, bytes }] of sums) {
      this.#meter.gauge('cached_objects', { resource }, objects);
      this.#meter.gauge('cached_bytes_estimate', { resource }, bytes);
    }
  }
}
