import { type Backoff, exponentialBackoff } from '../../core/backoff.ts';
import type { Clock } from '../../core/clock.ts';
import type { Action } from './classify.ts';

/** Delays of lists and watches, as in the reflector of client-go. */
const BACKOFF = { initialMs: 800, maxMs: 30_000, factor: 2, jitter: 1 } as const;

/** Total milliseconds with a connected watch after which earlier failures are forgotten, as in client-go. */
const HEALTHY_AFTER_MS = 120_000;

/**
 * Range of the first delay in milliseconds after a connection was cut or refused. In most cases the server
 * has just restarted.
 */
const FIRST_RETRY_MS = [50, 250] as const;

/**
 * Maximum delay in milliseconds while the ambassador is unreachable. Connecting to a port of the same Pod is
 * cheap, and the ambassador restarts within seconds.
 */
const UNREACHABLE_MAX_MS = 5_000;

const UNSERVED_POLL_MS = 10_000;
const UNWATCHABLE_POLL_MS = 30_000;
const FORBIDDEN = { initialMs: 5_000, maxMs: 60_000, factor: 2, jitter: 0.2 } as const;

const MINUTE_MS = 60_000;

/**
 * Maximum delay in milliseconds that a server can request. A wrong number must not stop a source for a day.
 */
const MAX_ASKED_MS = 60_000;

/** How long a reflector waits before its next request. Each source has one Pace, for lists and watches. */
export class Pace {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backoff: Backoff;
  readonly #forbidden: Backoff;
  /** Number of failures since earlier failures were last forgotten, see `HEALTHY_AFTER_MS`. */
  #failures = 0;
  #connectedMs = 0;
  /**
   * For each watch that the server ended early, the time when it was opened, if that was in the last minute.
   */
  #earlyOpens: number[] = [];
  #lastOpenAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
    this.#backoff = exponentialBackoff({ ...BACKOFF, random });
    this.#forbidden = exponentialBackoff({ ...FORBIDDEN, random });
  }

  /** Milliseconds to wait before taking `action`. */
  delayMs(action: Action): number {
    const askedMs = Math.min(action.atLeastMs, MAX_ASKED_MS);
    return Math.max(this.#baseMs(action), askedMs * (1 + 0.2 * this.#random()));
  }

  #baseMs({ wait, reason }: Action): number {
    switch (wait) {
      case 'none':
        return 0;
      case 'unserved':
        return UNSERVED_POLL_MS * (0.8 + 0.4 * this.#random());
      case 'poll':
        return UNWATCHABLE_POLL_MS;
      case 'forbidden':
        return this.#forbidden.nextMs();
      case 'longest':
        return BACKOFF.maxMs * (1 + this.#random());
      case 'backoff':
        return this.#failureMs(reason);
    }
  }

  #failureMs(reason: Action['reason']): number {
    this.#connectedMs = 0;
    const cheap = reason === 'broken' || reason === 'unreachable';
    if (this.#failures++ === 0 && cheap) {
      const [from, to] = FIRST_RETRY_MS;
      return from + (to - from) * this.#random();
    }
    const delayMs = this.#backoff.nextMs();
    return reason === 'unreachable' ? Math.min(delayMs, UNREACHABLE_MAX_MS) : delayMs;
  }

  /** Milliseconds to wait before the next watch, so that a server that ends watches early causes no loop. */
  spacingMs(): number {
    const nowMs = this.#clock.monotonic();
    this.#earlyOpens = this.#earlyOpens.filter((at) => nowMs - at < MINUTE_MS);
    const opens = this.#earlyOpens.length;
    const spacingMs = opens <= 5 ? 100 : opens <= 10 ? 1_000 : 6_000;
    return Math.max(0, this.#lastOpenAt + spacingMs - nowMs);
  }

  /** Call this when a watch is about to open. */
  opened(): void {
    this.#lastOpenAt = this.#clock.monotonic();
  }

  /**
   * Call this when an accepted watch has ended after `livedMs`.
   *
   * @param early - true if the watch ended before the requested time, and this process did not end it.
   * @param healthy - false if the watch was ended because of silence. The time with a dead connection does
   *   not count as connected time.
   */
  closed(livedMs: number, early: boolean, healthy: boolean): void {
    if (early) this.#earlyOpens.push(this.#lastOpenAt);
    if (!healthy) return;
    this.#connectedMs += livedMs;
    this.#forbidden.reset();
    if (this.#connectedMs < HEALTHY_AFTER_MS) return;
    this.#failures = 0;
    this.#backoff.reset();
  }
}
