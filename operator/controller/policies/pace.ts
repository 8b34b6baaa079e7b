import type { Clock } from '../../core/clock.ts';
import type { ObjectKey } from '../../model/object.ts';

/**
 * When each key may be reconciled again: a while after its last attempt began, which is the
 * controller's `minIntervalMs`, or more for a key that was slowed down.
 *
 * Remembers only keys that must still wait.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #minIntervalMs: number;
  /** By the time at which an attempt began: the oldest first, as each is set anew. */
  readonly #startedAt = new Map<ObjectKey, number>();
  readonly #slowed = new Map<ObjectKey, number>();

  constructor(clock: Clock, minIntervalMs: number) {
    this.#clock = clock;
    this.#minIntervalMs = minIntervalMs;
  }

  /** An attempt of `key` begins. */
  began(key: ObjectKey): void {
    if (this.#minIntervalMs === 0 && this.#slowed.size === 0) return;
    const now = this.#clock.monotonic();
    for (const [known, at] of this.#startedAt) {
      if (now - at < this.#intervalMs(known)) break;
      this.#startedAt.delete(known);
    }
    this.#startedAt.delete(key);
    this.#startedAt.set(key, now);
  }

  /** Keeps `intervalMs` between attempts of `key` from its last one on; 0: as all others. */
  slow(key: ObjectKey, intervalMs: number): void {
    if (intervalMs === 0) {
      this.#slowed.delete(key);
      if (this.#minIntervalMs === 0) this.#startedAt.delete(key);
      return;
    }
    this.#slowed.set(key, intervalMs);
    if (!this.#startedAt.has(key)) this.#startedAt.set(key, this.#clock.monotonic());
  }

  /** How long `key` must wait from now, in milliseconds; 0 when it need not. */
  waitMs(key: ObjectKey): number {
    const startedAt = this.#startedAt.get(key);
    if (startedAt === undefined) return 0;
    return Math.max(0, startedAt + this.#intervalMs(key) - this.#clock.monotonic());
  }

  #intervalMs(key: ObjectKey): number {
    return Math.max(this.#minIntervalMs, this.#slowed.get(key) ?? 0);
  }
}
