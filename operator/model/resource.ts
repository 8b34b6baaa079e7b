import { ConfigurationError } from '../core/errors.ts';
import { isDnsLabel, isDnsSubdomain } from './dns-name.ts';
import type { KubernetesObject } from './object.ts';

/**
 * Group, version, plural and scope: what a URL names.
 *
 * @typeParam T - the objects behind it, so that a client call is typed by its resource.
 */
export interface Resource<T extends KubernetesObject = KubernetesObject> {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Version of the group, as `v1`. */
  readonly version: string;
  /** Lower-case plural, as in the URL. */
  readonly plural: string;
  /** Kind of its objects, as in `kind`. */
  readonly kind: string;
  /** False: its objects are cluster-scoped. */
  readonly namespaced: boolean;
  /** Never set: it only carries the type. */
  readonly objects?: T;
}

/** The type of the objects behind a resource: `ObjectOf<typeof websites>`. */
export type ObjectOf<R extends Resource> = R extends Resource<infer T> ? T : never;

/** A resource whose objects are of type `T`. */
export function defineResource<T extends KubernetesObject>(
  names: Omit<Resource, 'objects'>,
): Resource<T> {
  return Object.freeze({ ...names });
}

/** `v1`, or `group/version`. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `configmaps` or `deployments.apps`: how people and error messages name a resource. */
export function resourceName(resource: Pick<Resource, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

/**
 * URL path of the group and version: `/api/v1`, `/apis/apps/v1`.
 *
 * @throws ConfigurationError `CONFIG` when one of them is not a-z, 0-9, `-`, and dots in a group.
 */
export function groupVersionPath(resource: Pick<Resource, 'group' | 'version'>): string {
  if (resource.group !== '') requireName('group', resource.group, isDnsSubdomain);
  requireName('version', resource.version, isDnsLabel);
  return resource.group === ''
    ? `/api/${resource.version}`
    : `/apis/${resource.group}/${resource.version}`;
}

/**
 * URL path of a collection.
 *
 * @param namespace - undefined for all namespaces, and for a cluster-scoped resource.
 * @throws ConfigurationError `CONFIG` when the namespace cannot be a path segment, and when group,
 *   version or plural are not a-z, 0-9, `-`, and dots in a group.
 */
export function collectionPath(resource: Resource, namespace?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${segment(namespace, 'namespace')}`;
  requireName('plural', resource.plural, isDnsLabel);
  return `${groupVersionPath(resource)}${scope}/${resource.plural}`;
}

/**
 * URL path of one object, or of one of its subresources.
 *
 * @throws ConfigurationError `CONFIG` as `collectionPath`, and when a name cannot be a path segment.
 */
export function objectPath(
  resource: Resource,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  subresource?: string,
): string {
  const tail = subresource === undefined ? '' : `/${segment(subresource, 'subresource')}`;
  return `${collectionPath(resource, namespace)}/${segment(name, 'name')}${tail}`;
}

/**
 * Longer than any name that Kubernetes gives: 253 characters, but for names of RBAC objects, which it
 * leaves unlimited.
 */
const MAX_SEGMENT_LENGTH = 1_024;

/** Of a name that is refused, what a log line shows. */
const SHOWN_CHARS = 64;

/** What is a separator, or becomes one when it is decoded once more; or ends a line in a log. */
const CHANGES_PATH = /[/%\\\p{Cc}\u2028\u2029]/u;

/**
 * The API server's own rule for names in paths (`path.ValidatePathSegmentName`), and what no name of an
 * object has. Without it a name such as `..` would reach another object than the caller meant, past
 * the ambassador's filter.
 */
function segment(text: string, what: string): string {
  const unusable =
    text === '' ||
    text === '.' ||
    text === '..' ||
    text.length > MAX_SEGMENT_LENGTH ||
    CHANGES_PATH.test(text) ||
    !text.isWellFormed();
  if (unusable) throw refused(what, text);
  return encodeURIComponent(text);
}

function requireName(what: string, text: string, isName: (text: string) => boolean): void {
  if (!isName(text)) throw refused(what, text);
}

function refused(what: string, text: string): ConfigurationError {
  return new ConfigurationError(`${what} cannot be part of a URL path`, {
    context: { [what]: text.slice(0, SHOWN_CHARS).toWellFormed() },
  });
}

/**
 * Groups that kube-apiserver itself serves, and whose names have a dot: of those without one all are
 * its own. From `pkg/api/legacyscheme` and `pkg/controlplane` of Kubernetes 1.36, with the groups
 * that it has retired since 1.20.
 */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  'admission.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'auditregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'imagepolicy.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'settings.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** True for a group of Kubernetes itself, which no CustomResourceDefinition makes or takes away. */
export function isBuiltInGroup({ group }: Pick<Resource, 'group'>): boolean {
  return !group.includes('.') || BUILT_IN_GROUPS.has(group);
}
