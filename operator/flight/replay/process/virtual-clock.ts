import { AsyncResource } from 'node:async_hooks';
import type { Cancel, Clock } from '../../../core/clock.ts';

interface Alarm {
  readonly dueAt: number;
  readonly order: number;
  readonly wake: () => void;
}

/**
 * A clock that stands still until it is moved. Durations count from the beginning of the record, and wall time
 * follows what the record says of it.
 */
export class VirtualClock implements Clock {
  #at: number;
  /** Wall time of `at` 0. */
  #wallAtZero: number;
  /** What it was before wall time was set, and until when. */
  readonly #past: { readonly untilAt: number; readonly wallAtZero: number }[] = [];
  #order = 0;
  /** A binary heap: the earliest alarm first, of two with the same time the one that was set first. */
  readonly #alarms: Alarm[] = [];
  readonly #cancelled = new WeakSet<Alarm>();

  /** @param wallAtZero - milliseconds since 1970 at time 0. */
  constructor(at: number, wallAtZero: number) {
    this.#at = at;
    this.#wallAtZero = wallAtZero;
  }

  now(): number {
    return Math.round(this.#wallAtZero + this.#at);
  }

  monotonic(): number {
    return this.#at;
  }

  schedule(delayMs: number, wake: () => void): Cancel {
    const alarm = {
      dueAt: this.#at + Math.max(delayMs, 0),
      order: this.#order++,
      wake: inItsContext(wake),
    };
    this.#push(alarm);
    return () => this.#cancelled.add(alarm);
  }

  /** Wall time is `wall` now, as a clock that was set. */
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

  /** Moves to the next alarm that is due at `untilAt` or before, and fires it. False when there is none. */
  fireNext(untilAt: number): boolean {
    const next = this.#first();
    if (next === undefined || next.dueAt > untilAt) return false;
    this.#pop();
    this.moveTo(next.dueAt);
    next.wake();
    return true;
  }

  /** Moves forward without firing anything. An earlier time changes nothing. */
  moveTo(at: number): void {
    this.#at = Math.max(this.#at, at);
  }

  #first(): Alarm | undefined {
    for (let first = this.#alarms[0]; first !== undefined; first = this.#alarms[0]) {
      if (!this.#cancelled.has(first)) return first;
      this.#pop();
    }
    return undefined;
  }

  #push(alarm: Alarm): void {
    const heap = this.#alarms;
    let at = heap.push(alarm) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(alarm, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = alarm;
  }

  #pop(): void {
    const heap = this.#alarms;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      if (a === undefined) break;
      const isRight = b !== undefined && isBefore(b, a);
      const child = isRight ? b : a;
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = isRight ? left + 1 : left;
    }
    heap[at] = last;
  }
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
}

/** The attempt that set an alarm is known when it wakes. */
function inItsContext(wake: () => void): () => void {
  return AsyncResource.bind(wake);
}
