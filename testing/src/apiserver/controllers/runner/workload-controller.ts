import type { ObjectKey } from 'chancery';
import type { CommittedEvent, ResourceName } from '../../objects/stored-object.ts';

/**
 * A resource that a controller watches. `keysFor` returns the keys that the controller reconciles after an
 * event.
 */
export interface WatchedResource {
  readonly resource: ResourceName;
  keysFor(event: CommittedEvent): Iterable<ObjectKey>;
}

/**
 * A level-triggered loop inside the server. It takes a key, reads the cluster, and brings the
 * cluster one step closer to the desired state of the key's object.
 */
export interface WorkloadController {
  readonly watches: readonly WatchedResource[];
  /** Like `watches`, for a controller that watches every resource, including custom resources. */
  readonly keysForAny?: (resource: ResourceName, event: CommittedEvent) => Iterable<ObjectKey>;
  /**
   * Reconciles one key. This function must be idempotent, and must write only differences.
   *
   * @returns the milliseconds after which to reconcile again without an event, or undefined; `more` when a
   * slice has changed something, and the reconcile must continue in the next turn.
   */
  reconcile(key: ObjectKey): Again;
}

/** The time until a controller wants to reconcile a key again. */
export type Again = number | 'more' | undefined;

/**
 * The shortest time in `waits`, in milliseconds. Times that are not positive, and undefined, are ignored.
 */
export function earliest(waits: readonly (number | undefined)[]): number | undefined {
  const ahead = waits.filter((ms): ms is number => ms !== undefined && ms > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
