import type { KubernetesObject } from './object.ts';
import type { Resource } from './resource.ts';

/** The name of an object that is written, as far as it is known before the write. */
export interface WriteTarget {
  readonly namespace?: string | undefined;
  /** Undefined for an object whose name the server makes up. */
  readonly name?: string | undefined;
}

/** A write under way. One of the methods is called, once, when the write has succeeded. */
export interface PendingWrite {
  /** The server answered with the whole object. */
  wrote(object: KubernetesObject): void;
  /** The server accepted a delete. @param uid - that of the precondition, where the call had one. */
  deleted(uid?: string): void;
}

/** Is told of writes: before they are sent, and when they have succeeded. */
export interface WriteJournal {
  begin(resource: Resource, target: WriteTarget): PendingWrite;
}
