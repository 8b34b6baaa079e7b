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
 * Reconcile the key again after a change, when the server may accept the refused write, or after
 * `requeueAfterMs`, whichever comes first. `retryRefused` creates this Outcome from an error, and documents
 * the delays.
 */
export interface RefusedResult {
  /** The kind of refusal, which decides when the key is reconciled again. */
  readonly refusal: Refusal;
  /** Maximum milliseconds until the key is reconciled again. Default: depends on the refusal. */
  readonly requeueAfterMs?: number | undefined;
}

/**
 * When the controller reconciles the object again after a successful reconcile.
 *
 * If nothing is returned, the object is reconciled after its next change, or the next change of an object
 * that its controller owns or watches. No change is missed, because every relist that finds a difference
 * enqueues the key.
 */
export type Outcome =
  // biome-ignore lint/suspicious/noConfusingVoidType: a reconciler that returns nothing is the usual one
  | void
  /**
   * After `requeueAfterMs` milliseconds, or earlier if something changes. 0 means at once; undefined means
   * only after a change. If less than 100 ms are requested for a key more than a hundred times in a row, the
   * key is delayed, by up to one second. `priority` is a whole number; higher numbers come first. Default
   * -100, which is after every key that changed.
   */
  | { readonly requeueAfterMs: number | undefined; readonly priority?: number }
  | RefusedResult;

/**
 * A logger for one task; the facts of the task are in every line. Messages are constant, and facts are
 * fields.
 */
export interface Log {
  /** For developers. By default such lines are not logged. */
  debug(fields: object, message: string): void;
  /** A state change in normal operation. */
  info(fields: object, message: string): void;
  /** A problem that a person should check. */
  warn(fields: object, message: string): void;
  /** A failure that needs action by a person. */
  error(fields: object, message: string): void;
}

/** The identity of this process in the cluster, from the Downward API. Unknown members are undefined. */
export interface Self {
  /** From `POD_NAMESPACE`. */
  readonly namespace: string | undefined;
  /** From `POD_NAME`. */
  readonly podName: string | undefined;
}

/**
 * The desired state of an object: the fields that the reconciler decides. `apiVersion`, `kind` and the
 * namespace follow from the resource and the owner. Other writers may set omitted fields.
 */
export type Desired<T extends KubernetesObject> = Omit<
  T,
  'apiVersion' | 'kind' | 'metadata' | 'status'
> & {
  readonly metadata: Partial<Omit<ObjectMeta, 'ownerReferences' | 'managedFields'>>;
};

/** A condition as a reconciler sets it. The toolkit adds the other fields. */
export type DesiredCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** The status as a reconciler sets it. The toolkit adds `observedGeneration`, and the times of conditions. */
export type DesiredStatus<T extends KubernetesObject> = Omit<
  T extends { readonly status?: infer S }
    ? Exclude<S, undefined>
    : Readonly<Record<string, unknown>>,
  'conditions' | 'observedGeneration'
> & { readonly conditions?: readonly DesiredCondition[] };

/** Options for a child that another writer has changed or created. */
export interface ApplyOwnedOptions {
  /**
   * If true, adopts a child that has no controller, provided that the reconciled object still
   * exists. Default false.
   */
  readonly adopt?: boolean;
  /**
   * If true, takes over the fields in `child` from other field managers. Default true for a child that the
   * object already controls, because its controller decides these fields. Default false for a child that is
   * adopted by this call, because its creator may need its own values. A refusal is an ApiError for which
   * `isApplyConflict` is true.
   */
  readonly force?: boolean;
  /**
   * Field managers that this controller replaces: its own earlier names, or the name of another operator.
   * Fields that those managers applied and that are missing in this apply are removed. Those managers must no
   * longer write.
   */
  readonly formerManagers?: readonly string[];
}

/** Options for the deletion of a child with `deleteOwned`. */
export interface DeleteOwnedOptions {
  /** What happens to the children of the child. Default `Background`: they are deleted after the child. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

/**
 * The tools of a reconciler: the caches of its controller, a client, and methods for the usual writes. Each
 * attempt gets its own context.
 */
export interface ReconcileContext<T extends KubernetesObject = KubernetesObject> {
  /** Namespace and name of the reconciled object, as one string; see `splitKey`. */
  readonly key: ObjectKey;
  /**
   * Aborts when the process stops, when it loses its leadership, or when the reconcile takes longer than
   * `reconcileTimeoutMs`.
   */
  readonly signal: AbortSignal;
  /** A logger with the controller, the key and a fresh `reconcileId` in every line. */
  readonly log: Log;
  /** Number of failures of this key in a row before this attempt. */
  readonly attempt: number;
  /**
   * Priority of this attempt: 0 after a change; -100 after a first list, a resync, a poll, or a change that
   * only a relist found.
   */
  readonly priority: number;
  /**
   * Calls the API server directly, not the cache. A call for which you set no signal aborts with `signal`.
   * Reads from `store` contain the writes of `client` at once, see `ControllerOptions.consistency`.
   */
  readonly client: Client;
  /** The clock of the process. `clock.now()` is wall time in milliseconds since 1970. */
  readonly clock: Clock;
  /** Records Events about any object; `event` records Events about the reconciled object. */
  readonly events: EventRecorder;
  /** Namespace and name of the operator's own Pod. */
  readonly self: Self;
  /**
   * True in `chancery run --dry-run`. The API server then stores no write of `client` or of the methods
   * below. Other effects are not prevented: check `dryRun` before a request to another service, or before a
   * file is written.
   */
  readonly dryRun: boolean;
  /**
   * The cache of one of the controller's own sources.
   *
   * @throws ConfigurationError `CONFIG` when the controller does not declare `source`.
   */
  store<S extends KubernetesObject>(source: Source<S> | Resource<S>): Store<S>;
  /**
   * Makes a child of the reconciled object match `child`, by server-side apply. A missing child is created, a
   * child that differs is changed, and a child that matches is not written. A field that an earlier call set
   * and that is missing in this call is removed. The reconciled object becomes the child's controller. The
   * child gets the namespace of the object unless `child` contains another one. Resolves to the latest known
   * child.
   *
   * Fields of other writers stay, except keys in a map that the server replaces as a whole, such as a label
   * selector or a `nodeSelector`.
   *
   * An existing object with the child's name is never changed if it has another controller. If it has no
   * controller, it is only changed if `adopt` is set. A cache that lags behind does not cause a deleted child
   * to be created again. With `generateName` and no name, every call creates a child, so search the store
   * first.
   *
   * Add the resource to the controller's `owns`, with a source that selects the child. Then the child is read
   * from the cache; otherwise every call reads it with a request. If the resource is not in `owns`, `watches`
   * or `permissions`, the child is written if the API server allows it, and one warning is logged.
   *
   * Each field is sent under the name by which the server stores it: `stringData` of a Secret as `data`.
   *
   * @throws TerminalError `USER_CODE` when `owns` has sources of the resource, and none selects the child. In
   *   this case nothing is sent, unless the API server itself has removed a label.
   * @throws OperatorError `USER_CODE` when there is no reconciled object to own the child, or when the API
   *   does not accept the owner (another namespace, or a namespaced owner of a cluster-scoped child). Also
   *   when two items of a list in the child have the same key, because no change of such a child would ever
   *   be accepted.
   * @throws AlreadyOwnedError when the child has another controller, or has none and is not adopted. If the
   *   resource is in `owns`, the key is reconciled again when the controller of that object changes, even if
   *   you catch the error.
   * @throws BeingDeletedError when the child is being deleted, or when it would be adopted by a reconciled
   *   object that is gone or being deleted. The key is then reconciled again as for AlreadyOwnedError.
   * @throws ApiError when the server refuses. `isUidMismatch` means that the child is gone: do not catch it.
   *   When the attempt fails with an error that does not go away by itself, the reconciled object gets a
   *   Warning Event `ChildRefused`.
   */
  applyOwned<C extends KubernetesObject>(
    resource: Resource<C>,
    child: Desired<C>,
    options?: ApplyOwnedOptions,
  ): Promise<C>;
  /**
   * Deletes the child with the given name if the reconciled object is its controller. The request contains
   * the uid of this child, so that a new object with the same name is not deleted. The child is read as in
   * `applyOwned`. The call does not wait until the child is gone. The controller's `permissions` must include
   * `delete`.
   *
   * @param child - the name of the child. If it has no namespace, the namespace of the reconciled object is
   *   used.
   * @returns true when the server has accepted the delete; false when the child does not exist, is already
   *   being deleted, or has another controller or none.
   * @throws OperatorError `USER_CODE` when there is no reconciled object.
   * @throws ApiError when the server refuses. If the child is already gone, that is not an error.
   */
  deleteOwned(
    resource: Resource,
    child: { readonly name: string; readonly namespace?: string },
    options?: DeleteOwnedOptions,
  ): Promise<boolean>;
  /**
   * Writes the status of the reconciled object where it differs, by server-side apply to the status
   * subresource. A field or condition that an earlier call set and that is missing in this call is removed.
   * Fields and conditions of other writers stay, even in a map that this call does not set. They also stay if
   * the definition declares the list of conditions as atomic: the toolkit then merges the list by `type`. If
   * a write could lose data of other writers, it contains the resourceVersion on which it is based.
   *
   * `observedGeneration` is the generation of the object that this attempt received. A condition keeps its
   * `lastTransitionTime` while its `status` stays the same. If the installed definition lacks one of these
   * fields, the field is omitted. It is tried again with the next change of the status, and after 60 minutes
   * with any call. A second call in one attempt compares with the status that the first call wrote.
   *
   * Resolves to true when the status was changed. That is a good moment to record an Event. Resolves to false
   * when nothing differs, and when the object is gone, which is not an error.
   *
   * @throws OperatorError `USER_CODE` for a condition that the API would refuse, and when there is no
   *   reconciled object.
   * @throws NoStatusSubresourceError `CONFIG` when the installed definition does not declare the status
   *   subresource.
   * @throws ApiError when the server refuses; `isUndeclaredField` when the installed definition does not
   *   declare a field.
   */
  setStatus(status: DesiredStatus<T>): Promise<boolean>;
  /**
   * Records an Event about the reconciled object.
   *
   * @param note - a human-readable sentence.
   * @param action - what was done, in CamelCase. Default `Reconcile`.
   */
  event(type: 'Normal' | 'Warning', reason: string, note: string, action?: string): void;
}

/**
 * Makes the cluster, or any other system, match the desired state in one object. A reconciler is
 * level-triggered: it receives the object, never the change that happened.
 *
 * It must be idempotent. Throw to retry with back-off; return to say when to reconcile again. Two calls for
 * one key never overlap.
 *
 * @param object - the cached object. It is shared: do not change it.
 */
export type Reconciler<T extends KubernetesObject> = (
  object: T,
  context: ReconcileContext<T>,
) => Outcome | Promise<Outcome>;

/** The tools of `gone`: the tools of a reconciler that need no object. */
export type GoneContext = Omit<
  ReconcileContext,
  'applyOwned' | 'deleteOwned' | 'setStatus' | 'event'
>;
