import { NotReadyError } from '../../controller/errors.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import { apiVersionOf, type Resource, resourceName } from '../../model/resource.ts';
import type { Store } from '../../store/store.ts';
import type { Related } from '../engine-options.ts';

/** Where related objects are read, and how their changes reach the parents. */
export interface RelatedCaches {
  /**
   * The cache of a resource that a rule of the parent names.
   *
   * @throws NotReadyError while it has no first list; the parent is woken once it has.
   * @throws SourceUnavailableError while the API server refuses or does not serve the resource.
   * @throws OperatorError `USER_CODE` when the resource is none of those that were declared.
   */
  storeOf(
    resource: Resource,
    parent: ObjectKey,
    context: ReconcileContext,
  ): Store<KubernetesObject>;
  readonly wiring: Related['wiring'];
}

/** The error while the cache of a resource is still filled. */
export function noFirstList(resource: Resource): NotReadyError {
  const name = resourceName(resource);
  return new NotReadyError(`the cache of ${name} has no first list yet`, {
    context: { resource: name, apiVersion: apiVersionOf(resource) },
  });
}
