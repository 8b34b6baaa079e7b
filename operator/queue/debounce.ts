/** The changes of one key that were not acted upon yet. Times are those of a monotonic clock. */
interface Unrest {
  revision: string;
  readonly firstAt: number;
  lastAt: number;
}

/** How long `Debounce` waits. */
interface DebounceTimes {
  /** Milliseconds without another change that count as rest; 0 waits for nothing. */
  readonly waitMs: number;
  /**
   * The most milliseconds from the first change, so that changes without end do not put the work off for
   * ever. Default: ten times `waitMs`.
   */
  readonly maxWaitMs?: number;
}

/** The default bound, in waits. */
const MAX_WAITS = 10;

/**
 * Waits for keys to come to rest, so that several changes in a row cost one action. A reconciler asks it on
 * every attempt, and returns `requeueAfterMs` with the answer while that is above zero. It has no timers.
 *
 * It is kept in memory, so a process that starts again waits once more. It holds the keys between their first
 * change and `settle`; a reconciler must also settle a key whose object is gone.
 */
export class Debounce<Key extends string = string> {
  readonly #unrest = new Map<Key, Unrest>();

  /**
   * Milliseconds until `revision` of `key` may be acted upon; zero or less means now. A `revision` that differs
   * from that of the last call is a change. `nowAt` is the `monotonic()` of the clock.
   */
  leftMs(
    key: Key,
    revision: string,
    { waitMs, maxWaitMs = MAX_WAITS * waitMs }: DebounceTimes,
    nowAt: number,
  ): number {
    const unrest = this.#unrest.get(key) ?? { revision, firstAt: nowAt, lastAt: nowAt };
    if (unrest.revision !== revision) {
      unrest.revision = revision;
      unrest.lastAt = nowAt;
    }
    this.#unrest.set(key, unrest);
    return Math.min(unrest.lastAt + waitMs, unrest.firstAt + maxWaitMs) - nowAt;
  }

  /** Forgets the changes of `key`: they were acted upon, or taken back. */
  settle(key: Key): void {
    this.#unrest.delete(key);
  }
}
