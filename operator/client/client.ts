import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';

/** Names one object of a resource. `namespace` is left out for a cluster-scoped one. */
export interface Target {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface CallOptions {
  /**
   * Aborts the call. Default: for the client of a `ReconcileContext` the signal of the reconcile. Other
   * clients have none: the call ends within the transport's time limit.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface ListOptions extends CallOptions {
  /** Left out: all namespaces. */
  readonly namespace?: string | undefined;
  /** In text form, not URL-encoded. As on the API an empty selector selects everything. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface WriteOptions extends CallOptions {
  /** `status`, `scale`, …; left out: the object itself. */
  readonly subresource?: string;
  /** Validate and answer as usual, but store nothing. */
  readonly dryRun?: boolean;
  /** Names the writer in `metadata.managedFields`. Default: the client's. Each name is a separate owner. */
  readonly fieldManager?: string;
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other managers. Default false: a conflict is an ApiError 409. */
  readonly force?: boolean;
}

export interface UpdateOptions extends WriteOptions {
  /** Overwrite any version. Default false: `metadata.resourceVersion` names the version that was read. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  /** Delete the object only if it has this uid and this resourceVersion; otherwise the answer is 409. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Validate and answer as usual, but remove nothing. */
  readonly dryRun?: boolean;
}

export interface EvictOptions extends CallOptions {
  readonly preconditions?: DeleteOptions['preconditions'];
  /** Ask the disruption budgets as usual, but evict nothing. */
  readonly dryRun?: boolean;
}

/** An object with the version that was read: an update starts from it. */
export type Versioned<T extends KubernetesObject> = T & {
  readonly metadata: { readonly resourceVersion: string };
};

/** An object as the API server stores it: with its uid and its version. */
export type Stored<T extends KubernetesObject> = Versioned<T> & {
  readonly metadata: { readonly uid: string };
};

/** A patch and the format that it is in. */
export type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] };

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/**
 * Reads from the API server, past every cache. `get` and `find` are quorum reads: they are sent without
 * a resourceVersion, so that the answer has every write that was acknowledged before they began. Rely on
 * them before you destroy something because an object is absent or being deleted.
 *
 * @throws ApiError when the server refuses.
 * @throws AmbassadorError when no complete answer arrives.
 * @throws ProtocolError when the answer is not what the API promises.
 */
export interface Reader {
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
 * Writes to the API server, under one field manager. Fails as `Reader` does. After an AmbassadorError with
 * `fate: 'unknown'` the server may have carried out the write.
 */
export interface Writer {
  create<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions,
  ): Promise<T>;
  /**
   * Server-side apply: creates the object, or makes the field manager the owner of the fields of `object`.
   * If another manager owns one of them with another value, the call changes nothing and fails with an
   * ApiError that `isApplyConflict` recognises, unless `force`. If the object was deleted since it was
   * read, `apply` creates it again; `applyExisting` does not.
   */
  apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options?: ApplyOptions,
  ): Promise<T>;
  /**
   * Server-side apply to the object with the uid of `metadata.uid`. If that object is gone, or another
   * one has its name, the call changes nothing and fails with an ApiError that `isUidMismatch` recognises.
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
   * changed since, the call fails with an ApiError that `isConflict` recognises. `force` leaves the version
   * out, for an object that nobody else writes; the API server refuses that for custom resources.
   *
   * @throws OperatorError `USER_CODE` without `metadata.resourceVersion` and `force`.
   */
  update<T extends KubernetesObject>(
    resource: Resource<T>,
    object: Versioned<NoInfer<T>>,
    options?: UpdateOptions,
  ): Promise<T>;
  update<T extends KubernetesObject>(
    resource: Resource<T>,
    object: NoInfer<T>,
    options: UpdateOptions & { readonly force: true },
  ): Promise<T>;
  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Resolves when the server has accepted. Finalizers and grace periods can take longer. */
  delete(resource: Resource, target: Target, options?: DeleteOptions): Promise<void>;
  /**
   * Asks for the eviction of a Pod, which honours disruption budgets. If a budget refuses it, the call fails
   * with an ApiError 429 that `isDisruptionRefused` recognises.
   */
  evict(pod: Target, options?: EvictOptions): Promise<void>;
}

export interface Client extends Reader, Writer {}
