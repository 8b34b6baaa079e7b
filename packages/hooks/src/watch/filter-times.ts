import type { Labels, Meter } from 'chancery/internal';
import { HOOK_METRICS } from '../engine/metric-names.ts';

/**
 * Maximum number of values that are kept while there is no meter. A standby may run for weeks
 * without a meter.
 */
const MAX_KEPT = 1_000;

/**
 * Measures how long filters take. Sources are read before the hooks run, when there is no meter
 * yet. Until there is a meter, the latest 1,000 values are kept.
 */
export class FilterTimes {
  #waiting: (readonly [labels: Labels, seconds: number])[] = [];
  #meter: Meter | undefined;

  readonly add = (labels: Labels, seconds: number): void => {
    if (this.#meter !== undefined) {
      this.#meter.observe(HOOK_METRICS.filterSeconds, labels, seconds);
      return;
    }
    this.#waiting.push([labels, seconds]);
    if (this.#waiting.length > MAX_KEPT) this.#waiting.shift();
  };

  /** Measures with `meter` from now on, and no longer with an earlier meter. */
  measureWith(meter: Meter): void {
    this.#meter = meter;
    for (const [labels, seconds] of this.#waiting) this.add(labels, seconds);
    this.#waiting = [];
  }
}
