/** A bucket of tokens, full at the start. Each run of a hook takes one, in any queue. */
export class RateLimit {
  readonly #intervalMs: number;
  /** How far the runs may be ahead of one token in each interval. */
  readonly #toleranceMs: number;
  /** When the bucket is full again. */
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor({ intervalMs, burst }: { readonly intervalMs: number; readonly burst: number }) {
    this.#intervalMs = intervalMs;
    this.#toleranceMs = intervalMs * (burst - 1);
  }

  /**
   * Takes a token, and returns how many milliseconds later it may be used.
   *
   * @param nowAt - `monotonic()` of the clock.
   */
  takeMs(nowAt: number): number {
    const usableAt = Math.max(nowAt, this.#fullAt - this.#toleranceMs);
    this.#fullAt = Math.max(usableAt, this.#fullAt) + this.#intervalMs;
    return usableAt - nowAt;
  }
}
