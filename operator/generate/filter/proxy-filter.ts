import type { Controller } from '../../controller/controller.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { groupVersionPath, resourceName } from '../../model/resource.ts';
import { type AccessRule, METHOD_OF, type Method } from '../access/merge-access.ts';
import { accessOf } from '../access/required-access.ts';
import type { Placement } from '../placement.ts';
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

/** What the ambassador's own probe asks for. */
export const PROBE_PATH: string = '^/version$';

/** Where an operator asks what it may do. Kubernetes lets everybody ask who is authenticated. */
export const SELF_REVIEW_PATH: string =
  '^/apis/authorization[.]k8s[.]io/v1/selfsubject(rules|access)reviews$';

/** Methods that an HTTP server may act upon. */
const METHODS = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'];

/**
 * The narrowest filter that `kubectl proxy` can express for these controllers, and the questions that
 * are always asked: `/version`, and what the operator may do.
 *
 * It knows neither pairs of method and path nor queries, so RBAC stays the boundary: see `rbac`, and
 * `openedBeyondRights` for what this one lets through and the roles do not grant.
 *
 * It is as long as the roles: a line for each resource, with its namespaces and names.
 *
 * @throws ConfigurationError `CONFIG` for a name that cannot stand in a path, for a subresource that
 *   is always refused, such as `pods/exec`, and for a filter that is too long for an argument.
 */
export function proxyFilter(controllers: readonly Controller[], placement: Placement): ProxyFilter {
  const accesses = accessOf(controllers, placement).filter(({ unrequested }) => !unrequested);
  for (const access of accesses) refuseTunnels(access);
  const used = new Set<string>(usedMethods(accesses));
  const unused = METHODS.filter((method) => !used.has(method));
  const filter = {
    acceptPaths: [
      ...new Set([PROBE_PATH, SELF_REVIEW_PATH, ...pathPatterns(openedPaths(accesses))]),
    ],
    rejectPaths: REJECT_PATHS,
    rejectMethods: [`^(${unused.join('|')})$`],
  };
  requireSound(filter);
  return filter;
}

/** The methods that pass: GET for the probe and POST for the reviews at least. */
export function usedMethods(accesses: readonly AccessRule[]): ReadonlySet<Method> {
  const requested = accesses.filter(({ unrequested }) => unrequested !== true);
  const verbs = requested.flatMap((access) => access.verbs);
  return new Set(['GET', 'POST', ...verbs.map((verb) => METHOD_OF[verb])]);
}

/** The filter as arguments of `kubectl proxy`. Of an argument given twice, kubectl takes the last. */
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

/** In whatever group: those of aggregated APIs are no less a tunnel. */
const TUNNELS: ReadonlySet<string | undefined> = new Set([
  'attach',
  'exec',
  'portforward',
  'proxy',
]);

function refuseTunnels({ resource, subresource }: AccessRule): void {
  const scope = resource.namespaced ? '/namespaces/x' : '';
  const path = `${groupVersionPath(resource)}${scope}/${resource.plural}/x/${subresource}`;
  const isRejected = REJECT_PATHS.some((pattern) => new RegExp(pattern).test(path));
  if (subresource === undefined || !(isRejected || TUNNELS.has(subresource))) return;
  throw new ConfigurationError('the ambassador never lets this subresource through', {
    context: { resource: resourceName(resource), subresource },
  });
}

/**
 * Anchored patterns that match these paths and no other. Namespaces where a resource is used in the
 * same way share one.
 */
function pathPatterns(opened: readonly OpenedPaths[]): readonly string[] {
  // What is open in every namespace is not open in one besides, so that those two are never alike.
  const alike = Map.groupBy(opened, ({ namespace: _, resource, ...paths }) =>
    JSON.stringify([rootPattern(resource), resource.plural, paths]),
  );
  return [...new Set([...alike.values()].flatMap(patternsOf))];
}

/** @param places - alike but for their namespaces. */
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

/** A Deployment, as far as a strategic merge patch of one container's arguments needs it. */
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
 * A strategic merge patch, as kustomize takes it, that opens the ambassador in a Deployment: its image
 * refuses every path until it is given these arguments.
 */
export function proxyPatch(
  filter: ProxyFilter,
  { deployment, container }: { readonly deployment: string; readonly container: string },
): ProxyPatch {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: deployment },
    spec: {
      template: { spec: { containers: [{ name: container, args: proxyArguments(filter) }] } },
    },
  };
}
