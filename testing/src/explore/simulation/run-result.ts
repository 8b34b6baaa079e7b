import type { StorageSnapshot } from '../../apiserver/storage/snapshot.ts';
import type { Checks } from '../invariants/checks.ts';
import type { Violation } from '../invariants/violation.ts';
import type { Finding, Scenario } from '../scenario/scenario.ts';
import type { Deviation, Schedule } from '../scenario/schedule.ts';

/** The result of a run. */
export interface SimulationResult {
  readonly steps: readonly Step[];
  /** The first violation. */
  readonly violation: Violation | undefined;
  /** The deviations that were possible after the last deviation of the schedule. */
  readonly choices: readonly Deviation[];
  /** The number of deviations that are skipped, because they only swap independent events. */
  readonly leftOut: number;
  /** True if the run ended because it reached a state of an earlier run. */
  readonly isCut: boolean;
  /**
   * The stored objects at rest, see `StoredState.comparable`. Undefined if the run ended earlier.
   */
  readonly end: ReadonlyMap<string, readonly string[]> | undefined;
  readonly findings: readonly Finding[];
}

/** One event of a run, and its effects. */
export interface Step {
  readonly index: number;
  readonly atMs: number;
  /** What happened, such as `delivery watch websites`, `change: a person scales demo` or `restart`. */
  readonly what: string;
  /** Set if the schedule deviates from the usual order before this event. */
  readonly deviation: Deviation | undefined;
  /** The operator's actions and the writes that followed. */
  readonly notes: readonly string[];
}

export interface SimulationOptions {
  readonly scenario: Scenario;
  readonly base: StorageSnapshot;
  readonly schedule: Schedule;
  readonly checks: Checks;
  /**
   * Called after the last deviation, whenever no reconcile is running. True ends the run early. If
   * omitted, no run ends early.
   */
  readonly isKnown?: (digest: string) => boolean;
}
