import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';

interface Wait {
  readonly revision: number;
  readonly end: (reached: boolean) => void;
}

/** Readers that wait for a future revision. */
export class FreshnessWaits {
  readonly #clock: Clock;
  readonly #revision: () => number;
  readonly #waits = new Set<Wait>();

  /** @param revision - the latest revision of the cache. */
  constructor(clock: Clock, revision: () => number) {
    this.#clock = clock;
    this.#revision = revision;
  }

  /** Calls `then` once: with true as soon as the revision is reached, or with false after `waitMs`. */
  wait(revision: number, waitMs: number, then: (reached: boolean) => void): Cancel {
    if (this.#revision() >= revision) {
      then(true);
      return () => {};
    }
    const wait: Wait = {
      revision,
      end: (reached) => {
        cancelTimer();
        this.#waits.delete(wait);
        then(reached);
      },
    };
    const cancelTimer = this.#clock.schedule(waitMs, () => wait.end(false));
    this.#waits.add(wait);
    return () => {
      cancelTimer();
      this.#waits.delete(wait);
    };
  }

  /** Ends the waits for all revisions that have been reached. */
  wake(): void {
    if (this.#waits.size === 0) return;
    for (const wait of [...this.#waits]) {
      if (this.#revision() >= wait.revision) wait.end(true);
    }
  }

  /** Ends all waits: calls `then` with false for every waiting reader. */
  close(): void {
    for (const wait of [...this.#waits]) wait.end(false);
  }
}
