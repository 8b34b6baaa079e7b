import type { Cancel, Clock } from '../../core/clock.ts';
import { MinHeap } from '../../core/min-heap.ts';

/** A timer of a virtual clock: a function that the clock calls at a given time. */
export interface Alarm<Owner = never> {
  /** The time on the monotonic clock at which the timer is due. */
  readonly dueAt: number;
  /** The owner of the timer; undefined if timers have no owners. */
  readonly owner: Owner | undefined;
  readonly wake: () => void;
}

/**
 * A clock that does not move by itself. The earliest timer fires first. If two timers are due at the same
 * time, the timer that was set first fires first.
 */
export class VirtualClock<Owner = never> implements Clock {
  #at: number;
  /** Wall time when `monotonic` is 0. */
  #wallAtZero: number;
  /**
   * Earlier values of `#wallAtZero`, and the times until which they applied. A value is added when the wall
   * time is set.
   */
  readonly #past: { readonly untilAt: number; readonly wallAtZero: number }[] = [];
  /**
   * Timers, keyed by the time at which they are due. Timers that are due at the same time are in the order in
   * which they were set.
   */
  readonly #alarms = new Map<number, Set<Alarm<Owner>>>();
  /**
   * The due times of all timers. If the timers of a time are canceled, the time stays until it is reached.
   */
  readonly #times = new MinHeap<Set<Alarm<Owner>>>();

  /**
   * @param at - initial value of `monotonic`.
   * @param wallAtZero - wall time when `monotonic` is 0, in milliseconds since 1970.
   */
  constructor(at: number, wallAtZero: number) {
    this.#at = at;
    this.#wallAtZero = wallAtZero;
  }

  /** The wall time in whole milliseconds, like the clock of a machine. */
  now(): number {
    return Math.round(this.#wallAtZero + this.#at);
  }

  monotonic(): number {
    return this.#at;
  }

  schedule(delayMs: number, wake: () => void, owner?: Owner): Cancel {
    const dueAt = this.#at + Math.max(delayMs, 0);
    const alarms = this.#alarms.get(dueAt) ?? this.#timeFor(dueAt);
    const alarm = { dueAt, owner, wake };
    alarms.add(alarm);
    return () => alarms.delete(alarm);
  }

  /** The same clock. Timers that are set through it belong to `owner`. */
  of(owner: Owner): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      schedule: (delayMs, wake) => this.schedule(delayMs, wake, owner),
    };
  }

  /** The waiting timers, in any order. */
  *alarms(): Generator<Alarm<Owner>> {
    for (const alarms of this.#alarms.values()) yield* alarms;
  }

  /** True if the timer has not fired and was not canceled. */
  waits(alarm: Alarm<Owner>): boolean {
    return this.#alarms.get(alarm.dueAt)?.has(alarm) === true;
  }

  /** The timer that is due first. Undefined when no timer waits. */
  get next(): Alarm<Owner> | undefined {
    for (let first = this.#times.first; first !== undefined; first = this.#times.first) {
      const [alarm] = first.value;
      if (alarm !== undefined) return alarm;
      this.#times.pop();
      this.#alarms.delete(first.rank);
    }
    return undefined;
  }

  /** Moves the clock to the time of a waiting timer, and fires the timer. */
  ring(alarm: Alarm<Owner>): void {
    this.#alarms.get(alarm.dueAt)?.delete(alarm);
    this.moveTo(alarm.dueAt);
    alarm.wake();
  }

  /**
   * Moves the clock to the next timer that is due at or before `untilAt`, and fires the timer. Returns false
   * when no timer is due.
   */
  ringNext(untilAt: number): boolean {
    const { next } = this;
    if (next === undefined || next.dueAt > untilAt) return false;
    this.ring(next);
    return true;
  }

  /** Moves the clock forward to `at` without firing a timer. If `at` is in the past, nothing happens. */
  moveTo(at: number): void {
    this.#at = Math.max(this.#at, at);
  }

  /** Sets the wall time to `wall`, as when the clock of a machine is set. */
  setWall(wall: number): void {
    this.#past.push({ untilAt: this.#at, wallAtZero: this.#wallAtZero });
    this.#wallAtZero = wall - this.#at;
  }

  /** The wall time that the clock had at the monotonic time `at`, which is in the past. */
  wallOf(at: number): number {
    const { wallAtZero } = this.#past.find(({ untilAt }) => at < untilAt) ?? {
      wallAtZero: this.#wallAtZero,
    };
    return wallAtZero + at;
  }

  /** Cancels all timers of this owner. */
  drop(owner: Owner): void {
    for (const alarms of this.#alarms.values()) {
      for (const alarm of alarms) if (alarm.owner === owner) alarms.delete(alarm);
    }
  }

  #timeFor(dueAt: number): Set<Alarm<Owner>> {
    const alarms = new Set<Alarm<Owner>>();
    this.#alarms.set(dueAt, alarms);
    this.#times.push(alarms, dueAt);
    return alarms;
  }
}
