/** A token bucket that is full at the start. Each run of a hook takes one token, in any queue. */
export class RateLimit {
  readonly #intervalMs: number;
  /**
   * At a steady rate, one run begins per interval. A run may begin earlier than that by at most
   * this time.
   */
  readonly #toleranceMs: number;
  /** Time on the monotonic clock at which the bucket is full again. */
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor({ intervalMs, burst }: { readonly intervalMs: number; readonly burst: number }) {
    this.#intervalMs = intervalMs;
    this.#toleranceMs = intervalMs * (burst - 1);
  }

  /** Milliseconds until a token is available. `nowAt` is `monotonic()` of the clock. */
  waitMs(nowAt: number): number {
    return Math.max(this.#fullAt - this.#toleranceMs - nowAt, 0);
  }

  /** Takes a token that is available. */
  take(nowAt: number): void {
    this.#fullAt = Math.max(nowAt, this.#fullAt) + this.#intervalMs;
  }
}
