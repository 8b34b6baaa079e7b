import type { KubernetesObject, Resource } from 'chancery';
import type { CommittedEvent, ResourceName, StoredObject } from '../objects/stored-object.ts';

export interface DeleteOptions {
  /** Default: what the resource does by default, `Background` for nearly all. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Only the object with this uid is deleted: otherwise 409. */
  readonly uid?: string;
}

/**
 * The cluster as a controller inside the server sees it: the semantics of the HTTP API (validation,
 * conflicts, finalizers, generation, no event for a write without effect) without the HTTP.
 *
 * Everything is synchronous, and returned objects are shared: copy before changing. Each method
 * throws ApiError as the HTTP API would answer; an unknown resource is a 404.
 */
export interface ClusterAccess {
  /** Every served resource in its storage version; custom resources come and go. */
  resources(): readonly Resource[];
  /** The resource of an object or of an owner reference, whatever version it names. */
  resourceOf(apiVersion: string, kind: string): ResourceName | undefined;

  get(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
  ): StoredObject | undefined;
  /** In the order of namespace and name. @param namespace - undefined for all. */
  list(resource: ResourceName, namespace?: string): readonly StoredObject[];

  create(resource: ResourceName, object: KubernetesObject): StoredObject;
  /** Replaces all but status. A resourceVersion in the object must be the current one: else 409. */
  update(resource: ResourceName, object: KubernetesObject): StoredObject;
  /** Replaces only status. */
  updateStatus(resource: ResourceName, object: KubernetesObject): StoredObject;
  /** A JSON merge patch. */
  patch(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    mergePatch: object,
    subresource?: 'status',
  ): StoredObject;
  /** Says on which node a Pod runs, as a scheduler does. */
  bind(namespace: string | undefined, name: string, nodeName: string): StoredObject;
  /** Starts the deletion, or completes it where no finalizer and no grace period holds it up. */
  delete(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    options?: DeleteOptions,
  ): void;

  /**
   * Calls `listener` for every committed event of one resource, in the order of commits, starting
   * now. It runs inside the write that caused it: a listener may write, the events of that write
   * follow when every listener has seen this one. It must not throw.
   *
   * @returns the end of the subscription.
   */
  subscribe(resource: ResourceName, listener: (event: CommittedEvent) => void): () => void;
  /** Like `subscribe`, for the events of all resources, present and future. */
  subscribeAll(listener: (resource: ResourceName, event: CommittedEvent) => void): () => void;
}
