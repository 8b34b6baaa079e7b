import type { KubernetesObject, ObjectKey } from '../../../model/object.ts';
import type { Resource } from '../../../model/resource.ts';
import type { Store } from '../../../store/store.ts';
import type { ReconcileContext } from '../../reconciler.ts';
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
