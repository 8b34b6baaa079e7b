import type { Clock } from '../../core/clock.ts';
import { nextTurn } from '../../core/turns.ts';

/** Changes in one turn of the event loop, for some turns in a row, that are more than everyday life. */
const CHANGES_A_TURN = 4;
const TURNS = 3;

/**
 * How long work waits for a storm to end. In it each key is told of again and again: what is read
 * meanwhile is not worked on twice. Longer, and people notice.
 */
export const STORM_PATIENCE_MS = 200;

/**
 * While changes pour in without a pause, it is better to read on than to work on what the next line
 * makes old: work waits until a turn of the event loop brings nothing more, and at most 200 ms. Then
 * all that is ready is let through before the next wait. Where changes come one by one nothing waits.
 */
export class Storm {
  readonly #clock: Clock;
  readonly #ready: () => number;
  #changes = 0;
  #turns = 0;
  #ticking = false;
  /** Undefined when there is none. */
  #since: number | undefined;
  /** What was ready when patience was over, and is let through. */
  #allowed = 0;
  #calm: PromiseWithResolvers<void> | undefined;

  /** @param ready - how much work there is. */
  constructor(clock: Clock, ready: () => number) {
    this.#clock = clock;
    this.#ready = ready;
  }

  /** A change has come. */
  changed(): void {
    this.#changes++;
    if (!this.#ticking) void this.#tick();
  }

  /** What to wait for before one piece of work is taken; undefined when it may be, which is counted. */
  wait(): Promise<void> | undefined {
    if (this.#since === undefined) return undefined;
    if (this.#allowed > 0) {
      this.#allowed--;
      return undefined;
    }
    this.#calm ??= Promise.withResolvers();
    return this.#calm.promise;
  }

  /** Looks back on each turn, for as long as there is something to see. */
  async #tick(): Promise<void> {
    this.#ticking = true;
    while (this.#changes > 0) {
      this.#turns = this.#changes >= CHANGES_A_TURN ? this.#turns + 1 : 0;
      this.#changes = 0;
      if (this.#turns >= TURNS) this.#blow();
      else if (this.#turns === 0) this.#end();
      await nextTurn();
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
