import { valueAt } from '../../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';

/** True when the deletion of an object has begun and nothing delays it. */
export function finishesDeletion(object: StoredObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined) return false;
  if ((metadata.finalizers ?? []).length > 0) return false;
  // The deletion of a Pod waits for its grace period. The deletion of a Namespace waits for the finalizers in
  // its spec.
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  const finalizers = object.kind === 'Namespace' ? valueAt(object, ['spec', 'finalizers']) : [];
  return !Array.isArray(finalizers) || finalizers.length === 0;
}

/**
 * Resources for which the answer to a delete is the object, and not a Status: `ReturnDeletedObject` in
 * pkg/registry of Kubernetes 1.36.
 */
const SHOWN_WHEN_GONE: ReadonlySet<ResourceName> = new Set([
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'deviceclasses.resource.k8s.io',
  'devicetaintrules.resource.k8s.io',
  'namespaces',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourceclaims.resource.k8s.io',
  'resourceclaimtemplates.resource.k8s.io',
  'resourcequotas',
  'resourceslices.resource.k8s.io',
  'serviceaccounts',
  'services',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'volumeattributesclasses.storage.k8s.io',
]);

export function isShownWhenGone(resource: ResourceName): boolean {
  return SHOWN_WHEN_GONE.has(resource);
}

/** The default of a Pod's `spec.terminationGracePeriodSeconds`. */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * The grace period of a deletion in seconds. Only a Pod that is assigned to a node has a grace
 * period, because no kubelet runs the containers of an unassigned Pod.
 */
export function gracePeriodOf(object: StoredObject, asked: number | undefined): number {
  if (!hasGracePeriod(object)) return 0;
  const phase = valueAt(object, ['status', 'phase']);
  if (!valueAt(object, ['spec', 'nodeName']) || phase === 'Succeeded' || phase === 'Failed')
    return 0;
  const own = valueAt(object, ['spec', 'terminationGracePeriodSeconds']);
  const seconds = asked ?? (typeof own === 'number' ? own : DEFAULT_GRACE_SECONDS);
  return seconds < 0 ? 1 : seconds;
}

/** True for a Pod. Objects of other kinds have no grace period. */
export function hasGracePeriod({ kind, apiVersion }: StoredObject): boolean {
  return kind === 'Pod' && apiVersion === 'v1';
}
