import type { Clock } from '../../core/clock.ts';

/** So many sources that must list anew within a second have lost their watches together. */
const MASS_SOURCES = 5;
const MASS_WINDOW_MS = 1_000;
const MASS_SPREAD_MS = 2_000;

/**
 * How long a relist waits to see whether others follow. Watches that were cut together come back up
 * to 250 ms apart (`pace.ts`), and only then learn that they must list.
 */
const LOOKOUT_MS = 250;

interface Need {
  readonly at: number;
  /** Drawn once it is known that others need a list too. */
  startAt: number | undefined;
}

/** When the sources of one process list anew after they have lost their watches together. */
export class RelistSpread {
  readonly #clock: Clock;
  readonly #random: () => number;
  /** The newest of each source. */
  readonly #needs = new Map<object, Need>();

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * `source`, one of `sources`, must list anew. Who waits as long as is said, and asks `delayMs` then,
   * knows whether the others must as well; a process of fewer than five sources need not wait.
   */
  needed(source: object, sources: number): number {
    const nowMs = this.#clock.monotonic();
    this.#needs.set(source, { at: nowMs, startAt: undefined });
    const recent = [...this.#needs.values()].filter(({ at }) => nowMs - at <= MASS_WINDOW_MS);
    if (recent.length >= MASS_SOURCES) for (const need of recent) this.#draw(need);
    return sources < MASS_SOURCES ? 0 : LOOKOUT_MS;
  }

  /** How long to wait from now on: 0 when few others need a list. */
  delayMs(source: object): number {
    const startAt = this.#needs.get(source)?.startAt ?? 0;
    return Math.max(0, startAt - this.#clock.monotonic());
  }

  forget(source: object): void {
    this.#needs.delete(source);
  }

  #draw(need: Need): void {
    if (need.startAt !== undefined) return;
    const laterMs = LOOKOUT_MS + (MASS_SPREAD_MS - LOOKOUT_MS) * this.#random();
    need.startAt = need.at + laterMs;
  }
}
