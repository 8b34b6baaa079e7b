import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Change } from '../../operator/store/change.ts';

/** A change as a plain value: entries have nothing that `toEqual` could compare. */
export function plain<T extends KubernetesObject>(change: Change<T>): object {
  const { type, key, object } = change;
  if (change.type === 'add') return { type, key, object, initial: change.initial };
  if (change.type === 'delete') {
    return { type, key, object, finalStateUnknown: change.finalStateUnknown };
  }
  const { resync, relist } = change;
  const reason = { ...(resync && { resync }), ...(relist && { relist }) };
  return { type, key, object, old: change.old.object, ...reason };
}
