import { type Alarm, DEADLINES_MS } from 'chancery/internal-testing';
import type { Deviation } from '../scenario/schedule.ts';
import type { PendingEvent } from './pending-events.ts';
import type { AlarmOwner } from './scenario-clock.ts';

/**
 * Timers that are due within this time fire before the next change, because an operator is faster
 * than people.
 */
export const SOON_MS = 1_000;
/**
 * How long `delay` holds events back: longer than quick retries, and shorter than every deadline of
 * a call.
 */
export const DELAY_MS = 10_000;

/** The state of a run before its next event. */
export interface Situation {
  /** The events that can happen now, in the usual order. */
  readonly ready: readonly PendingEvent[];
  /** The timer that is due first. */
  readonly alarm: Alarm<AlarmOwner> | undefined;
  /** The first of the operator's own timers that is due after the end of a `delay`. */
  readonly later: Alarm<AlarmOwner> | undefined;
  readonly nowMs: number;
  /** True if further changes of other writers are pending. */
  readonly hasChange: boolean;
  readonly mayRestart: boolean;
  readonly mayLose: boolean;
  /** The number of writes so far. */
  readonly writes: number;
}

/** Collects the possible alternatives to the usual order in a run. */
export class Choices {
  readonly all: Deviation[] = [];
  /** The number of deviations that are skipped, because they only swap independent events. */
  leftOut = 0;
  /**
   * The number of writes when a restart was last offered. Another restart before the next write has
   * the same result.
   */
  #writes = -1;

  offer(step: number, situation: Situation): void {
    const offer = (act: Deviation['act'], target = ''): void => {
      this.all.push({ step, act, target });
    };
    const { alarm, hasChange, later, mayLose, nowMs, ready } = situation;
    if (this.#isRestartNews(situation)) offer('restart');
    const [first, ...others] = ready;
    if (first !== undefined) {
      if (first.lose !== undefined && mayLose) offer('lose', first.label);
      if (first.kind !== 'request' || ready.length > 1) offer('hold', first.stream);
      offer('delay', first.stream);
    }
    const isSoon = alarm !== undefined && alarm.dueAt <= nowMs + SOON_MS;
    if (hasChange && (first !== undefined || isSoon)) offer('change');
    for (const [index, event] of others.entries()) {
      if (ready.slice(0, index + 1).every((before) => commute(before, event))) this.leftOut++;
      else offer('first', event.label);
    }
    const isOperators = alarm?.owner === 'operator' || alarm?.owner === 'code';
    const isNews = first !== undefined || hasChange;
    if (isOperators && isNews && alarm.dueAt <= nowMs + DELAY_MS) offer('timer');
    if (later === undefined) return;
    // Only a write is delayed: the code that sends it has already read everything that it needs.
    const isInTime = later.dueAt < nowMs + DEADLINES_MS.call;
    if (first !== undefined && isInTime && isOfInterest(first)) offer('late', first.stream);
    if (first === undefined && hasChange && !isSoon) offer('late');
  }

  #isRestartNews({ mayRestart, writes }: Situation): boolean {
    if (!mayRestart || this.#writes === writes) return false;
    this.#writes = writes;
    return true;
  }
}

/**
 * True for a write that has not reached the server. Writes of Events and Leases do not count, because they
 * only report something.
 */
function isOfInterest({ kind, isWrite, about }: PendingEvent): boolean {
  return kind === 'request' && isWrite && !/^(?:events|leases)(?:\/|$)/.test(about);
}

/** Whether the order of the two events makes no difference. */
function commute(a: PendingEvent, b: PendingEvent): boolean {
  const [one, two] = [a.kind === 'request', b.kind === 'request'];
  // The server processes one of the two events and the operator receives the other event, so they are
  // independent.
  if (one !== two) return true;
  if (!one) return false;
  if (!a.isWrite && !b.isWrite) return true;
  return !(
    a.about === b.about ||
    a.about.startsWith(`${b.about}/`) ||
    b.about.startsWith(`${a.about}/`)
  );
}
