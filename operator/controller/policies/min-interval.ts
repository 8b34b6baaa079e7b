import type { Clock } from '../../core/clock.ts';
import type { ObjectKey } from '../../model/object.ts';
import type { KeyPolicy } from './key-policy.ts';

/** Keeps `minIntervalMs` of the controller between the beginnings of two attempts of a key. */
export class MinInterval implements KeyPolicy {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  /** Only keys that must still wait. A key is set anew at each attempt, so that the oldest is the first. */
  readonly #startedAt = new Map<ObjectKey, number>();

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  delayMs(key: ObjectKey): number {
    const startedAt = this.#startedAt.get(key);
    if (startedAt === undefined) return 0;
    return Math.max(0, startedAt + this.#intervalMs - this.#clock.monotonic());
  }

  started(key: ObjectKey): void {
    if (this.#intervalMs === 0) return;
    const now = this.#clock.monotonic();
    for (const [known, at] of this.#startedAt) {
      if (now - at < this.#intervalMs) break;
      this.#startedAt.delete(known);
    }
    this.#startedAt.delete(key);
    this.#startedAt.set(key, now);
  }
}
