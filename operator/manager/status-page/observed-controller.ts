import type { KeyState, TroubledSource } from '../../controller/run/key-state.ts';
import type { WaitingKey } from '../../controller/run/run-observer.ts';
import type { ControllerActivity } from '../../controller/run/runner.ts';
import type { ObjectKey } from '../../model/object.ts';

/** What the status page reads of a controller, from memory. */
export interface ObservedController {
  readonly activity: ControllerActivity;
  /** True when only the leader runs it. */
  readonly needsLeaderElection: boolean;
  /** Its sources that have no first list, or whose last requests failed. */
  readonly troubledSources: readonly TroubledSource[];
  keyState(key: ObjectKey): KeyState;
  /** Every key that waits for an attempt, or has one. */
  waiting(): Iterable<WaitingKey>;
  /** The keys of the cached objects that it reconciles. */
  cachedKeys(): Iterable<ObjectKey>;
}
