import { ConfigurationError } from '../core/errors.ts';
import { isDnsLabel, isDnsSubdomain } from './dns-name.ts';
import type { KubernetesObject } from './object.ts';

/**
 * A resource of the API: group, version, plural and scope, which determine its URL.
 *
 * @typeParam T - the type of the objects, which a client accepts and returns for this resource.
 */
export interface Resource<T extends KubernetesObject = KubernetesObject> {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Version of the group, such as `v1`. */
  readonly version: string;
  /** Lower-case plural, as in URLs. */
  readonly plural: string;
  /** The `kind` of the objects. */
  readonly kind: string;
  /** False if the objects are cluster-scoped. */
  readonly namespaced: boolean;
  /** Never set. It exists only so that the compiler knows the type of the objects. */
  readonly objects?: T;
}

/** The type of the objects of a resource: `ObjectOf<typeof websites>`. */
export type ObjectOf<R extends Resource> = R extends Resource<infer T> ? T : never;

/** Defines a resource with objects of type `T`. */
export function defineResource<T extends KubernetesObject>(
  names: Omit<Resource, 'objects'>,
): Resource<T> {
  return Object.freeze({ ...names });
}

/** `v1`, or `group/version`. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `configmaps` or `deployments.apps`: the name of a resource in messages for people. */
export function resourceName(resource: Pick<Resource, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

/**
 * URL path of the group and version: `/api/v1`, `/apis/apps/v1`.
 *
 * @throws ConfigurationError `CONFIG` when the group has characters other than a-z, 0-9, `-` and `.`, or the
 *   version has characters other than a-z, 0-9 and `-`.
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
 * @param namespace - undefined for all namespaces, or if the resource is cluster-scoped.
 * @throws ConfigurationError `CONFIG` when the namespace cannot be a path segment, when the plural has
 *   characters other than a-z, 0-9 and `-`, and in the same cases as `groupVersionPath`.
 */
export function collectionPath(resource: Resource, namespace?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${segment(namespace, 'namespace')}`;
  requireName('plural', resource.plural, isDnsLabel);
  return `${groupVersionPath(resource)}${scope}/${resource.plural}`;
}

/**
 * URL path of one object, or of one of its subresources.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `collectionPath`, and when a name cannot be a path
 *   segment.
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
 * Maximum length of a name in a path. Most names of Kubernetes objects have at most 253 characters, but the
 * names of RBAC objects have no limit.
 */
const MAX_SEGMENT_LENGTH = 1_024;

/** Maximum number of characters of a refused name in the error. */
const SHOWN_CHARS = 64;

/**
 * Matches separators, characters that end a log line, and `%`, which may become a separator if the name is
 * decoded twice.
 */
const CHANGES_PATH = /[/%\\\p{Cc}\u2028\u2029]/u;

/**
 * Applies the API server's rule for names in paths (`path.ValidatePathSegmentName`), and refuses characters
 * that no object's name has. Otherwise a request with a name such as `..` would bypass the ambassador's
 * filter and reach another object than the intended one.
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
 * Groups of kube-apiserver whose names contain a dot. Groups without a dot always belong to kube-apiserver.
 * The list comes from `pkg/api/legacyscheme` and `pkg/controlplane` of Kubernetes 1.36. The groups that were
 * removed since 1.20 are added.
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

/** True for a group of Kubernetes itself, which no CustomResourceDefinition adds or removes. */
export function isBuiltInGroup({ group }: Pick<Resource, 'group'>): boolean {
  return !group.includes('.') || BUILT_IN_GROUPS.has(group);
}
