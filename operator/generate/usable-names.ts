import { ConfigurationError } from '../core/errors.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { type Access, POD_NAMESPACE } from './access.ts';

/** A namespace, or a word of a path: one DNS label. It can match neither `.`, `..` nor nothing. */
export const LABEL: string = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** Most names: a DNS-1123 subdomain. */
const SUBDOMAIN = `${LABEL}([.]${LABEL})*`;

/** Names of RBAC objects may also have capitals, `:` and `_`, as `system:node-reader`. */
const RBAC_NAME = '[A-Za-z0-9]([-A-Za-z0-9:_.]*[A-Za-z0-9])?';

/** The grammar of the names of its objects, as a pattern that is not anchored. */
export function namePattern({ group }: Resource): string {
  return group === 'rbac.authorization.k8s.io' ? RBAC_NAME : SUBDOMAIN;
}

/** True for a name that an object of `resource` may have, and that means only itself in a path. */
export function isUsableName(resource: Resource, name: string): boolean {
  return name.length <= 253 && new RegExp(`^(${namePattern(resource)})$`).test(name);
}

/**
 * @throws ConfigurationError `CONFIG` for a name that could mean more than itself in a path pattern,
 *   and for an empty list of names, which RBAC would take for every name.
 */
export function refuseUnusableNames(access: Access): void {
  const { resource, subresource, namespace, resourceNames } = access;
  const { group, version, plural } = resource;
  const labels = [version, plural, ...(group === '' ? [] : group.split('.'))];
  if (subresource !== undefined) labels.push(subresource);
  if (namespace !== undefined && namespace !== POD_NAMESPACE) labels.push(namespace);
  const wrong =
    labels.find((label) => !new RegExp(`^${LABEL}$`).test(label) || label.length > 63) ??
    resourceNames?.find((name) => !isUsableName(resource, name));
  if (wrong !== undefined) {
    throw new ConfigurationError('a declared name must be a-z, 0-9 and "-", as in a URL path', {
      context: { name: wrong, resource: resourceName(resource) },
    });
  }
  if (resourceNames?.length !== 0) return;
  throw new ConfigurationError('resourceNames is empty: leave it out for every object', {
    context: { resource: resourceName(resource) },
  });
}
