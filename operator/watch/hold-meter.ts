import type { Clock } from '../core/clock.ts';

/** A consumer that holds a batch for so long may make the server give up on us. */
const LONG_HOLD_MS = 1_000;

/** Who has waited for the server for so long has read everything that it had sent. */
const CAUGHT_UP_MS = 1_000;

/** Finds out whether a consumer holds up the reading of a watch. */
export class HoldMeter {
  readonly #clock: Clock;
  /** Since the last long hold, but for the wait that is under way. */
  #waitedMs = Number.POSITIVE_INFINITY;
  #waitsSince: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#waitsSince = clock.monotonic();
  }

  /**
   * A batch was held for a second or more, and since then we have not waited for the server for as
   * long: what it does now may still be the answer to that.
   */
  get behind(): boolean {
    return this.#waitedMs + this.#clock.monotonic() - this.#waitsSince < CAUGHT_UP_MS;
  }

  /** A consumer holds a batch for as long as `take` takes. */
  async during(take: () => void | Promise<void>): Promise<void> {
    const heldAt = this.#clock.monotonic();
    this.#waitedMs += heldAt - this.#waitsSince;
    await take();
    this.#waitsSince = this.#clock.monotonic();
    if (this.#waitsSince - heldAt >= LONG_HOLD_MS) this.#waitedMs = 0;
  }
}
