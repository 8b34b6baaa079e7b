/** The pending changes of one key. Times are those of a monotonic clock. */
interface Unrest {
  revision: string;
  readonly firstAt: number;
  lastAt: number;
}

/** How long `Debounce` waits. */
interface DebounceTimes {
  /** Milliseconds without another change after which a key is at rest. 0: do not wait. */
  readonly waitMs: number;
  /**
   * Maximum wait in milliseconds, counted from the first change, so that continuous changes do not delay the
   * work forever. Default: ten times `waitMs`.
   */
  readonly maxWaitMs?: number;
}

/** The default of `maxWaitMs`, as a multiple of `waitMs`. */
const MAX_WAITS = 10;

/**
 * Waits until keys are at rest, so that several changes in a row cost one action. A reconciler calls `leftMs`
 * in every attempt, and returns the result as `requeueAfterMs` while it is above zero. Debounce has no
 * timers.
 *
 * It keeps its state in memory, so a restarted process waits once more. It remembers a key from the first
 * change until `settle`. A reconciler must therefore also settle a key whose object is gone.
 */
export class Debounce<Key extends string = string> {
  readonly #unrest = new Map<Key, Unrest>();

  /**
   * Milliseconds until `revision` of `key` may be acted upon; zero or less means now. A `revision` that
   * differs from that of the last call is a change. `nowAt` is the `monotonic()` of the clock.
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

  /** Forgets the changes of `key`: the caller has acted upon them, or they were reverted. */
  settle(key: Key): void {
    this.#unrest.delete(key);
  }
}
