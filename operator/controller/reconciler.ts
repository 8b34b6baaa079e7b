import type { Client } from '../client/client.ts';
import type { Clock } from '../core/clock.ts';
import type { Condition } from '../model/condition.ts';
import type { KubernetesObject, ObjectKey, ObjectMeta } from '../model/object.ts';
import type { Refusal } from '../model/refusal.ts';
import type { Resource } from '../model/resource.ts';
import type { Store } from '../store/store.ts';
import type { EventRecorder } from './events/event-recorder.ts';
import type { Source } from './source.ts';

/**
 * Reconcile again when a write that the API server refused may be accepted, or after a change, or after
 * `requeueAfterMs` milliseconds if that is earlier. `retryRefused` makes it of an error, and says when.
 */
export interface RefusedResult {
  /** Which kind of refusal it was: it decides when the key is reconciled again. */
  readonly refusal: Refusal;
  /** Milliseconds after which the key is reconciled again at the latest. Default: as the refusal says. */
  readonly requeueAfterMs?: number | undefined;
}

/** What the controller does after a successful reconcile. */
export type Result =
  /**
   * Reconcile this key again after so long, or earlier when something changes; 0 is at once. Who asks
   * for less than 100 ms more than a hundred times in a row waits longer and longer, up to a second.
   * `priority` is a whole number, higher first; default -100, behind everything that somebody changed.
   */
  | {
      readonly requeueAfterMs: number;
      readonly priority?: number;
      readonly refusal?: undefined;
    }
  /** Wait for the next event. Safe because every relist that finds a difference enqueues the key. */
  | {
      readonly requeueAfterMs?: undefined;
      readonly refusal?: undefined;
    }
  | RefusedResult;

/** Wait for the next change of the object, or of what its controller owns or watches. */
export const AWAIT_CHANGE: Result = Object.freeze({});

/** A logger that is bound to one piece of work. Messages are constant; facts are fields. */
export interface Log {
  /** For developers; not shown by default. */
  debug(fields: object, message: string): void;
  /** What happened, in normal operation. */
  info(fields: object, message: string): void;
  /** What a person should look at. */
  warn(fields: object, message: string): void;
  /** What failed, and needs a person. */
  error(fields: object, message: string): void;
}

/** Who this process is in the cluster, from the Downward API. Unknown parts are undefined. */
export interface Self {
  /** From `POD_NAMESPACE`. */
  readonly namespace: string | undefined;
  /** From `POD_NAME`. */
  readonly podName: string | undefined;
}

/**
 * What a reconciler wants an object to be: the fields that it decides. Type, kind and namespace follow
 * from the resource and the owner; what it does not name is left to others.
 */
export type Desired<T extends KubernetesObject> = Omit<
  T,
  'apiVersion' | 'kind' | 'metadata' | 'status'
> & {
  readonly metadata: Partial<Omit<ObjectMeta, 'ownerReferences' | 'managedFields'>>;
};

/** A condition as a reconciler states it; the toolkit knows the rest. */
export type DesiredCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** The status that a reconciler states: conditions by what they say, `observedGeneration` left out. */
export type DesiredStatus<T extends KubernetesObject> = Omit<
  T extends { readonly status?: infer S }
    ? Exclude<S, undefined>
    : Readonly<Record<string, unknown>>,
  'conditions' | 'observedGeneration'
> & { readonly conditions?: readonly DesiredCondition[] };

/** How `applyOwned` treats a child that others have, or had, a hand in. */
export interface ApplyOwnedOptions {
  /** Take a child that has no controller, if the reconciled object is still there. Default false. */
  readonly adopt?: boolean;
  /**
   * Take the stated fields over from other managers. Default true for a child that is ours, because
   * its controller is who decides them, and false for one that is only now adopted: whoever made it
   * may have meant it. A refusal is an ApiError that `isApplyConflict` recognises.
   */
  readonly force?: boolean;
  /**
   * Field managers that this controller takes the place of: its own earlier names, or the operator that
   * it replaces. What they have stated, and this apply does not, is removed. They must not write any
   * more.
   */
  readonly formerManagers?: readonly string[];
}

/** How `deleteOwned` deletes. */
export interface DeleteOwnedOptions {
  /** What becomes of the child's own children. Default `Background`: they go after it. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

/**
 * What a reconciler works with: the caches of its controller, a client, and the writes that reconcilers
 * make. Each attempt has one of its own.
 */
export interface ReconcileContext<T extends KubernetesObject = KubernetesObject> {
  /**
   * Aborts when the process stops or loses its leadership, and when the reconcile takes longer than
   * `reconcileTimeoutMs`.
   */
  readonly signal: AbortSignal;
  /** Bound to the controller, the key and a fresh `reconcileId`. */
  readonly log: Log;
  /** Failures in a row of this key before this attempt. */
  readonly attempt: number;
  /**
   * Of this attempt: 0 after a change; -100 after a first list, a resync or a poll, and for what a
   * relist has found changed.
   */
  readonly priority: number;
  /**
   * Live, past the cache; its calls abort with `signal` when they are given none. What it writes is
   * seen by `store` at once: see `ControllerOptions.consistency`.
   */
  readonly client: Client;
  /** The process's time. `clock.now()` is wall time in milliseconds since 1970. */
  readonly clock: Clock;
  /** Records Events about any object; `event` is for the reconciled one. */
  readonly events: EventRecorder;
  /** Namespace and name of the operator's own Pod. */
  readonly self: Self;
  /**
   * The cache of one of the controller's own sources.
   *
   * @throws ConfigurationError `CONFIG` when the controller does not declare `source`.
   */
  store<S extends KubernetesObject>(source: Source<S> | Resource<S>): Store<S>;
  /**
   * Makes a child of the reconciled object what `child` says, by server-side apply: created when it is
   * absent, changed where it differs, and not written when it does not. A field that was stated before
   * and is not any more is removed. The child gets the object as its controller, and its namespace
   * unless it names one. Resolves to the child as it is then, as far as is known.
   *
   * A child of that name that is somebody else's is left alone: one with another controller always,
   * one with none unless `adopt`. One that was deleted is not brought back by a cache that is late.
   * With `generateName` and no name it is created each time: look into the store first.
   *
   * Name the resource in the controller's `owns`: the child is then read from the cache, and otherwise
   * with a request each time.
   *
   * @throws OperatorError `USER_CODE` when there is no reconciled object to be its owner, or the API
   *   would not take the owner (another namespace, or a namespaced owner of a cluster-scoped child).
   * @throws AlreadyOwnedError when the child has another controller, or none and is not adopted. Of a
   *   resource in `owns` the key is reconciled again when that changes, be the error let through or not.
   * @throws BeingDeletedError when the child is being deleted: the same; or the owner of one that is to
   *   be adopted.
   * @throws ApiError as the server refuses; `isUidMismatch` when the child is gone: let it through.
   */
  applyOwned<C extends KubernetesObject>(
    resource: Resource<C>,
    child: Desired<C>,
    options?: ApplyOwnedOptions,
  ): Promise<C>;
  /**
   * Deletes the child of that name, if the reconciled object is its controller: this very child, and
   * none that somebody makes under its name meanwhile. Reads as `applyOwned` does, and does not wait
   * until the child is gone. The right to `delete` must be among the controller's `permissions`.
   *
   * @param child - its name; the namespace is that of the reconciled object unless it names one.
   * @returns true when the server has accepted; false when there is no such child, it is being deleted
   *   already, or it is somebody else's, which is left alone.
   * @throws OperatorError `USER_CODE` when there is no reconciled object.
   * @throws ApiError as the server refuses. A child that is gone meanwhile is no error.
   */
  deleteOwned(
    resource: Resource,
    child: { readonly name: string; readonly namespace?: string },
    options?: DeleteOwnedOptions,
  ): Promise<boolean>;
  /**
   * States the status of the reconciled object, and writes it, by server-side apply to the status
   * subresource, where it differs from what is there. What an earlier call has stated and this one
   * does not is removed, conditions included; what other writers have set stays. For that the
   * definition must say that conditions are a map by `type`, as those of `customResource` do.
   *
   * `observedGeneration` is the generation that this attempt was given, and a condition keeps its
   * `lastTransitionTime` while its status stays. Again in the same attempt it compares with what it
   * wrote last.
   *
   * Resolves to true when it has changed the status: the moment for an Event. To false when nothing
   * differed, and when the object is gone, which is no error.
   *
   * @throws OperatorError `USER_CODE` for a condition that the API would refuse, and when there is no
   *   reconciled object.
   * @throws NoStatusSubresourceError `CONFIG` when the installed definition does not declare it.
   * @throws ApiError as the server refuses; `isUndeclaredField` when the installed definition does not
   *   know a field.
   */
  setStatus(status: DesiredStatus<T>): Promise<boolean>;
  /**
   * Records an Event about the reconciled object.
   *
   * @param note - a sentence for people.
   * @param action - CamelCase: what was done. Default `Reconcile`.
   */
  event(type: 'Normal' | 'Warning', reason: string, note: string, action?: string): void;
}

/**
 * Makes the world match one object. Level-triggered: it is told which object, never what happened.
 *
 * Must be idempotent. Throw to retry with back-off; return to say when to look again. Two calls for
 * one key never overlap.
 *
 * @param object - the cached object, or undefined when it no longer exists. Shared: do not change it.
 */
export type Reconciler<T extends KubernetesObject> = (
  key: ObjectKey,
  object: T | undefined,
  context: ReconcileContext<T>,
) => Promise<Result>;
