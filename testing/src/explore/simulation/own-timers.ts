import type { Alarm } from 'chancery/internal-testing';
import type { AlarmOwner } from './scenario-clock.ts';

/**
 * Which alarms make the operator work by itself: those of its triggers, those that its code sets, and those of keys that it
 * has put back for later. The others are time limits and upkeep of the toolkit.
 */
export class OwnTimers {
  readonly #dueAtMs = new Set<number>();

  /** A key is to be reconciled again at this time. */
  putBack(dueAtMs: number): void {
    this.#dueAtMs.add(Math.round(dueAtMs));
  }

  clear(): void {
    this.#dueAtMs.clear();
  }

  has({ owner, dueAt }: Alarm<AlarmOwner>): boolean {
    if (owner === 'trigger' || owner === 'code') return true;
    // The runner reports the delay of a retry in whole milliseconds.
    const nearMs = Math.round(dueAt);
    return owner === 'operator' && [-1, 0, 1].some((by) => this.#dueAtMs.has(nearMs + by));
  }
}
