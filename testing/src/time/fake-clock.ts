import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';
import { VirtualClock } from 'chancery/internal-testing';
import { settle } from './settle.ts';

/** A clock that moves only by `advance`. `now` and `monotonic` start at `startMs`. */
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

  /** The number of timers that were ever set. It grows with all activity. */
  get scheduled(): number {
    return this.#scheduled;
  }

  /** The number of timers that are set and have not fired. */
  get pending(): number {
    return [...this.#time.alarms()].length;
  }

  /** Milliseconds until the earliest timer; undefined if none is set. */
  get nextInMs(): number | undefined {
    const { next } = this.#time;
    return next === undefined ? undefined : next.dueAt - this.monotonic();
  }

  /**
   * Moves time forward and fires due timers, earliest first. When a timer fires, the clock shows
   * the time of this timer. Code that awaits runs only when the caller awaits: see
   * `advanceAndSettle`.
   */
  advance(ms: number): void {
    this.#advanceTo(this.monotonic() + ms);
  }

  /**
   * Like `advance`, but lets waiting code run after each timer, so that chains of sleeps progress.
   */
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

  /**
   * Moves the clock to an absolute time. If fractions were added up instead, the clock could stop
   * just before a timer, or go backwards.
   */
  #advanceTo(untilMs: number): void {
    while (this.#time.ringNext(untilMs));
    this.#time.moveTo(untilMs);
  }
}
