import type { Clock } from '../../core/clock.ts';
import type { ObjectKey } from '../../model/object.ts';

/**
 * What is braked. A key that asks to be reconciled again in less than `soonMs` gets what it asks for
 * `freely` times in a row, which is enough for work in steps. From then on it waits: 10 ms, twice as
 * long each time, up to a second, which is one attempt where an unbraked one made thousands.
 */
export const SOON_AGAIN = { soonMs: 100, freely: 100, firstMs: 10, lastMs: 1_000 } as const;

/** One line about braked keys in so long. */
const LINE_MS = 10 * 60_000;

/** How long a key waits that asks to be reconciled again at once, again and again. */
export class SoonAgain {
  readonly #clock: Clock;
  /** In a row, by keys that have asked so last. They are in the queue, which bounds them. */
  readonly #asked = new Map<ObjectKey, number>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `key` asks for `askedMs`. @returns how long it waits at least, in milliseconds. */
  waitMs(key: ObjectKey, askedMs: number): number {
    if (askedMs >= SOON_AGAIN.soonMs) {
      this.forget(key);
      return 0;
    }
    const asked = (this.#asked.get(key) ?? 0) + 1;
    this.#asked.set(key, asked);
    const beyond = asked - SOON_AGAIN.freely;
    if (beyond <= 0) return 0;
    return Math.min(SOON_AGAIN.firstMs * 2 ** (beyond - 1), SOON_AGAIN.lastMs);
  }

  /** `key` asked for nothing of the kind. */
  forget(key: ObjectKey): void {
    this.#asked.delete(key);
  }

  /** True when a line in the log is due about a key that waits `waitMs`; then it was told. */
  tells(waitMs: number): boolean {
    const now = this.#clock.monotonic();
    if (waitMs === 0 || now - this.#toldAt < LINE_MS) return false;
    this.#toldAt = now;
    return true;
  }
}
