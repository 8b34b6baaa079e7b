import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';
import { systemClock } from 'chancery/internal-objects';
import { settle } from './settle.ts';

interface Alarm {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
  /** The cancel function of the underlying clock. */
  cancel: Cancel;
}

/**
 * A clock that runs like the system clock, and that a test can also move forward. Use it for a
 * server in another process: a test cannot know when such a server is quiet, so the clock keeps
 * running, and the test only skips long waits.
 */
export class MovableClock implements Clock {
  readonly #below: Clock;
  readonly #alarms = new Set<Alarm>();
  #aheadMs = 0;
  #order = 0;
  /**
   * Resolves when the last move of the clock is done. The next move waits for this, so that moves
   * run one after the other.
   */
  #moved: Promise<void> = Promise.resolve();

  /** @param below - a running clock. If omitted, the system clock. */
  constructor(below: Clock = systemClock) {
    this.#below = below;
  }

  now(): number {
    return this.#below.now() + this.#aheadMs;
  }

  monotonic(): number {
    return this.#below.monotonic() + this.#aheadMs;
  }

  schedule(delayMs: number, wake: () => void): Cancel {
    const atMs = this.monotonic() + Math.max(delayMs, 0);
    const alarm = { atMs, order: this.#order++, wake, cancel: () => {} };
    this.#alarms.add(alarm);
    this.#arm(alarm);
    return () => {
      alarm.cancel();
      this.#alarms.delete(alarm);
    };
  }

  /**
   * Moves the time forward. Due timers fire in order, each at its own time. Code that waits for a timer
   * continues before the next timer fires.
   *
   * @param ms - by how many milliseconds to advance; at least 0, because time cannot move backwards.
   */
  advance(ms: number): Promise<void> {
    this.#moved = this.#moved.then(() => this.#advance(ms));
    return this.#moved;
  }

  async #advance(ms: number): Promise<void> {
    const untilMs = this.monotonic() + ms;
    for (let next = this.#next(); next && next.atMs <= untilMs; next = this.#next()) {
      next.cancel();
      this.#alarms.delete(next);
      this.#moveTo(next.atMs);
      next.wake();
      await settle();
    }
    this.#moveTo(untilMs);
    for (const alarm of this.#alarms) {
      alarm.cancel();
      this.#arm(alarm);
    }
  }

  #moveTo(atMs: number): void {
    this.#aheadMs += Math.max(atMs - this.monotonic(), 0);
  }

  #arm(alarm: Alarm): void {
    alarm.cancel = this.#below.schedule(alarm.atMs - this.monotonic(), () => {
      this.#alarms.delete(alarm);
      alarm.wake();
    });
  }

  #next(): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if (first === undefined || isBefore(alarm, first)) first = alarm;
    }
    return first;
  }
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
