/** The pending changes of one key. All times are times of a monotonic clock. */
interface Unrest {
  revision: string;
  readonly firstAt: number;
  lastAt: number;
}

/** The waits of `Debounce`. */
interface DebounceTimes {
  /**
   * Milliseconds that must pass without another change of a key before the wait ends. If 0, there is no wait.
   */
  readonly waitMs: number;
  /**
   * Maximum milliseconds to wait, counted from the first change, so that continuous changes do not delay the
   * action forever. Default: ten times `waitMs`.
   */
  readonly maxWaitMs?: number;
}

/** The default of `maxWaitMs`, as a multiple of `waitMs`. */
const MAX_WAITS = 10;

/**
 * Waits until a key has not changed for some time, so that several changes in a row cause only one action. A
 * reconciler calls `leftMs` in every attempt, and returns the result as `requeueAfterMs` while it is above
 * zero. Debounce has no timers.
 *
 * It keeps its state in memory, so a restarted process waits once more. It remembers a key from the first
 * change until `settle` is called. So a reconciler must also call `settle` for a key whose object is gone.
 */
export class Debounce<Key extends string = string> {
  readonly #unrest = new Map<Key, Unrest>();

  /**
   * Milliseconds until the reconciler may act on `revision` of `key`; zero or less means now. If `revision`
   * differs from the revision of the last call, this counts as a change. `nowAt` is the `monotonic()` of the
   * clock.
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

  /** Forgets the changes of `key`, because the caller has acted on them, or they were reverted. */
  settle(key: Key): void {
    this.#unrest.delete(key);
  }
}
