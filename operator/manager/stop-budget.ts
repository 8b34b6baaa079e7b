import type { Cancel, Clock } from '../core/clock.ts';
import { yieldToEventLoop } from '../core/time-slice.ts';

/** The time that a whole stop may take, shared out among its steps. */
export class StopBudget implements Disposable {
  /** `Infinity` for as long as it takes; 0 to wait for nothing. */
  readonly totalMs: number;
  readonly #clock: Clock;
  readonly #over: PromiseWithResolvers<void> = Promise.withResolvers();
  #endsAt: number;
  #cancelEnd: Cancel = () => {};

  constructor(clock: Clock, totalMs: number) {
    this.#clock = clock;
    this.totalMs = totalMs;
    this.#endsAt = clock.monotonic() + totalMs;
    this.#arm();
  }

  /** From now on at most so much is left, for those who wait already as well. */
  shrinkTo(leftMs: number): void {
    this.#endsAt = Math.min(this.#endsAt, this.#clock.monotonic() + leftMs);
    this.#arm();
  }

  /** Milliseconds, never below 0. */
  get leftMs(): number {
    return Math.max(this.#endsAt - this.#clock.monotonic(), 0);
  }

  /** So much of the total, in milliseconds. */
  share(part: number): number {
    return this.totalMs * part;
  }

  /**
   * Waits for `work`, at most for `atMostMs` and for what is left. True when it has ended, in
   * whichever way. Work gets one turn of the event loop however little is left.
   */
  async wait(work: Promise<unknown>, atMostMs: number): Promise<boolean> {
    const done = work.then(
      () => true,
      () => true,
    );
    const limitMs = Math.min(atMostMs, this.leftMs);
    if (limitMs <= 0) return Promise.race([done, yieldToEventLoop().then(() => false)]);
    const limit = Promise.withResolvers<void>();
    const cancel = Number.isFinite(limitMs)
      ? this.#clock.schedule(limitMs, limit.resolve)
      : (): void => {};
    try {
      const over = Promise.race([limit.promise, this.#over.promise]);
      return await Promise.race([done, over.then(() => false)]);
    } finally {
      cancel();
    }
  }

  [Symbol.dispose](): void {
    this.#cancelEnd();
  }

  #arm(): void {
    this.#cancelEnd();
    if (!Number.isFinite(this.#endsAt) || this.totalMs === 0) return;
    this.#cancelEnd = this.#clock.schedule(this.leftMs, this.#over.resolve);
  }
}
