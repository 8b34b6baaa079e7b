import type { Clock } from '../core/clock.ts';

/** How many tokens there are, and how fast they come back. */
export interface TokenBucketOptions {
  /** Tokens that come back each second. Default 10, client-go's. */
  readonly perSecond?: number;
  /** Tokens that a rested bucket holds. Default 100, client-go's. */
  readonly burst?: number;
}

/** Spreads what comes in bursts: so many at once, then so many a second. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  /** Below zero when tokens are promised that have yet to come. */
  #tokens: number;
  #countedAtMs: number | undefined;

  constructor(clock: Clock, { perSecond = 10, burst = 100 }: TokenBucketOptions = {}) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Takes one token, on credit where there is none, and answers in how many ms it is there. */
  reserveMs(): number {
    const nowMs = this.#clock.monotonic();
    const passedMs = nowMs - (this.#countedAtMs ?? nowMs);
    this.#countedAtMs = nowMs;
    const refilled = this.#tokens + (passedMs / 1_000) * this.#perSecond;
    this.#tokens = Math.min(refilled, this.#burst) - 1;
    return (Math.max(-this.#tokens, 0) / this.#perSecond) * 1_000;
  }
}
