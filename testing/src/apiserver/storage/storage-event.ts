import type { ObjectKey } from 'chancery';
import type { CommittedEvent, ResourceName } from '../objects/stored-object.ts';

/** A committed event, with its position in the order of all events. */
export interface StorageEvent extends CommittedEvent {
  readonly revision: number;
  readonly key: ObjectKey;
  /** The time of the commit on the monotonic clock. */
  readonly atMs: number;
}

export type StorageListener = (resource: ResourceName, event: StorageEvent) => void;
