/**
 * Remembers which revision was the latest when the current period began. The period is computed from the
 * clock at each call, so that no timer is needed.
 */
export class RevisionPeriods {
  readonly #intervalMs: number;
  readonly #startMs: number;
  #period = 0;
  #current: number;
  #before = 0;

  /** @param intervalMs - the length of a period; 0 for a single endless period. */
  constructor(intervalMs: number, startMs: number, revision: number) {
    this.#intervalMs = intervalMs;
    this.#startMs = startMs;
    this.#current = revision;
  }

  /** Call this before each read and before each change, with the latest revision at that time. */
  turn(nowMs: number, revision: number): void {
    if (this.#intervalMs <= 0) return;
    const period = Math.floor((nowMs - this.#startMs) / this.#intervalMs);
    if (period <= this.#period) return;
    this.#before = period === this.#period + 1 ? this.#current : revision;
    this.#current = revision;
    this.#period = period;
  }

  /** The revision at the beginning of this period. */
  get current(): number {
    return this.#current;
  }

  /** The revision at the beginning of the previous period; 0 in the first period. */
  get before(): number {
    return this.#before;
  }
}
