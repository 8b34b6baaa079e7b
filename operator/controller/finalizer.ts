import type { KubernetesObject } from '../model/object.ts';
import type { ReconcileContext } from './reconciler.ts';

/** A cleanup that goes on: when to look again. */
export type Unfinished = { readonly requeueAfterMs: number };

/**
 * Cleaning up what Kubernetes does not know of, before an object of the controller goes.
 *
 * The toolkit adds the finalizer and sees it stored before the reconciler is called for the first
 * time; calls `finalize` instead of the reconciler once the object is being deleted; and removes the
 * finalizer when that has returned. `finalize` is called again, for ever and with the usual back-off,
 * until it returns, so it must be idempotent.
 */
export interface Finalizer<T extends KubernetesObject = KubernetesObject> {
  /** Qualified, `domain/name`. Never changed once objects carry it. */
  readonly name: string;
  /**
   * Returns when nothing is left. `{ requeueAfterMs }` instead says that the cleanup goes on elsewhere,
   * which is no failure: it is called again after so long, and when something changes. A method, so
   * that a finalizer of Deployments is a Finalizer.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a cleanup that returns nothing is the usual one
  finalize(object: T, context: ReconcileContext<T>): Promise<Unfinished | undefined | void>;
  /**
   * Gives up so long after `deletionTimestamp`, and removes the finalizer although the cleanup has not
   * succeeded: what it should have removed leaks. Default: never.
   */
  readonly forceFinalizeAfterMs?: number;
}
