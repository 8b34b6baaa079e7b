import type { KubernetesObject } from '../../model/object.ts';
import { controllerOf } from '../../model/object.ts';
import { matchesSelector, type Selector } from '../../model/selector.ts';

/** Who belongs to a parent, among the objects that could. */
export interface Claim<C extends KubernetesObject = KubernetesObject> {
  /** They name the parent as their controller, and stay. */
  readonly own: readonly C[];
  /** Nobody controls them, and they match: to be adopted. */
  readonly adopt: readonly C[];
  /** They name the parent as their controller, and match no longer: to be orphaned. */
  readonly orphan: readonly C[];
}

/**
 * Sorts candidates as the ReplicaSet controller does its Pods. Without a selector nothing is adopted
 * and nothing orphaned: the references decide. Nothing that is being deleted is adopted or orphaned,
 * and nothing at all for a parent that is.
 */
export function claim<C extends KubernetesObject>(
  parent: KubernetesObject,
  candidates: readonly C[],
  selector: Selector | undefined,
): Claim<C> {
  const own: C[] = [];
  const adopt: C[] = [];
  const orphan: C[] = [];
  for (const object of candidates) {
    const controller = controllerOf(object);
    const matches = selector === undefined || matchesSelector(selector, object.metadata.labels);
    const isSettled =
      object.metadata.deletionTimestamp !== undefined ||
      parent.metadata.deletionTimestamp !== undefined;
    if (controller?.uid === parent.metadata.uid) {
      if (matches || isSettled) own.push(object);
      else orphan.push(object);
    } else if (controller === undefined && selector !== undefined && matches && !isSettled) {
      adopt.push(object);
    }
  }
  return { own, adopt, orphan };
}
