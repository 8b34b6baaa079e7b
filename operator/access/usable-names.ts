import { ConfigurationError } from '../core/errors.ts';
import { DNS_LABEL, isDnsLabel } from '../model/dns-name.ts';
import { resourceName } from '../model/resource.ts';
import type { PathResource, RequestedAccess } from './merge-access.ts';
import { POD_NAMESPACE } from './placement.ts';

/**
 * The usual pattern of names, which is a DNS-1123 subdomain. It does not match `.`, `..` or an empty name.
 */
const SUBDOMAIN = `${DNS_LABEL}([.]${DNS_LABEL})*`;

/**
 * Patterns for resources whose names are not subdomains, keyed by plural and group, or only by group. Each
 * pattern begins with a character other than a dot, so that it cannot match `.` or `..`.
 */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  // `system:node-reader`
  'rbac.authorization.k8s.io': '[A-Za-z0-9]([-A-Za-z0-9:_.]*[A-Za-z0-9])?',
  // Kubernetes only checks that the name is a single path segment. Names that the kubelet generates end in
  // base64url.
  'certificatesigningrequests.certificates.k8s.io': '[A-Za-z0-9][-A-Za-z0-9:_.]*',
  // `2001:db8::1`
  'ipaddresses.networking.k8s.io': '[0-9a-f:][0-9a-f:.]*',
};

type Named = Pick<PathResource, 'group' | 'plural'>;

/** A pattern for the names of a resource's objects, without anchors. */
export function namePattern(resource: Named): string {
  return OTHER_NAMES[resourceName(resource)] ?? OTHER_NAMES[resource.group] ?? SUBDOMAIN;
}

/** True for a name that an object of `resource` can have, and that has no special meaning in a path. */
export function isUsableName(resource: Named, name: string): boolean {
  return name.length <= 253 && new RegExp(`^(${namePattern(resource)})$`).test(name);
}

/**
 * @throws ConfigurationError `CONFIG` for a name that has a special meaning in a path pattern, and for an
 *   empty list of names, which RBAC would treat as every name.
 */
export function refuseUnusableNames({
  resource,
  subresource,
  namespace,
  resourceNames,
  unrequested,
}: RequestedAccess): void {
  const { group, version, plural } = resource;
  const labels = [
    ...(version === undefined ? [] : [version]),
    plural,
    ...(group === '' ? [] : group.split('.')),
  ];
  if (subresource !== undefined) labels.push(subresource);
  if (namespace !== undefined && namespace !== POD_NAMESPACE) labels.push(namespace);
  const wrong = labels.find((label) => !isDnsLabel(label));
  if (wrong !== undefined) {
    throw new ConfigurationError('a declared name must be a-z, 0-9 and "-", as in a URL path', {
      context: { name: wrong, resource: resourceName(resource) },
    });
  }
  // A name that never appears in a request's path, such as a signer's name, may contain a slash.
  const unusual =
    unrequested === true ? undefined : resourceNames?.find((name) => !isUsableName(resource, name));
  if (unusual !== undefined) {
    throw new ConfigurationError('no object of the resource can have a declared name', {
      context: { name: unusual, resource: resourceName(resource) },
    });
  }
  if (resourceNames?.length !== 0) return;
  throw new ConfigurationError('resourceNames is empty: leave it out for every object', {
    context: { resource: resourceName(resource) },
  });
}
