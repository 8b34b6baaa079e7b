import type { StoredObject } from '../cluster-access.ts';
import { valueAt } from '../objects/metadata.ts';

/** `spec.terminationGracePeriodSeconds` of a Pod that does not say. */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * How many seconds an object has left once its deletion is asked for. Only a Pod that runs on a
 * node has any: nobody would end the containers of another one.
 */
export function gracePeriodOf(object: StoredObject, asked: number | undefined): number {
  if (object.kind !== 'Pod' || object.apiVersion !== 'v1') return 0;
  const phase = valueAt(object, ['status', 'phase']);
  if (!valueAt(object, ['spec', 'nodeName']) || phase === 'Succeeded' || phase === 'Failed')
    return 0;
  if (asked !== undefined) return Math.max(asked, 0);
  const own = valueAt(object, ['spec', 'terminationGracePeriodSeconds']);
  return typeof own === 'number' ? own : DEFAULT_GRACE_SECONDS;
}
