import type { StorageSnapshot } from '../../apiserver/storage/snapshot.ts';
import type { Checks } from '../invariants/checks.ts';
import type { Violation } from '../invariants/violation.ts';
import type { Finding, Scenario } from '../scenario/scenario.ts';
import type { Deviation, Schedule } from '../scenario/schedule.ts';

/** How a run went. */
export interface SimulationResult {
  readonly steps: readonly Step[];
  /** What did not hold, first of all. */
  readonly violation: Violation | undefined;
  /** What else could have happened at the steps after the last deviation. */
  readonly choices: readonly Deviation[];
  /** Departures that are left out, because they swap events that have nothing to do with each other. */
  readonly leftOut: number;
  /** It ended because a state was reached that had been there before. */
  readonly isCut: boolean;
  /** The stored objects at rest, see `StoredState.comparable`. Undefined when the run ended before. */
  readonly end: ReadonlyMap<string, readonly string[]> | undefined;
  readonly findings: readonly Finding[];
}

/** One event of a run, and what followed from it. */
export interface Step {
  readonly index: number;
  readonly atMs: number;
  /** Such as `delivery watch websites`, `change: a person scales demo` or `restart`. */
  readonly what: string;
  /** Set where the schedule departs from the usual order before this event. */
  readonly deviation: Deviation | undefined;
  /** What the operator did then, and what was written. */
  readonly notes: readonly string[];
}

export interface SimulationOptions {
  readonly scenario: Scenario;
  readonly base: StorageSnapshot;
  readonly schedule: Schedule;
  readonly checks: Checks;
  /** Asked where no reconcile runs, after the last deviation: true ends the run. Default: never. */
  readonly isKnown?: (digest: string) => boolean;
}
