import { ConfigurationError } from '../../core/errors.ts';
import { knownKinds } from '../../model/known-kinds.ts';
import type { PolicyRule } from '../../model/kubernetes/rbac-v1.ts';
import { METHOD_OF, type PathVerb, type RequestedAccess } from '../merge-access.ts';
import { POD_NAMESPACE } from '../placement.ts';
import { refuseUnusableNames } from '../usable-names.ts';
import type { ProxyFilter } from './filter-problems.ts';
import { rootPattern } from './opened-paths.ts';
import { filterOf } from './proxy-filter.ts';

/** A rule, with the namespace where it applies. */
export interface PlacedRule {
  readonly rule: PolicyRule;
  /** A name or `POD_NAMESPACE`. Undefined if the rule applies to the whole cluster. */
  readonly namespace: string | undefined;
}

/**
 * The narrowest filter that passes the requests which these rules grant. It covers every version of their
 * groups, for a client that finds its resources by discovery. Kubernetes allows discovery to every
 * authenticated user.
 *
 * If a resource is not built in, a rule does not tell whether its objects are namespaced. So a rule for the
 * whole cluster opens both the namespaced and the cluster-scoped paths of such a resource.
 *
 * @param rules - rules in any order. They must not contain wildcards.
 * @throws ConfigurationError `CONFIG` in the same cases as `proxyFilter`.
 */
export function roleFilter(rules: readonly PlacedRule[]): ProxyFilter {
  const accesses = rules.flatMap(accessesOf).sort(byText);
  for (const access of accesses) {
    if (!isOfOwnNamespace(access)) refuseUnusableNames(access);
  }
  const urls = rules.flatMap(urlsOf);
  const odd = urls.find((url) => !/^(?:\/|(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+\/?)$/.test(url));
  if (odd !== undefined) {
    throw new ConfigurationError('nonResourceURLs has a path that no filter can name', {
      context: { url: odd },
    });
  }
  return filterOf(accesses, [
    ...discoveryPatterns(accesses),
    ...[...new Set(urls)].sort().map((url) => `^${url.replaceAll('.', '[.]')}$`),
  ]);
}

/**
 * The `nonResourceURLs` of a rule, which only a ClusterRoleBinding grants. URLs that are paths of objects are
 * omitted, because `nonResourceURLs` grant no rights on objects.
 */
function urlsOf({ rule: { nonResourceURLs, verbs }, namespace }: PlacedRule): readonly string[] {
  const isRequested = verbs.some((verb) =>
    ['get', 'post', 'put', 'patch', 'delete'].includes(verb),
  );
  const urls = namespace === undefined && isRequested ? (nonResourceURLs ?? []) : [];
  return urls.filter((url) => !OF_OBJECTS.test(url));
}

/** Paths that Kubernetes treats as requests for a resource. */
const OF_OBJECTS = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/[^/]/;

/**
 * The accesses that a rule grants. The subresource `finalizers` and verbs such as `use` are omitted: no
 * request has them, and only admission checks them.
 */
function accessesOf({ rule, namespace }: PlacedRule): readonly RequestedAccess[] {
  const { apiGroups, resources, resourceNames, verbs: given } = rule;
  const verbs = given.filter((verb) => Object.hasOwn(METHOD_OF, verb)) as PathVerb[];
  if (verbs.length === 0) return [];
  const names = [...new Set(resourceNames ?? [])].sort();
  return (apiGroups ?? []).flatMap((group) =>
    (resources ?? []).flatMap((resource) => {
      const [plural = '', ...rest] = resource.split('/');
      const subresource = rest.length === 0 ? undefined : rest.join('/');
      if (subresource === 'finalizers') return [];
      if (namespace !== undefined && group === '' && plural === 'namespaces') {
        return namespaceAccess(namespace, subresource, verbs);
      }
      const namespaced = namespace !== undefined || builtIn.ofPlural(plural, group)?.namespaced;
      return {
        resource: { group, version: group === '' ? 'v1' : undefined, plural, namespaced },
        ...{ subresource, namespace, verbs },
        ...(names.length > 0 && { resourceNames: names }),
      };
    }),
  );
}

/**
 * The access of a Role to its own Namespace. Kubernetes treats a Namespace as an object inside itself, so a
 * Role can allow requests for it by its name.
 */
function namespaceAccess(
  name: string,
  subresource: string | undefined,
  given: readonly PathVerb[],
): readonly RequestedAccess[] {
  const verbs = given.filter((verb) => ['get', 'update', 'patch', 'delete'].includes(verb));
  if (verbs.length === 0) return [];
  const resource = { group: '', version: 'v1', plural: 'namespaces', namespaced: false };
  return [{ resource, subresource, namespace: undefined, verbs, resourceNames: [name] }];
}

/** True for the Pod's own Namespace, whose name is known only in the Pod. */
function isOfOwnNamespace({ resource, resourceNames }: RequestedAccess): boolean {
  const isNamespace = resource.group === '' && resource.plural === 'namespaces';
  return isNamespace && resourceNames?.length === 1 && resourceNames[0] === POD_NAMESPACE;
}

const builtIn = knownKinds();

function byText(a: RequestedAccess, b: RequestedAccess): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

function keyOf({ resource, subresource = '', namespace = '', ...rest }: RequestedAccess): string {
  return JSON.stringify([resource.group, resource.plural, subresource, namespace, rest]);
}

/**
 * Patterns for the paths by which discovery reads the groups, the versions of a group, and the resources of a
 * version.
 */
function discoveryPatterns(accesses: readonly RequestedAccess[]): readonly string[] {
  const groups = [...new Set(accesses.map(({ resource }) => resource.group))].sort();
  return [
    '^/apis?$',
    ...groups.flatMap((group) => {
      if (group === '') return ['^/api/v1$'];
      const root = rootPattern({ group, version: undefined });
      const ofGroup = `^/apis/${group.replaceAll('.', '[.]')}`;
      return [`${ofGroup}(${root.slice(ofGroup.length)})?$`];
    }),
  ];
}
