import type { KubernetesObject } from './object.ts';
import type { Resource } from './resource.ts';

/** Identifies the object of a write, as far as its name is known before the write. */
export interface WriteTarget {
  readonly namespace?: string | undefined;
  /** Undefined if the server generates the name. */
  readonly name?: string | undefined;
}

/** A write that has begun. Call one of its methods once, when the write has succeeded. */
export interface PendingWrite {
  /** Call this when the server has answered with the whole object. */
  wrote(object: KubernetesObject): void;
  /**
   * Call this when the server has accepted a delete.
   *
   * @param uid - the uid of the precondition, if the call had one.
   */
  deleted(uid?: string): void;
}

/** Records writes, before they are sent and when they have succeeded. */
export interface WriteJournal {
  begin(resource: Resource, target: WriteTarget): PendingWrite;
}
