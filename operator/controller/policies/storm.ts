import type { Clock } from '../../core/clock.ts';
import { yieldToEventLoop } from '../../core/time-slice.ts';
import type { KeyPolicy } from './key-gate.ts';

/** A storm is at least this many changes per turn of the event loop, in `TURNS` turns in a row. */
const CHANGES_A_TURN = 4;
const TURNS = 3;

/** The maximum milliseconds that workers wait for a storm to end. People would notice a longer wait. */
export const STORM_PATIENCE_MS = 200;

/**
 * Makes workers wait while changes arrive in every turn of the event loop, for 200 ms at most. During such a
 * storm the same keys change repeatedly, and a waiting key is reconciled once instead of many times. When the
 * 200 ms are over, all keys that are ready may run before the next wait. Single changes cause no delay.
 *
 * The policy makes workers wait, but parks no keys: ready keys stay in the queue, whose depth is a metric.
 */
export class Storm implements KeyPolicy {
  readonly name = 'storm';
  readonly #clock: Clock;
  readonly #ready: () => number;
  #changes = 0;
  #turns = 0;
  #ticking = false;
  /** Undefined when there is no storm. */
  #since: number | undefined;
  /** Number of keys that may still run: those that were ready when the wait timed out. */
  #allowed = 0;
  #calm: PromiseWithResolvers<void> | undefined;

  /** @param ready - returns the number of ready keys. */
  constructor(clock: Clock, ready: () => number) {
    this.#clock = clock;
    this.#ready = ready;
  }

  changed(): void {
    this.#changes++;
    if (!this.#ticking) void this.#tick();
  }

  /**
   * A worker may take one key for each call that returns undefined. Otherwise the worker waits for the
   * promise.
   */
  beforeTake(): Promise<void> | undefined {
    if (this.#since === undefined) return undefined;
    if (this.#allowed > 0) {
      this.#allowed--;
      return undefined;
    }
    this.#calm ??= Promise.withResolvers();
    return this.#calm.promise;
  }

  /** Counts the changes of each turn of the event loop, until a turn has none. */
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
