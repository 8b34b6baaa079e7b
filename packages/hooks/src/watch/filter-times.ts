import type { Labels, Meter } from 'chancery/internal';
import { HOOK_METRICS } from '../engine/metric-names.ts';

/** A standby may work for weeks before anybody listens. */
const MAX_KEPT = 1_000;

/**
 * Measures how long filters take. Sources are read before the hooks run, when no meter is there: the latest 1,000
 * values wait for it.
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

  /** Measures with `meter` from now on, in place of an earlier one. */
  measureWith(meter: Meter): void {
    this.#meter = meter;
    for (const [labels, seconds] of this.#waiting) this.add(labels, seconds);
    this.#waiting = [];
  }
}
