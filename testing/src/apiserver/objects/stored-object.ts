import type { KubernetesObject } from 'chancery';

/** `pods` or `deployments.apps`: the plural, and the group unless it is the core group. */
export type ResourceName = string;

/** An object of any kind, with all its fields. Shared with the storage: copy before changing. */
export type StoredObject = KubernetesObject & { readonly [field: string]: unknown };

/** One change that the storage has accepted. */
export interface CommittedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /**
   * The object after the change. For DELETED, the last state with the resourceVersion of the
   * deletion.
   */
  readonly object: StoredObject;
  /** The object before the change; undefined for ADDED. */
  readonly previous: StoredObject | undefined;
}
