import type { Desired } from '../controller/reconciler.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type KubernetesObject, keyOf } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';

/** The desired state of a child of a composite. */
export interface DesiredChild {
  /** The resource of the child, which is one of the composite's `children`. */
  readonly resource: Resource;
  /** The fields of the child that the composite decides. */
  readonly object: Desired<KubernetesObject>;
}

/**
 * `object` as a desired child. Its `apiVersion`, kind and namespace follow from `resource` and the parent.
 */
export function child<C extends KubernetesObject>(
  resource: Resource<C>,
  object: Desired<C>,
): DesiredChild {
  return { resource, object };
}

/** Identifies a child among all children of a parent. */
export function childIdentity(
  resource: DesiredChild['resource'],
  metadata: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): string {
  return JSON.stringify([resourceName(resource), metadata.namespace ?? '', metadata.name ?? '']);
}

/**
 * The objects without duplicates, ordered by key, so that the function always gets them in the same order.
 */
export function inOrder(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const byKey = new Map(objects.map((object) => [keyOf(object), object]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}

/** The index that finds children by the uid of an owner. */
export const OWNER_INDEX = 'chancery.dev/owner';

/** The cached children of one parent: the objects whose controller is this parent. */
export interface ObservedChildren {
  /**
   * All children of one resource.
   *
   * @throws ConfigurationError `CONFIG` when the composite does not declare `resource`.
   */
  of<C extends KubernetesObject>(resource: Resource<C>): readonly C[];
  /**
   * The child with this name. Pass `namespace` for a child of a cluster-scoped parent. Undefined when the
   * child does not exist or belongs to another parent.
   *
   * @throws ConfigurationError `CONFIG` when the composite does not declare `resource`.
   */
  get<C extends KubernetesObject>(
    resource: Resource<C>,
    name: string,
    namespace?: string,
  ): C | undefined;
}

/** @param byResource - children, keyed by the name of their resource. */
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
