import type { Cancel, Clock } from '../../core/clock.ts';
import { MinHeap } from '../../core/min-heap.ts';

/** What a virtual clock wakes at a time. */
export interface Alarm<Owner = never> {
  /** On the monotonic clock. */
  readonly dueAt: number;
  /** Whose it is, where that matters. */
  readonly owner: Owner | undefined;
  readonly wake: () => void;
}

/**
 * A clock that stands still until it is moved. The earliest alarm rings first, of those with the same time the one that
 * was set first.
 */
export class VirtualClock<Owner = never> implements Clock {
  #at: number;
  /** Wall time of `at` 0. */
  #wallAtZero: number;
  /** What it was before wall time was set, and until when. */
  readonly #past: { readonly untilAt: number; readonly wallAtZero: number }[] = [];
  /** Alarms by the time at which they are due, each time in the order in which they were set. */
  readonly #alarms = new Map<number, Set<Alarm<Owner>>>();
  /** These times. One whose alarms were cancelled stays until it comes up. */
  readonly #times = new MinHeap<Set<Alarm<Owner>>>();

  /**
   * @param at - what `monotonic` begins with.
   * @param wallAtZero - wall time when `monotonic` is 0, in milliseconds since 1970.
   */
  constructor(at: number, wallAtZero: number) {
    this.#at = at;
    this.#wallAtZero = wallAtZero;
  }

  /** In whole milliseconds, as the clock of a machine. */
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

  /** The same time, for the alarms of one owner. */
  of(owner: Owner): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      schedule: (delayMs, wake) => this.schedule(delayMs, wake, owner),
    };
  }

  /** Those that wait, in no order. */
  *alarms(): Generator<Alarm<Owner>> {
    for (const alarms of this.#alarms.values()) yield* alarms;
  }

  /** Whether it is still to ring. */
  waits(alarm: Alarm<Owner>): boolean {
    return this.#alarms.get(alarm.dueAt)?.has(alarm) === true;
  }

  /** The alarm that is due first, or undefined when none waits. */
  get next(): Alarm<Owner> | undefined {
    for (let first = this.#times.first; first !== undefined; first = this.#times.first) {
      const [alarm] = first.value;
      if (alarm !== undefined) return alarm;
      this.#times.pop();
      this.#alarms.delete(first.rank);
    }
    return undefined;
  }

  /** Moves to an alarm that waits, and rings it. */
  ring(alarm: Alarm<Owner>): void {
    this.#alarms.get(alarm.dueAt)?.delete(alarm);
    this.moveTo(alarm.dueAt);
    alarm.wake();
  }

  /** Moves to the next alarm that is due at `untilAt` or before, and rings it. False when there is none. */
  ringNext(untilAt: number): boolean {
    const { next } = this;
    if (next === undefined || next.dueAt > untilAt) return false;
    this.ring(next);
    return true;
  }

  /** Moves forward without ringing anything. An earlier time changes nothing. */
  moveTo(at: number): void {
    this.#at = Math.max(this.#at, at);
  }

  /** Wall time is `wall` now, as on a clock that was set. */
  setWall(wall: number): void {
    this.#past.push({ untilAt: this.#at, wallAtZero: this.#wallAtZero });
    this.#wallAtZero = wall - this.#at;
  }

  /** Wall time as it was at a moment that has passed. */
  wallOf(at: number): number {
    const { wallAtZero } = this.#past.find(({ untilAt }) => at < untilAt) ?? {
      wallAtZero: this.#wallAtZero,
    };
    return wallAtZero + at;
  }

  /** No alarm of this owner rings any more. */
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
