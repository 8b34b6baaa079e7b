import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';

interface Alarm {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

/** A clock that moves only by `advance`. Both of its readings start at `startMs`. */
export class FakeClock implements Clock {
  #nowMs: number;
  #order = 0;
  readonly #alarms = new Set<Alarm>();

  constructor(startMs = 0) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, wake: () => void): Cancel {
    const alarm = { atMs: this.#nowMs + Math.max(delayMs, 0), order: this.#order++, wake };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** How many alarms have ever been set: grows with everything that happens. */
  get scheduled(): number {
    return this.#order;
  }

  /** How many alarms wait. */
  get pending(): number {
    return this.#alarms.size;
  }

  /** Milliseconds until the earliest alarm, or undefined when none waits. */
  get nextInMs(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.atMs - this.#nowMs;
  }

  /**
   * Moves time forward and fires what falls due, earliest first; an alarm sees its own time. Code
   * that awaits runs only when the caller awaits: see `advanceAndSettle`.
   */
  advance(ms: number): void {
    this.#advanceTo(this.#nowMs + ms);
  }

  /** Like `advance`, but lets waiting code run after each alarm, so that chains of sleeps unfold. */
  async advanceAndSettle(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#next(); next && next.atMs <= untilMs; next = this.#next()) {
      this.#advanceTo(next.atMs);
      await settle();
    }
    this.#advanceTo(untilMs);
    await settle();
  }

  /** To a time, not by a difference: sums of fractions would miss alarms by a hair, or go back. */
  #advanceTo(untilMs: number): void {
    for (let next = this.#next(); next && next.atMs <= untilMs; next = this.#next()) {
      this.#alarms.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.wake();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #next(): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if (
        !first ||
        alarm.atMs < first.atMs ||
        (alarm.atMs === first.atMs && alarm.order < first.order)
      )
        first = alarm;
    }
    return first;
  }
}

/** Lets every promise that is ready run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
