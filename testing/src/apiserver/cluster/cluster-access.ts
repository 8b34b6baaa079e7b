import type { KubernetesObject, Resource } from 'chancery';
import type { CommittedEvent, ResourceName, StoredObject } from '../objects/stored-object.ts';

export interface DeleteOptions {
  /**
   * What happens to the dependents of the object. If omitted, the default of the resource applies:
   * `Background` for nearly all resources.
   */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Deletes the object only if it has this uid. If its uid is different, the error is 409. */
  readonly uid?: string;
}

/**
 * The cluster as controllers inside the server use it: the semantics of the HTTP API (validation,
 * conflicts, finalizers, generation, no event for a write without effect) without HTTP.
 *
 * All methods are synchronous. Returned objects are shared, so copy them before you change them. Each method
 * throws ApiError where the HTTP API would answer with an error, such as 404 for an unknown resource.
 */
export interface ClusterAccess {
  /**
   * Every served resource in its storage version. The list changes when custom resources are added or
   * removed.
   */
  resources(): readonly Resource[];
  /** The resource of an object or of an owner reference. Any version of the group is accepted. */
  resourceOf(apiVersion: string, kind: string): ResourceName | undefined;

  get(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
  ): StoredObject | undefined;
  /**
   * The objects of a resource, sorted by namespace and name.
   * @param namespace - undefined for all namespaces.
   */
  list(resource: ResourceName, namespace?: string): readonly StoredObject[];

  create(resource: ResourceName, object: KubernetesObject): StoredObject;
  /**
   * Replaces all fields except status. If `object` has a resourceVersion that is not the current
   * resourceVersion, the error is 409.
   */
  update(resource: ResourceName, object: KubernetesObject): StoredObject;
  /** Replaces only the status. */
  updateStatus(resource: ResourceName, object: KubernetesObject): StoredObject;
  /** Applies a JSON merge patch. */
  patch(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    mergePatch: object,
    subresource?: 'status',
  ): StoredObject;
  /** Assigns a Pod to a node, as a scheduler does. */
  bind(namespace: string | undefined, name: string, nodeName: string): StoredObject;
  /**
   * Begins the deletion of an object, and completes the deletion if no finalizer and no grace period delays
   * it.
   */
  delete(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    options?: DeleteOptions,
  ): void;

  /**
   * Calls `listener` for every committed event of one resource, in the order of commits, beginning now. The
   * listener runs during the write that caused the event. A listener may write; the events of that write
   * follow after every listener has received this event. A listener must not throw.
   *
   * @returns a function that ends the subscription.
   */
  subscribe(resource: ResourceName, listener: (event: CommittedEvent) => void): () => void;
  /** Like `subscribe`, for the events of all resources, present and future. */
  subscribeAll(listener: (resource: ResourceName, event: CommittedEvent) => void): () => void;
}
