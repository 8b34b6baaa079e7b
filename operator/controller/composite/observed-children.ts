import { ConfigurationError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';

/** The children of one parent, as the cache has them: those that name it as their controller. */
export interface ObservedChildren {
  /**
   * All of one resource, by namespace and name.
   *
   * @throws ConfigurationError `CONFIG` when the composite does not declare `resource`.
   */
  of<C extends KubernetesObject>(resource: Resource<C>): readonly C[];
  /**
   * The one of this name, in the parent's namespace or in that of a cluster-scoped parent's child;
   * undefined when it does not exist, or is not the parent's.
   *
   * @throws ConfigurationError `CONFIG` when the composite does not declare `resource`.
   */
  get<C extends KubernetesObject>(
    resource: Resource<C>,
    name: string,
    namespace?: string,
  ): C | undefined;
}

/** @param byResource - children by the name of their resource. */
export function observedChildren(
  byResource: ReadonlyMap<string, readonly KubernetesObject[]>,
  controller: string,
): ObservedChildren {
  const of = <C extends KubernetesObject>(resource: Resource<C>): readonly C[] => {
    const found = byResource.get(resourceName(resource));
    if (found !== undefined) return found as readonly C[];
    throw new ConfigurationError('sync reads children that its composite does not declare', {
      context: { controller, resource: resourceName(resource) },
    });
  };
  return {
    of,
    get: (resource, name, namespace) =>
      of(resource).find(
        ({ metadata }) =>
          metadata.name === name && (namespace === undefined || metadata.namespace === namespace),
      ),
  };
}
