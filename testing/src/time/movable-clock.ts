import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';
import { systemClock } from 'chancery/internal-objects';
import { settle } from './settle.ts';

interface Alarm {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
  /** Of the clock below. */
  cancel: Cancel;
}

/**
 * A clock that runs as the clock of the machine does, and that a test moves forward besides. A server in another
 * process, of which no test can know when it is quiet, works on it as usual: only long waits are skipped.
 */
export class MovableClock implements Clock {
  readonly #below: Clock;
  readonly #alarms = new Set<Alarm>();
  #aheadMs = 0;
  #order = 0;
  /** Moves wait for each other. */
  #moved: Promise<void> = Promise.resolve();

  /** @param below - runs by itself. Default: the clock of the machine. */
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
   * Moves the time forward. Alarms that fall due ring in their order, each at its own time, and what waits for them
   * goes on before the next one rings.
   *
   * @param ms - from 0 on: time does not go back.
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
