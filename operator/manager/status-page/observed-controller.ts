import type { KeyState, TroubledSource } from '../../controller/run/key-state.ts';
import type { WaitingKey } from '../../controller/run/run-observer.ts';
import type { ControllerActivity } from '../../controller/run/runner.ts';
import type { ObjectKey } from '../../model/object.ts';

/** What the status page reads of a controller, from memory. */
export interface ObservedController {
  readonly activity: ControllerActivity;
  /** True when only the leader runs the controller. */
  readonly needsLeaderElection: boolean;
  /** The sources of the controller that have not received their first list, or whose last requests failed. */
  readonly troubledSources: readonly TroubledSource[];
  keyState(key: ObjectKey): KeyState;
  /** Every key that is waiting for an attempt, or is being reconciled. */
  waiting(): Iterable<WaitingKey>;
  /** The keys of the cached objects that the controller reconciles. */
  cachedKeys(): Iterable<ObjectKey>;
}
