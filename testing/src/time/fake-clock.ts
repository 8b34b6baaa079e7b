import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';
import { VirtualClock } from 'chancery/internal-testing';
import { settle } from './settle.ts';

/** A clock that moves only by `advance`. Both of its readings start at `startMs`. */
export class FakeClock implements Clock {
  readonly #time: VirtualClock;
  #scheduled = 0;

  constructor(startMs = 0) {
    this.#time = new VirtualClock(startMs, 0);
  }

  now(): number {
    return this.#time.monotonic();
  }

  monotonic(): number {
    return this.#time.monotonic();
  }

  schedule(delayMs: number, wake: () => void): Cancel {
    this.#scheduled++;
    return this.#time.schedule(delayMs, wake);
  }

  /** How many alarms have ever been set: grows with everything that happens. */
  get scheduled(): number {
    return this.#scheduled;
  }

  /** How many alarms wait. */
  get pending(): number {
    return [...this.#time.alarms()].length;
  }

  /** Milliseconds until the earliest alarm, or undefined when none waits. */
  get nextInMs(): number | undefined {
    const { next } = this.#time;
    return next === undefined ? undefined : next.dueAt - this.monotonic();
  }

  /**
   * Moves time forward and fires what falls due, earliest first; an alarm sees its own time. Code
   * that awaits runs only when the caller awaits: see `advanceAndSettle`.
   */
  advance(ms: number): void {
    this.#advanceTo(this.monotonic() + ms);
  }

  /** Like `advance`, but lets waiting code run after each alarm, so that chains of sleeps unfold. */
  async advanceAndSettle(ms: number): Promise<void> {
    const untilMs = this.monotonic() + ms;
    await settle();
    for (let next = this.#time.next; next && next.dueAt <= untilMs; next = this.#time.next) {
      this.#advanceTo(next.dueAt);
      await settle();
    }
    this.#advanceTo(untilMs);
    await settle();
  }

  /** To a time, not by a difference: sums of fractions would miss alarms by a hair, or go back. */
  #advanceTo(untilMs: number): void {
    while (this.#time.ringNext(untilMs));
    this.#time.moveTo(untilMs);
  }
}
