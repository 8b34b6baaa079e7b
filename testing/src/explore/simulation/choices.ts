import { type Alarm, DEADLINES_MS } from 'chancery/internal-testing';
import type { Deviation } from '../scenario/schedule.ts';
import type { PendingEvent } from './pending-events.ts';
import type { AlarmOwner } from './scenario-clock.ts';

/** Timers that are due so soon come before the next change: an operator is faster than people. */
export const SOON_MS = 1_000;
/** How long `delay` holds events back: longer than quick retries take, shorter than every deadline of a call. */
export const DELAY_MS = 10_000;

/** What a run is about to do. */
export interface Situation {
  /** The events that could happen now, in the usual order. */
  readonly ready: readonly PendingEvent[];
  /** The alarm that is due first. */
  readonly alarm: Alarm<AlarmOwner> | undefined;
  /** The first of those that make the operator work by itself, when it is due later than `delay` lasts. */
  readonly later: Alarm<AlarmOwner> | undefined;
  readonly nowMs: number;
  /** A change of another writer is still to come. */
  readonly hasChange: boolean;
  readonly mayRestart: boolean;
  readonly mayLose: boolean;
  /** How much was written so far. */
  readonly writes: number;
}

/** What else could have happened in a run, beside what the usual order says. */
export class Choices {
  readonly all: Deviation[] = [];
  /** Departures that are left out, because they swap events that have nothing to do with each other. */
  leftOut = 0;
  /** How much was written when a restart was last offered: the next one before a write leads to the same. */
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
    // Held at the last moment before it changes something, a call has read all that it is going to read.
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

/** A write that has not reached the server. Events and Leases only report. */
function isOfInterest({ kind, isWrite, about }: PendingEvent): boolean {
  return kind === 'request' && isWrite && !/^(?:events|leases)(?:\/|$)/.test(about);
}

/** Whether it makes no difference which of the two happens first. */
function commute(a: PendingEvent, b: PendingEvent): boolean {
  const [one, two] = [a.kind === 'request', b.kind === 'request'];
  // The server carries out one, and the operator learns of the other: each has a side of its own.
  if (one !== two) return true;
  if (!one) return false;
  if (!a.isWrite && !b.isWrite) return true;
  return !(
    a.about === b.about ||
    a.about.startsWith(`${b.about}/`) ||
    b.about.startsWith(`${a.about}/`)
  );
}
