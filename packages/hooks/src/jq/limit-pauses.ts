import type { Clock } from 'chancery';

/** A program is paused after it has exceeded its limit this many times. */
const FREE = 3;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 300_000;
/** If a program does not reach its limit for this time, its failures are forgotten. */
const FORGOTTEN_AFTER_MS = 600_000;

/**
 * Pauses programs that repeatedly reach their limit. Each pause of a program is longer than the
 * pause before.
 */
export class LimitPauses {
  readonly #clock: Clock;
  readonly #reached = new Map<string, { times: number; until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that `program` has reached its limit. */
  reached(program: string): void {
    const now = this.#clock.monotonic();
    for (const [other, { until }] of this.#reached) {
      if (now - until > FORGOTTEN_AFTER_MS) this.#reached.delete(other);
    }
    const times = (this.#reached.get(program)?.times ?? 0) + 1;
    const pauseMs =
      times < FREE ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (times - FREE), LONGEST_PAUSE_MS);
    this.#reached.set(program, { times, until: now + pauseMs });
  }

  isPaused(program: string): boolean {
    const { until = Number.NEGATIVE_INFINITY } = this.#reached.get(program) ?? {};
    return this.#clock.monotonic() < until;
  }
}
