import type { HookEngineOptions, HooksStatus } from './engine-options.ts';

/** Orders the runs of all hooks: start, Synchronization, events, schedules, retries. */
export class HookEngine {
  readonly #options: HookEngineOptions;

  constructor(options: HookEngineOptions) {
    this.#options = options;
  }

  /**
   * Watches and runs the hooks until `signal` aborts. Runs under way may then take `stopGraceMs` longer. When it
   * resolves, no run is under way and nothing is watched. It is called once.
   */
  async run(signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }

  /** Nothing waits and nothing runs. A task that waits for its next attempt is not idle. */
  get idle(): boolean {
    return true;
  }

  /** Plain data for the status page: a new value in each call. */
  status(): HooksStatus {
    return { queues: [], hooks: this.#options.hooks.map(() => never()), givenUp: [] };
  }
}

function never(): never {
  throw new Error('in the next commit');
}
