import type { Clock } from 'chancery';

/** Steps of one slice. Most reconciles make fewer, so that a slice changes nothing for them. */
const MOST_STEPS = 50;

/**
 * How long a slice lasts at most, in milliseconds, however few its steps are: an answer that waits
 * for a slice of each controller comes within a tenth of a second.
 */
const MOST_MS = 10;

/** What a controller does before the event loop has a turn: answers wait for a slice, not for all of its work. */
export class Slice {
  readonly #clock: Clock;
  #stepsLeft = MOST_STEPS;
  #leftMs = MOST_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when the rest of the work has to wait for the next turn. */
  get isOver(): boolean {
    return this.#stepsLeft <= 0 || this.#leftMs <= 0;
  }

  /** Does one step of the work. */
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
   * Does `work` for one item after another, as far as the slice lasts.
   *
   * @returns true when every item had its turn.
   */
  forEach<T>(items: Iterable<T>, work: (item: T) => void): boolean {
    for (const item of items) {
      if (this.isOver) return false;
      this.step(() => work(item));
    }
    return true;
  }
}
