import type { ObjectKey } from 'chancery';
import type { CommittedEvent, ResourceName } from '../../objects/stored-object.ts';

/** The events that concern a controller, and the keys that it reconciles after one. */
export interface WatchedResource {
  readonly resource: ResourceName;
  keysFor(event: CommittedEvent): Iterable<ObjectKey>;
}

/**
 * A level-triggered loop inside the server: it takes a key, looks at the cluster, and brings it
 * one step nearer to what the object of this key asks for.
 */
export interface WorkloadController {
  readonly watches: readonly WatchedResource[];
  /** Like `watches`, for a controller that looks at every resource, custom ones too. */
  readonly keysForAny?: (resource: ResourceName, event: CommittedEvent) => Iterable<ObjectKey>;
  /**
   * Must be idempotent, and must write nothing where nothing differs.
   *
   * @returns in how many milliseconds to look again although nothing happened, or undefined; `more`
   *   when a slice has changed something and the rest has to be done in the next turn.
   */
  reconcile(key: ObjectKey): Again;
}

/** When a controller wants to look at a key again. */
export type Again = number | 'more' | undefined;

/** The shortest of these waits, in milliseconds; waits that are over or endless do not count. */
export function earliest(waits: readonly (number | undefined)[]): number | undefined {
  const ahead = waits.filter((ms): ms is number => ms !== undefined && ms > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
