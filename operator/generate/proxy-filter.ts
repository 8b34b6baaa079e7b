import type { Controller } from '../controller/controller.ts';
import { ConfigurationError } from '../core/errors.ts';
import { isBuiltInGroup } from '../model/built-in-group.ts';
import { groupVersionPath, resourceName } from '../model/resource.ts';
import { type Access, accessOf, type Placement, type Verb } from './access.ts';
import { LABEL, namePattern } from './usable-names.ts';

/**
 * What the ambassador lets through: values for the flags of `kubectl proxy` with these names. A
 * request passes when no reject pattern finds its decoded path or its method, and an accept pattern
 * finds the path.
 */
export interface ProxyFilter {
  /** Each is anchored, and has no comma or brace: kubectl splits the flag at every comma. */
  readonly acceptPaths: readonly string[];
  readonly rejectPaths: readonly string[];
  readonly rejectMethods: readonly string[];
}

/** What the ambassador's own probe asks for. */
const PROBE_PATH = '^/version$';

/**
 * Refused whatever is accepted: subresources that open tunnels or hand out tokens, segments of dots,
 * and characters that are only there to be decoded twice.
 */
export const REJECT_PATHS: readonly string[] = [
  '^/api/v1/namespaces/[^/]+/(pods|services)/[^/]+/(exec|attach|portforward|proxy|ephemeralcontainers)(/|$)',
  '^/api/v1/nodes/[^/]+/proxy(/|$)',
  '^/api/v1/namespaces/[^/]+/serviceaccounts/[^/]+/token$',
  '/[.][.]?(/|$)',
  '[%\\\\]',
];

const METHOD_OF: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** Methods that an HTTP server may act upon; GET is always used, by the probe at least. */
const METHODS = ['CONNECT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'];

/**
 * The narrowest filter that `kubectl proxy` can express for these controllers.
 *
 * It knows neither pairs of method and path nor queries, so RBAC stays the boundary: see `rbac`.
 *
 * @throws ConfigurationError `CONFIG` for a name that cannot stand in a path, and for a subresource
 *   that is always refused, such as `pods/exec`.
 */
export function proxyFilter(controllers: readonly Controller[], placement: Placement): ProxyFilter {
  const accesses = accessOf(controllers, placement).filter(({ unrequested }) => !unrequested);
  for (const access of accesses) refuseTunnels(access);
  const used = new Set(accesses.flatMap(({ verbs }) => verbs.map((verb) => METHOD_OF[verb])));
  const unused = METHODS.filter((method) => !used.has(method));
  return {
    acceptPaths: [...new Set([PROBE_PATH, ...accesses.flatMap(patternsOf)])],
    rejectPaths: REJECT_PATHS,
    rejectMethods: [`^(${unused.join('|')})$`],
  };
}

/** The filter as arguments of `kubectl proxy`. Of an argument given twice, kubectl takes the last. */
export function proxyArguments(filter: ProxyFilter): readonly string[] {
  return [
    `--accept-paths=${filter.acceptPaths.join(',')}`,
    `--reject-paths=${filter.rejectPaths.join(',')}`,
    `--reject-methods=${filter.rejectMethods.join(',')}`,
  ];
}

function patternsOf({
  resource,
  subresource,
  namespace,
  verbs,
  resourceNames,
}: Access): readonly string[] {
  const root = groupVersionPath(resource).replaceAll('.', '[.]');
  const { plural } = resource;
  const scope = resource.namespaced ? `/namespaces/${namespace ?? LABEL}` : '';
  const collection = `${root}${scope}/${plural}`;
  const names = resourceNames?.map((name) => name.replaceAll('.', '[.]')).join('|');
  const object = `/${names === undefined ? namePattern(resource) : `(${names})`}`;
  if (subresource !== undefined) return [`^${collection}${object}/${subresource}$`];
  const lists = verbs.includes('list') || verbs.includes('watch');
  const listsAll = lists && resource.namespaced && namespace === undefined;
  const inCollection = lists || verbs.includes('create');
  const byName = verbs.some((verb) => ['get', 'update', 'patch', 'delete'].includes(verb));
  const tail = byName ? (inCollection ? `(${object})?` : object) : '';
  return [
    // Where a source looks whether its resource is served, when it was not.
    ...(lists && !isBuiltInGroup(resource) ? [`^${root}$`] : []),
    ...(listsAll ? [`^${root}/${plural}$`] : []),
    `^${collection}${tail}$`,
  ];
}

function refuseTunnels({ resource, subresource }: Access): void {
  if (subresource === undefined) return;
  const scope = resource.namespaced ? '/namespaces/x' : '';
  const path = `${groupVersionPath(resource)}${scope}/${resource.plural}/x/${subresource}`;
  if (!REJECT_PATHS.some((pattern) => new RegExp(pattern).test(path))) return;
  throw new ConfigurationError('the ambassador never lets this subresource through', {
    context: { resource: resourceName(resource), subresource },
  });
}
