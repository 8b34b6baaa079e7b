import { ConfigurationError } from '../core/errors.ts';
import { collectionPath, objectPath, type Resource, resourceName } from '../model/resource.ts';
import type { Target } from './client.ts';

/**
 * URL path of one object, or of one of its subresources.
 *
 * @throws ConfigurationError `CONFIG` when a namespace is missing, or is given for a cluster-scoped
 *   resource: the path would be that of something else.
 */
export function pathOfObject(resource: Resource, target: Target, subresource?: string): string {
  requireScope(resource, target.namespace, resource.namespaced);
  return objectPath(resource, target, subresource);
}

/** URL path to create objects at; see `pathOfObject`. */
export function pathToCreate(resource: Resource, namespace: string | undefined): string {
  requireScope(resource, namespace, resource.namespaced);
  return collectionPath(resource, namespace);
}

/** URL path of a collection, in one namespace or in all; see `pathOfObject`. */
export function pathOfCollection(resource: Resource, namespace: string | undefined): string {
  requireScope(resource, namespace, false);
  return collectionPath(resource, namespace);
}

function requireScope(
  resource: Resource,
  namespace: string | undefined,
  needsNamespace: boolean,
): void {
  if (namespace === undefined && needsNamespace) {
    throw new ConfigurationError('a namespace is missing', {
      context: { resource: resourceName(resource) },
    });
  }
  if (namespace !== undefined && !resource.namespaced) {
    throw new ConfigurationError('a cluster-scoped resource has no namespaces', {
      context: { resource: resourceName(resource), namespace },
    });
  }
}
