import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Change } from '../../store/change.ts';
import type { Log } from '../reconciler.ts';

/** The change of an object that a key is enqueued for. */
export interface Cause {
  /** Of the object that changed: the key's own, a child, or any other that a mapping knows. */
  readonly resource: Resource;
  readonly change: Change;
}

/** A write of an attempt that the API server has accepted. Dry runs and evictions are none. */
export interface AcceptedWrite {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly isDelete: boolean;
  /** False when the answer has the version that was known before: nothing was different. */
  readonly hasChanged: boolean;
  /** What the controller's caches had under this name before the write. */
  readonly before: readonly KubernetesObject[];
  /**
   * The object as the API server answered it. Undefined for a delete, and for a subresource whose
   * answer is another object, such as a Scale.
   */
  readonly answer: KubernetesObject | undefined;
}

/** The end of an attempt, before its key is put back. */
export interface AttemptOutcome {
  /** `aborted`: the process stops, or has lost its leadership. */
  readonly kind: 'success' | 'failed' | 'terminal' | 'conflict' | 'panic' | 'aborted';
  /** In milliseconds, where a successful reconcile has asked for the next one. */
  readonly requeueAfterMs?: number | undefined;
  /** The log of the attempt. */
  readonly log: Log;
  /** Records a Warning on the reconciled object, if it exists. */
  readonly warn: (reason: string, note: string) => void;
}

/**
 * Decides when a key may be reconciled. A controller asks its policies in a fixed order at each of
 * these moments; `keyPolicies` has the list. A policy keeps what it has to know for itself.
 */
export interface KeyPolicy {
  /** Called when the controller begins to work. */
  start?(): void;
  /** Called when the controller has ended. No timer and no listener may be left. */
  stop?(): void;
  /** A change has `key` enqueued. Called before `delayMs`. */
  changed?(key: ObjectKey, cause: Cause): void;
  /** Called before a worker takes a key. The worker waits for the promise and asks again. */
  pause?(): Promise<void> | undefined;
  /**
   * How many milliseconds `key` must still wait; 0 when it may run. `park`: the key runs no earlier
   * than the policy calls `resume` for it.
   */
  delayMs?(key: ObjectKey): number | 'park';
  /** An attempt of `key` begins. */
  started?(key: ObjectKey): void;
  /** The attempt of `key` that is under way has written. */
  wrote?(key: ObjectKey, write: AcceptedWrite): void;
  /** The attempt of `key` has ended. Called before `delayMs` says when the key may run again. */
  finished?(key: ObjectKey, outcome: AttemptOutcome): void;
}
