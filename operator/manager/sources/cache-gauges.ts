import type { Cancel, Clock } from '../../core/clock.ts';
import { type Labels, type Meter, noMeter } from '../../core/metrics.ts';

/** A cache to measure, and the labels of its series. */
interface Measured {
  /** If several caches have equal labels, their sizes are added up into one series. */
  readonly labels: Labels;
  readonly informer: { size(): CacheSize };
}

interface CacheSize {
  readonly objects: number;
  readonly bytes: number;
}

/** Milliseconds between two measurements. Prometheus scrapes every 15 to 60 s. */
const INTERVAL_MS = 30_000;

const NOTHING: CacheSize = { objects: 0, bytes: 0 };

/**
 * The gauges `chancery_cached_objects` and `chancery_cached_bytes_estimate`. They are set every 30 s and
 * when `measure` is called, never while an event is handled.
 */
export class CacheGauges {
  readonly #meter: Meter;
  readonly #clock: Clock;
  readonly #caches: () => Iterable<Measured>;
  /** Every series so far. When all caches of a series are gone, the series is set to 0. */
  readonly #series = new Map<string, Labels>();
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
    const sums = new Map<string, CacheSize>();
    for (const { informer, labels } of this.#caches()) {
      const series = JSON.stringify(labels);
      const { objects, bytes } = sums.get(series) ?? NOTHING;
      const size = informer.size();
      sums.set(series, { objects: objects + size.objects, bytes: bytes + size.bytes });
      this.#series.set(series, labels);
    }
    for (const [series, labels] of this.#series) {
      const { objects, bytes } = sums.get(series) ?? NOTHING;
      this.#meter.gauge('chancery_cached_objects', labels, objects);
      this.#meter.gauge('chancery_cached_bytes_estimate', labels, bytes);
    }
  }
}
