/** What client-go calls QPS and burst: how much a controller may write. */
export interface WriteLimit {
  readonly perSecond: number;
  /** Writes that may be saved up. */
  readonly burst: number;
}

/** A bucket of writes that fills with time. It may be overdrawn by one look at an object. */
export class WriteBudget {
  readonly #limit: WriteLimit;
  #left: number;
  #countedAtMs = 0;

  constructor(limit: WriteLimit) {
    this.#limit = limit;
    this.#left = limit.burst;
  }

  /** Milliseconds until there is a write to spend; 0 when there is one. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    return this.#left >= 1 ? 0 : ((1 - this.#left) * 1_000) / this.#limit.perSecond;
  }

  spend(writes: number, nowMs: number): void {
    this.#fill(nowMs);
    this.#left -= writes;
  }

  #fill(nowMs: number): void {
    const { perSecond, burst } = this.#limit;
    const gained = ((nowMs - this.#countedAtMs) * perSecond) / 1_000;
    this.#left = Math.min(this.#left + Math.max(gained, 0), burst);
    this.#countedAtMs = nowMs;
  }
}
