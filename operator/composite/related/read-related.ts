import { OperatorError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { RelatedObjects } from '../engine-options.ts';

/** The related objects of one parent or decorated object. */
export interface RelatedReader {
  /**
   * The objects of one resource, by their keys.
   *
   * @throws OperatorError `USER_CODE` when no rule of the parent names `resource`.
   */
  of<C extends KubernetesObject>(resource: Resource<C>): readonly C[];
}

/** Reads what `Related.of` has found. */
export function relatedReader(
  found: ReadonlyMap<string, RelatedObjects>,
  controller: string,
): RelatedReader {
  return {
    of: <C extends KubernetesObject>(resource: Resource<C>) => {
      const known = found.get(resourceName(resource));
      if (known !== undefined) return known.objects as readonly C[];
      throw new OperatorError('no rule names this resource: return one from customize', {
        code: 'USER_CODE',
        layer: 'user-code',
        context: { controller, resource: resourceName(resource) },
      });
    },
  };
}
