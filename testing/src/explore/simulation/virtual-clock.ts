import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';

/** Whose alarm it is: the toolkit and its controllers, their triggers, timers of user code, or the API server. */
export type AlarmOwner = 'operator' | 'trigger' | 'code' | 'server' | 'explorer';

export interface Alarm {
  readonly atMs: number;
  readonly order: number;
  readonly owner: AlarmOwner;
  readonly wake: () => void;
}

/** Wall time at the begin of every run: 1 January 2026, so that dates in objects are the same in each. */
const START_MS = Date.UTC(2026, 0, 1);

/** Time that passes only when the simulation moves it to the next alarm. */
export class VirtualClock implements Clock {
  #passedMs = 0;
  #order = 0;
  readonly #alarms = new Set<Alarm>();

  now(): number {
    return START_MS + this.#passedMs;
  }

  /** Milliseconds since the run began. */
  monotonic(): number {
    return this.#passedMs;
  }

  schedule(delayMs: number, wake: () => void): Cancel {
    return this.#add(delayMs, wake, 'explorer');
  }

  /** The same time, for one owner of alarms. */
  of(owner: AlarmOwner): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      schedule: (delayMs, wake) => this.#add(delayMs, wake, owner),
    };
  }

  /** The alarm that is due first, or undefined when none waits. */
  get next(): Alarm | undefined {
    return this.first(() => true);
  }

  /** Whether it is still to ring. */
  waits(alarm: Alarm): boolean {
    return this.#alarms.has(alarm);
  }

  /** The alarm that is due first of those that are wanted. */
  first(isWanted: (alarm: Alarm) => boolean): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if ((first === undefined || alarm.atMs < first.atMs) && isWanted(alarm)) first = alarm;
    }
    return first;
  }

  /** When alarms of the operator are due, about: the width of a bucket hides the jitter of retries. */
  get digest(): string {
    return [...this.#alarms]
      .filter(({ owner }) => owner !== 'server')
      .map(({ owner, atMs }) => `${owner} ${Math.round(Math.log2(1 + atMs - this.#passedMs))}`)
      .sort()
      .join('\n');
  }

  /** Moves the time to the alarm and rings it. */
  ring(alarm: Alarm): void {
    this.#alarms.delete(alarm);
    this.#passedMs = Math.max(this.#passedMs, alarm.atMs);
    alarm.wake();
  }

  /** No alarm of these owners rings any more. */
  drop(...owners: readonly AlarmOwner[]): void {
    for (const alarm of this.#alarms) if (owners.includes(alarm.owner)) this.#alarms.delete(alarm);
  }

  #add(delayMs: number, wake: () => void, owner: AlarmOwner): Cancel {
    const atMs = this.#passedMs + Math.max(delayMs, 0);
    const alarm = { atMs, order: this.#order++, owner, wake };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }
}
