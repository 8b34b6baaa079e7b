import type { Clock } from 'chancery';

/**
 * The largest number of steps in a slice. Most reconciles take fewer steps, and are not affected.
 */
const MOST_STEPS = 50;

/**
 * The longest duration of a slice in milliseconds, even if it has done few steps. In the worst case an
 * answer waits for one slice of every controller, which takes less than a tenth of a second in all.
 */
const MOST_MS = 10;

/**
 * A slice of a controller's work. After each slice the event loop gets a turn, so an answer to a client waits
 * for one slice only, not for all the work.
 */
export class Slice {
  readonly #clock: Clock;
  #stepsLeft = MOST_STEPS;
  #leftMs = MOST_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when the slice is used up, so that the remaining work must wait for the next turn. */
  get isOver(): boolean {
    return this.#stepsLeft <= 0 || this.#leftMs <= 0;
  }

  /** Runs `work`, and counts it as one step of the slice. */
  step<T>(work: () => T): T {
    const beginMs = this.#clock.monotonic();
    try {
      return work();
    } finally {
      this.#stepsLeft--;
      this.#leftMs -= this.#clock.monotonic() - beginMs;
    }
  }

  /**
   * Calls `work` for one item after another, as long as the slice lasts.
   *
   * @returns true when every item was processed.
   */
  forEach<T>(items: Iterable<T>, work: (item: T) => void): boolean {
    for (const item of items) {
      if (this.isOver) return false;
      this.step(() => work(item));
    }
    return true;
  }
}
