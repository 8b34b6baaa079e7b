import type { Log } from '../../controller/reconciler.ts';
import type { Clock } from '../../core/clock.ts';
import { type StatusLine, StatusLines } from '../sources/status-lines.ts';

/**
 * Tells when requests about the Lease begin to fail and when they work again, at the pace at which
 * sources tell it: at most ten lines in any hour. `stop` ends its timer.
 */
export class RenewalLog {
  readonly #lines: StatusLines;
  #health: 'healthy' | 'failing' = 'healthy';
  #error: unknown;

  constructor(log: Log, clock: Clock) {
    this.#lines = new StatusLines(clock, ({ status, changes }: StatusLine) => {
      const more = changes > 1 ? { changes } : {};
      if (status.health === 'failing') {
        log.warn({ ...more, err: status.error }, 'the Lease cannot be read or renewed, it retries');
      } else if (status.health === 'healthy') {
        log.info(more, 'the Lease can be read and renewed again');
      }
    });
  }

  /** What the last request failed with, if it failed. */
  get error(): unknown {
    return this.#error;
  }

  failed(error: unknown): void {
    this.#error = error;
    this.#enter('failing');
  }

  worked(): void {
    this.#error = undefined;
    this.#enter('healthy');
  }

  stop(): void {
    this.#tell('stopped');
  }

  #enter(health: 'healthy' | 'failing'): void {
    if (health === this.#health) return;
    this.#health = health;
    this.#tell(health);
  }

  #tell(health: 'healthy' | 'failing' | 'stopped'): void {
    this.#lines.changed({ health, reason: undefined, error: this.#error, retryInMs: undefined });
  }
}
