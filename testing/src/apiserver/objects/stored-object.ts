import type { KubernetesObject } from 'chancery';

/**
 * The plural and the group of a resource, such as `deployments.apps`. For the core group only the plural,
 * such as `pods`.
 */
export type ResourceName = string;

/**
 * An object of any kind, with all its fields. It is shared with the storage, so copy it before you change it.
 */
export type StoredObject = KubernetesObject & { readonly [field: string]: unknown };

/** One change that the storage has accepted. */
export interface CommittedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /**
   * The object after the change. For DELETED, this is the last state, with the resourceVersion of the
   * deletion.
   */
  readonly object: StoredObject;
  /** The object before the change; undefined for ADDED. */
  readonly previous: StoredObject | undefined;
}
