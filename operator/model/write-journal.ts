import type { KubernetesObject } from './object.ts';
import type { Resource } from './resource.ts';

/** The name of an object to write, as far as it is known before the write. */
export interface WriteTarget {
  readonly namespace?: string | undefined;
  /** Undefined if the server generates the name. */
  readonly name?: string | undefined;
}

/** A write under way. Call one of the methods once, when the write has succeeded. */
export interface PendingWrite {
  /** The server answered with the whole object. */
  wrote(object: KubernetesObject): void;
  /** The server accepted a delete. @param uid - from the precondition, if the call had one. */
  deleted(uid?: string): void;
}

/** Records writes: before they are sent, and when they have succeeded. */
export interface WriteJournal {
  begin(resource: Resource, target: WriteTarget): PendingWrite;
}
