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

/** `spec.terminationGracePeriodSeconds` of a Pod that does not say. */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * How many seconds an object has left once its deletion is asked for. Only a Pod that runs on a
 * node has any: nobody would end the containers of another one.
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

/** True for a Pod: the deletion of nothing else takes time by itself. */
export function hasGracePeriod({ kind, apiVersion }: StoredObject): boolean {
  return kind === 'Pod' && apiVersion === 'v1';
}
