import type { Declared } from '../../controller/access-declaration.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { groupVersionPath, resourceName } from '../../model/resource.ts';
import { type Method, methodOf, type RequestedAccess } from '../merge-access.ts';
import type { Placement } from '../placement.ts';
import { accessOf } from '../required-access.ts';
import { filterProblems, type ProxyFilter, REJECT_PATHS } from './filter-problems.ts';
import {
  collectionPattern,
  type OpenedPaths,
  objectPattern,
  openedPaths,
  rootPattern,
} from './opened-paths.ts';

export type { ProxyFilter } from './filter-problems.ts';
export { REJECT_PATHS } from './filter-problems.ts';

/** The pattern for the path that the probe of the ambassador reads. */
export const PROBE_PATH: string = '^/version$';

/**
 * The pattern for the reviews by which an operator finds out its own rights. Kubernetes allows them to every
 * authenticated user.
 */
export const SELF_REVIEW_PATH: string =
  '^/apis/authorization[.]k8s[.]io/v1/selfsubject(rules|access)reviews$';

/** Methods that an HTTP server may support. */
const METHODS = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'];

/**
 * The narrowest filter that `kubectl proxy` supports for these controllers. It also opens `/version` and the
 * reviews of the operator's own rights, which every operator needs.
 *
 * The filter can check neither combinations of method and path nor queries, so RBAC remains the real limit:
 * see `rbac`. `openedBeyondRights` returns the requests that pass this filter although no role grants them.
 *
 * The filter is about as long as the roles: it has one line per resource, with the namespaces and names.
 *
 * @throws ConfigurationError `CONFIG` for a name that cannot be part of a path, for a subresource that is
 *   always refused, such as `pods/exec`, and for a filter that is too long for an argument.
 */
export function proxyFilter(declarations: readonly Declared[], placement: Placement): ProxyFilter {
  return filterOf(accessOf(declarations, placement));
}

/**
 * The narrowest filter for the requests that these accesses allow.
 *
 * @param accesses - the accesses, which must be sorted.
 * @param more - anchored patterns of paths that the filter accepts in addition.
 * @throws ConfigurationError `CONFIG` in the same cases as `proxyFilter`.
 */
export function filterOf(
  accesses: readonly RequestedAccess[],
  more: readonly string[] = [],
): ProxyFilter {
  const requested = accesses.filter(({ unrequested }) => unrequested !== true);
  for (const access of requested) refuseTunnels(access);
  const used = new Set<string>(usedMethods(requested));
  const unused = METHODS.filter((method) => !used.has(method));
  const filter = {
    acceptPaths: [
      ...new Set([PROBE_PATH, SELF_REVIEW_PATH, ...more, ...pathPatterns(openedPaths(requested))]),
    ],
    rejectPaths: REJECT_PATHS,
    rejectMethods: [`^(${unused.join('|')})$`],
  };
  requireSound(filter);
  return filter;
}

/** The methods that pass the filter. They always include GET for the probe and POST for the reviews. */
export function usedMethods(accesses: readonly RequestedAccess[]): ReadonlySet<Method> {
  const requested = accesses.filter(({ unrequested }) => unrequested !== true);
  const verbs = requested.flatMap((access) => access.verbs);
  return new Set(['GET', 'POST', ...verbs.flatMap((verb) => methodOf(verb) ?? [])]);
}

/**
 * The filter as arguments of `kubectl proxy`. If the same argument is given twice, kubectl uses the second.
 */
export function proxyArguments(filter: ProxyFilter): readonly string[] {
  return [
    `--accept-paths=${filter.acceptPaths.join(',')}`,
    `--reject-paths=${filter.rejectPaths.join(',')}`,
    `--reject-methods=${filter.rejectMethods.join(',')}`,
  ];
}

function requireSound(filter: ProxyFilter): void {
  const [first] = filterProblems(filter);
  if (first === undefined) return;
  const { flag, pattern, problem } = first;
  throw new ConfigurationError(`the generated filter is unusable: ${problem}`, {
    context: { flag, pattern: pattern.slice(0, 200) },
  });
}

/**
 * Subresources that are refused in every group, because they are tunnels to containers in aggregated APIs as
 * well.
 */
const TUNNELS: ReadonlySet<string | undefined> = new Set([
  'attach',
  'exec',
  'portforward',
  'proxy',
]);

function refuseTunnels({ resource, subresource }: RequestedAccess): void {
  const { group, version = 'v1', plural, namespaced } = resource;
  const scope = namespaced === false ? '' : '/namespaces/x';
  const path = `${groupVersionPath({ group, version })}${scope}/${plural}/x/${subresource}`;
  const isRejected = REJECT_PATHS.some((pattern) => new RegExp(pattern).test(path));
  if (subresource === undefined || !(isRejected || TUNNELS.has(subresource))) return;
  throw new ConfigurationError('the ambassador never lets this subresource through', {
    context: { resource: resourceName(resource), subresource },
  });
}

/**
 * Anchored patterns that match only these paths. If the same paths of a resource are open in several
 * namespaces, these namespaces share a pattern.
 */
function pathPatterns(opened: readonly OpenedPaths[]): readonly string[] {
  // Paths that are open in every namespace are not repeated for single namespaces. So a group contains either
  // paths in every namespace or paths in single namespaces.
  const alike = Map.groupBy(opened, ({ namespace: _, resource, ...paths }) =>
    JSON.stringify([rootPattern(resource), resource.plural, paths]),
  );
  return [...new Set([...alike.values()].flatMap(patternsOf))];
}

/** @param places - paths that differ only in their namespaces. */
function patternsOf(places: readonly OpenedPaths[]): readonly string[] {
  const [paths] = places;
  if (paths === undefined) return [];
  const { resource, collection, objects, acrossNamespaces, discovery } = paths;
  const inPlaces = collectionPattern(
    resource,
    places.map(({ namespace }) => namespace),
  );
  const object = objects.length === 0 ? '' : objectPattern(paths, objects);
  return [
    ...(discovery ? [`${rootPattern(resource)}$`] : []),
    ...(acrossNamespaces ? [`${rootPattern(resource)}/${resource.plural}$`] : []),
    ...(collection || object !== ''
      ? [`${inPlaces}${collection && object !== '' ? `(${object})?` : object}$`]
      : []),
  ];
}

/**
 * The fields of a Deployment that a strategic merge patch contains if it changes the arguments of one
 * container.
 */
interface ProxyPatch {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly name: string; readonly args: readonly string[] }];
      };
    };
  };
}

/**
 * A strategic merge patch for kustomize that opens the ambassador in a Deployment. Without these arguments
 * the ambassador's image refuses every path.
 *
 * @param args - all arguments of the container. The arguments of the filter, see `proxyArguments`, come last.
 */
export function proxyPatch(
  args: readonly string[],
  { deployment, container }: { readonly deployment: string; readonly container: string },
): ProxyPatch {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: deployment },
    spec: { template: { spec: { containers: [{ name: container, args }] } } },
  };
}
