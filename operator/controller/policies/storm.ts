import type { Clock } from '../../core/clock.ts';
import { yieldToEventLoop } from '../../core/time-slice.ts';
import type { KeyPolicy } from './key-gate.ts';

/** A storm is at least so many changes in one turn of the event loop, in so many turns in a row. */
const CHANGES_A_TURN = 4;
const TURNS = 3;

/** How long work waits for a storm to end, at most. People notice a longer wait. */
export const STORM_PATIENCE_MS = 200;

/**
 * Holds workers back while changes pour in without a pause, 200 ms at most. The same keys change again
 * and again then, and a key that is read on is reconciled once instead of many times. When the time is
 * over, all that is ready is let through before the next wait. Changes that come one by one hold nothing
 * back.
 *
 * It holds workers and parks no keys: what is ready stays in the queue, where its depth is measured.
 */
export class Storm implements KeyPolicy {
  readonly #clock: Clock;
  readonly #ready: () => number;
  #changes = 0;
  #turns = 0;
  #ticking = false;
  /** Undefined when there is no storm. */
  #since: number | undefined;
  /** Keys that were ready when the time was over, and are let through. */
  #allowed = 0;
  #calm: PromiseWithResolvers<void> | undefined;

  /** @param ready - counts the keys that are ready. */
  constructor(clock: Clock, ready: () => number) {
    this.#clock = clock;
    this.#ready = ready;
  }

  changed(): void {
    this.#changes++;
    if (!this.#ticking) void this.#tick();
  }

  /** An answer of undefined counts as one key that was let through. */
  beforeTake(): Promise<void> | undefined {
    if (this.#since === undefined) return undefined;
    if (this.#allowed > 0) {
      this.#allowed--;
      return undefined;
    }
    this.#calm ??= Promise.withResolvers();
    return this.#calm.promise;
  }

  /** Counts the changes of each turn, until a turn brings none. */
  async #tick(): Promise<void> {
    this.#ticking = true;
    while (this.#changes > 0) {
      this.#turns = this.#changes >= CHANGES_A_TURN ? this.#turns + 1 : 0;
      this.#changes = 0;
      if (this.#turns >= TURNS) this.#blow();
      else if (this.#turns === 0) this.#end();
      await yieldToEventLoop();
    }
    this.#ticking = false;
    this.#turns = 0;
    this.#end();
  }

  #blow(): void {
    const now = this.#clock.monotonic();
    this.#since ??= now;
    if (this.#allowed > 0 || now - this.#since < STORM_PATIENCE_MS) return;
    this.#since = now;
    this.#allowed = this.#ready();
    this.#release();
  }

  #end(): void {
    this.#since = undefined;
    this.#allowed = 0;
    this.#release();
  }

  #release(): void {
    this.#calm?.resolve();
    this.#calm = undefined;
  }
}
