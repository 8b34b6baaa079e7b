import type { Alarm } from 'chancery/internal-testing';
import type { Deviation } from '../scenario/schedule.ts';
import { DELAY_MS } from './choices.ts';
import type { PendingEvents } from './pending-events.ts';
import type { AlarmOwner, ScenarioClock } from './scenario-clock.ts';

/**
 * The kinds of deviations that only hold events back. After such a deviation, a different event happens at
 * the same step.
 */
const HOLDS: ReadonlySet<Deviation['act']> = new Set(['hold', 'delay', 'late']);

export interface ScheduleProgressOptions {
  /** The deviations of the schedule, ordered by their steps. */
  readonly deviations: readonly Deviation[];
  readonly clock: ScenarioClock;
  readonly pending: PendingEvents;
  /** Returns the timer that late events have to wait for. */
  readonly later: () => Alarm<AlarmOwner> | undefined;
  /** Called when a delay has ended, if events were waiting for this. */
  readonly released: () => void;
}

/** The progress of a run in its schedule. This class also makes the deviations that hold events back. */
export class ScheduleProgress {
  readonly #options: ScheduleProgressOptions;
  readonly #lastStep: number;
  /** The number of deviations made so far. */
  #made = 0;
  /** The timer that must fire before delayed events happen. */
  #awaited: Alarm<AlarmOwner> | undefined;
  /** A deviation that holds events back. It is recorded together with the next event. */
  #heldBack: Deviation | undefined;

  constructor(options: ScheduleProgressOptions) {
    this.#options = options;
    this.#lastStep = options.deviations.at(-1)?.step ?? -1;
  }

  /** True when `step` comes after all deviations. */
  isOver(step: number): boolean {
    return step > this.#lastStep;
  }

  /** True until the timer has fired that late events wait for. */
  get isLate(): boolean {
    return this.#awaited !== undefined && this.#options.clock.waits(this.#awaited);
  }

  /**
   * The next deviation at this step. Deviations that hold events back are made at once, and not
   * returned.
   */
  due(step: number): Deviation | undefined {
    for (;;) {
      const next = this.#options.deviations[this.#made];
      if (next === undefined || next.step > step) return undefined;
      this.#made++;
      if (!HOLDS.has(next.act)) return next;
      this.#hold(next);
      this.#heldBack = next;
    }
  }

  /** The deviation that has held events back since the last call. */
  takeHeldBack(): Deviation | undefined {
    const heldBack = this.#heldBack;
    this.#heldBack = undefined;
    return heldBack;
  }

  #hold({ act, target }: Deviation): void {
    const { clock, pending, later, released } = this.#options;
    if (act === 'late') this.#awaited = later();
    if (act !== 'delay') {
      if (target !== '') pending.hold(target, 'rest');
      return;
    }
    pending.hold(target, clock.monotonic() + DELAY_MS);
    clock.schedule(DELAY_MS, () => {
      if (pending.releaseAt(clock.monotonic())) released();
    });
  }
}
