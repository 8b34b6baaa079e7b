import type { Alarm } from 'chancery/internal-testing';
import { type AlarmOwner, firstAlarm, type ScenarioClock } from './scenario-clock.ts';

/**
 * Finds the timers that make the operator work without an event: timers of its triggers, of its
 * code, and of keys that it will reconcile again later. All other timers are time limits and
 * maintenance of the toolkit.
 */
export class OwnTimers {
  readonly #dueAtMs = new Set<number>();

  /** Records the time at which a key will be reconciled again. */
  putBack(dueAtMs: number): void {
    this.#dueAtMs.add(Math.round(dueAtMs));
  }

  clear(): void {
    this.#dueAtMs.clear();
  }

  has({ owner, dueAt }: Alarm<AlarmOwner>): boolean {
    if (owner === 'trigger' || owner === 'code') return true;
    // The runner reports retry delays in whole milliseconds.
    const nearMs = Math.round(dueAt);
    return owner === 'operator' && [-1, 0, 1].some((by) => this.#dueAtMs.has(nearMs + by));
  }

  /** The first of the operator's own timers that is due more than `ms` milliseconds from now. */
  firstAfter(ms: number, clock: ScenarioClock): Alarm<AlarmOwner> | undefined {
    const afterMs = clock.monotonic() + ms;
    return firstAlarm(clock, (alarm) => alarm.dueAt > afterMs && this.has(alarm));
  }
}
