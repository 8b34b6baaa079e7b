import type { KubernetesObject, Target } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';

/** Options of every call. */
export interface CallOptions {
  /**
   * Aborts the call. Default for the client of a `ReconcileContext`: the signal of the reconcile. Other
   * clients have no default signal; their calls end within the time limit of the transport.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Which objects to list. Default: all. */
export interface ListOptions extends CallOptions {
  /** Default: the objects of all namespaces. */
  readonly namespace?: string | undefined;
  /** A label selector, not URL-encoded. An empty selector selects everything, as in the API. */
  readonly labelSelector?: string;
  /** A field selector such as `metadata.name=a`. The allowed fields depend on the resource. */
  readonly fieldSelector?: string;
}

/** How a write is made. Each option has a default. */
export interface WriteOptions extends CallOptions {
  /**
   * The subresource that is written, for example `status` or `scale`. Default: the object itself is written.
   */
  readonly subresource?: string;
  /** If true, the server validates the write and answers as usual, but stores nothing. Default false. */
  readonly dryRun?: boolean;
  /**
   * The writer's name in `metadata.managedFields`. Default: the name of the client. Each name is a separate
   * owner.
   */
  readonly fieldManager?: string;
}

/** How an object is applied. */
export interface ApplyOptions extends WriteOptions {
  /** If true, takes over fields from other managers. Default false: a conflict is an ApiError 409. */
  readonly force?: boolean;
}

/** The options of a call that replaces an object. */
export interface UpdateOptions extends WriteOptions {
  /**
   * True to overwrite the object, whatever its version is. Default false: `metadata.resourceVersion` must be
   * the current version.
   */
  readonly force?: boolean;
}

/** How an object is deleted. Each option has a default. */
export interface DeleteOptions extends CallOptions {
  /**
   * If given, the object is deleted only if it has this uid and this resourceVersion; otherwise the answer is
   * 409.
   */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  /**
   * What happens to the object's children. Default: the server's default, usually `Background`: the children
   * are deleted after the object.
   */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /**
   * Whole seconds that a Pod may take to end. Default: the grace period of the Pod. 0 ends the Pod at once.
   */
  readonly gracePeriodSeconds?: number;
  /** If true, the server validates the delete and answers as usual, but removes nothing. Default false. */
  readonly dryRun?: boolean;
}

/** How a Pod is evicted. */
export interface EvictOptions extends CallOptions {
  /**
   * If given, the Pod is evicted only if it has this uid and this resourceVersion; otherwise the answer is
   * 409.
   */
  readonly preconditions?: DeleteOptions['preconditions'];
  /** If true, the server only checks the disruption budgets, but evicts nothing. Default false. */
  readonly dryRun?: boolean;
}

/** An object with the `resourceVersion` that was read, which an update requires. */
export type Versioned<T extends KubernetesObject> = T & {
  readonly metadata: { readonly resourceVersion: string };
};

/** An object as the API server stores it, with uid and version. */
export type Stored<T extends KubernetesObject> = Versioned<T> & {
  readonly metadata: { readonly uid: string };
};

/** A patch and its format. */
export type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] };

/** One operation of a JSON patch (RFC 6902). Paths are JSON pointers. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/**
 * Reads from the API server, bypassing every cache. `get` and `find` are quorum reads: they send no
 * resourceVersion, so the answer includes every write that was acknowledged before they began. Use them if
 * you are about to destroy something because an object is absent or being deleted.
 *
 * @throws ApiError when the server refuses.
 * @throws AmbassadorError when no complete answer arrives.
 * @throws ProtocolError when the answer is not allowed by the API.
 */
export interface Reader {
  /**
   * The object. If it does not exist, rejects with an ApiError that `isNotFound` recognises. If the resource
   * is not served, rejects with an ApiError that `isUnserved` recognises.
   */
  get<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    options?: CallOptions,
  ): Promise<Stored<T>>;
  /** Like `get`, but undefined when the object does not exist. */
  find<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    options?: CallOptions,
  ): Promise<Stored<T> | undefined>;
  /** Every object, over all pages. Each has `apiVersion` and `kind`. */
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options?: ListOptions,
  ): Promise<readonly Stored<T>[]>;
}

/**
 * Writes to the API server, under one field manager. Throws the same errors as `Reader`. After an
 * AmbassadorError with `fate: 'unknown'` the write may have been carried out.
 */
export interface Writer {
  /** Creates the object. If its name is taken, rejects with an ApiError that `isAlreadyExists` recognises. */
  create<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions,
  ): Promise<T>;
  /**
   * Server-side apply: creates the object, or makes the field manager the owner of the fields of `object`. If
   * another manager owns one of these fields with another value, the call changes nothing and fails with an
   * ApiError that `isApplyConflict` recognises, unless `force` is true. If the object was deleted since it
   * was read, `apply` creates it again; `applyExisting` does not.
   */
  apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options?: ApplyOptions,
  ): Promise<T>;
  /**
   * Server-side apply to the object whose uid is `metadata.uid`. If that object is gone, or another object
   * has its name, the call changes nothing and fails with an ApiError that `isUidMismatch` recognises.
   *
   * @throws OperatorError `USER_CODE` without `metadata.uid`.
   */
  applyExisting<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options?: ApplyOptions,
  ): Promise<T>;
  /**
   * Replaces the whole object. `metadata.resourceVersion` guards against lost updates: if the object has
   * changed since, the call fails with an ApiError that `isConflict` recognises. `force` sends no
   * version: use it only where no other program writes the object. The API server refuses it for custom
   * resources.
   *
   * @throws OperatorError `USER_CODE` without `metadata.resourceVersion` and `force`.
   */
  update<T extends KubernetesObject>(
    resource: Resource<T>,
    object: Versioned<NoInfer<T>>,
    options?: UpdateOptions,
  ): Promise<T>;
  /** Like `update`, but without checking the version: the last write wins. */
  update<T extends KubernetesObject>(
    resource: Resource<T>,
    object: NoInfer<T>,
    options: UpdateOptions & { readonly force: true },
  ): Promise<T>;
  /**
   * Changes the object by a merge, strategic or JSON patch. Custom resources do not support
   * strategic patches.
   */
  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /**
   * Resolves when the server has accepted the request. Because of finalizers and grace periods, the object
   * may exist for longer.
   */
  delete(resource: Resource, target: Target, options?: DeleteOptions): Promise<void>;
  /**
   * Requests the eviction of a Pod, which respects disruption budgets. If a budget refuses the eviction, the
   * call fails with an ApiError 429 that `isDisruptionRefused` recognises.
   */
  evict(pod: Target, options?: EvictOptions): Promise<void>;
}

/**
 * All calls to the API server, bypassing every cache. Request a `Reader` or a `Writer` if that is
 * enough.
 */
export interface Client extends Reader, Writer {}
