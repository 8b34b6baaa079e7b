import { valueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';

/** True when nothing holds an object any more whose deletion has begun. */
export function finishesDeletion(object: StoredObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined) return false;
  if ((metadata.finalizers ?? []).length > 0) return false;
  // A Pod is held by its grace period, a Namespace by the finalizers in its spec.
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  const finalizers = object.kind === 'Namespace' ? valueAt(object, ['spec', 'finalizers']) : [];
  return !Array.isArray(finalizers) || finalizers.length === 0;
}
