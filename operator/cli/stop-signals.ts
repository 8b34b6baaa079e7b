import type { Clock } from '../core/clock.ts';

/**
 * npm passes on every SIGINT and SIGTERM to the process that it has started, and the terminal has sent the
 * SIGINT of a Ctrl-C to that process already (`@npmcli/run-script`, lib/signal-manager.js). npm needs a few
 * milliseconds for that; nobody presses Ctrl-C twice within so short a time.
 */
const PASSED_ON_WITHIN_MS = 300;

/** What a SIGTERM or SIGINT means: the first asks to stop, another one to end at once. */
export class StopSignals {
  readonly #clock: Clock;
  readonly #isBelowNpm: boolean;
  #firstAt: number | undefined;

  /** @param env - npm and npx set `npm_lifecycle_event` for what they start. */
  constructor(clock: Clock, env: Readonly<Record<string, string | undefined>>) {
    this.#clock = clock;
    this.#isBelowNpm = env.npm_lifecycle_event !== undefined;
  }

  /** Counts one signal. `repeated`: npm has passed on the one that was received already. */
  receive(): 'stop' | 'at once' | 'repeated' {
    const now = this.#clock.monotonic();
    if (this.#firstAt === undefined) {
      this.#firstAt = now;
      return 'stop';
    }
    const isRepeated = this.#isBelowNpm && now - this.#firstAt < PASSED_ON_WITHIN_MS;
    return isRepeated ? 'repeated' : 'at once';
  }
}
