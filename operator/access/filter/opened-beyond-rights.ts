import type { Declared } from '../../controller/access-declaration.ts';
import type { AccessRule, Method, Verb } from '../merge-access.ts';
import { grantedAccess } from '../merge-access.ts';
import type { Placement } from '../placement.ts';
import { accessOf } from '../required-access.ts';
import {
  collectionPattern,
  namesBeyond,
  type ObjectNames,
  type OpenedPaths,
  objectPattern,
  openedPaths,
  rootPattern,
} from './opened-paths.ts';
import { PROBE_PATH, SELF_REVIEW_PATH, usedMethods } from './proxy-filter.ts';

/** Requests that pass the ambassador's filter, but that no role grants. The API server refuses them. */
export interface OpenedRequests {
  /** An anchored pattern, which matches only paths that the filter accepts. */
  readonly path: string;
  /** The methods of the requests, without duplicates, in the order GET, POST, PUT, PATCH, DELETE. */
  readonly methods: readonly Method[];
  /**
   * Why the filter cannot refuse these requests.
   *
   * - `method`: none of the methods is granted on these paths. They pass because other paths need these
   *   methods.
   * - `name`: the methods are granted only for `grantedNames`, while other methods are granted for
   *   more names.
   * - `query`: the requests are granted as a list but not as a watch, or vice versa, or only with the field
   *   selector `metadata.name=…` for some names. A filter cannot see the query.
   */
  readonly because: 'method' | 'name' | 'query';
  /**
   * The names of the objects for which the requests are granted, sorted. If `because` is `query`, the
   * requests for these objects are granted both as a list and as a watch.
   */
  readonly grantedNames: readonly string[];
}

/**
 * The requests that `proxyFilter` passes and `rbac` does not grant, for the same declaration. The filter is
 * wider because `kubectl proxy` checks paths and methods separately, and cannot see the query. Every request
 * that passes the filter is either granted by the roles or part of the result. For paths that are open in
 * every namespace, the result contains the requests that are not granted in every namespace.
 *
 * @throws ConfigurationError in the same cases as `accessOf`.
 */
export function openedBeyondRights(
  declarations: readonly Declared[],
  placement: Placement,
): readonly OpenedRequests[] {
  const accesses = accessOf(declarations, placement);
  const opened = openedPaths(accesses);
  const groupVersions = opened.filter(({ discovery }) => discovery);
  const discovery = new Set(groupVersions.map(({ resource }) => `${rootPattern(resource)}$`));
  const used = usedMethods(accesses);
  const methods = METHODS.filter((method) => used.has(method));
  const rights = grantedAccess(accesses);
  const surplus = opened.flatMap((paths) => surplusOf(paths, methods, rights));
  return [
    ...otherMethods(PROBE_PATH, methods, 'GET'),
    ...otherMethods(SELF_REVIEW_PATH, methods, 'POST'),
    ...[...discovery].flatMap((path) => otherMethods(path, methods, 'GET')),
    ...joined(surplus),
  ];
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The methods that are not granted on a path on which Kubernetes allows only the method `granted` to all
 * users.
 */
function otherMethods(
  path: string,
  methods: readonly Method[],
  granted: Method,
): readonly OpenedRequests[] {
  const others = methods.filter((method) => method !== granted);
  if (others.length === 0) return [];
  return [{ path, methods: others, because: 'method', grantedNames: [] }];
}

type Part = 'acrossNamespaces' | 'collection' | 'objects';

/**
 * Open paths of a resource in one namespace or in all namespaces, with the methods that no role grants on
 * these paths.
 */
interface Surplus extends Omit<OpenedRequests, 'path'> {
  readonly paths: OpenedPaths;
  readonly part: Part;
  /** The objects whose paths are open. Used only if `part` is `objects`. */
  readonly objects: ObjectNames;
}

function surplusOf(
  paths: OpenedPaths,
  methods: readonly Method[],
  rights: readonly AccessRule[],
): readonly Surplus[] {
  const reach = (verb: Verb): ObjectNames => reachOf(rights, paths, verb);
  const ofCollection = (part: Part): readonly Surplus[] =>
    methods.flatMap((method) =>
      surplusOfCollection(method, reach).map((one) => ({ ...one, paths, part })),
    );
  return [
    ...(paths.acrossNamespaces ? ofCollection('acrossNamespaces') : []),
    ...(paths.collection ? ofCollection('collection') : []),
    ...methods.flatMap((method) =>
      surplusOfObjects(method, paths.objects, reach).map((one) => ({
        ...one,
        paths,
        part: 'objects' as const,
      })),
    ),
  ];
}

/**
 * The verbs that the API server checks for each method on a collection. DELETE has no verb here, because
 * `deletecollection` cannot be declared.
 */
const COLLECTION_VERBS: Readonly<Record<Method, readonly Verb[]>> = {
  GET: ['list', 'watch'],
  POST: ['create'],
  PUT: ['update'],
  PATCH: ['patch'],
  DELETE: [],
};

function surplusOfCollection(
  method: Method,
  reach: (verb: Verb) => ObjectNames,
): readonly Omit<Surplus, 'paths' | 'part'>[] {
  const reaches = COLLECTION_VERBS[method].map(reach);
  if (reaches.length > 0 && reaches.every((each) => each === 'all')) return [];
  const surplus = { methods: [method], objects: [] };
  // On the path of a collection, only a list or a watch can be limited to one object, by a field selector.
  if (method !== 'GET' || reaches.every(({ length }) => length === 0)) {
    return [{ ...surplus, because: 'method', grantedNames: [] }];
  }
  const named = reaches.filter((each) => each !== 'all');
  const names = (named[0] ?? []).filter((name) => named.every((each) => each.includes(name)));
  return [{ ...surplus, because: 'query', grantedNames: names }];
}

const OBJECT_VERB: Readonly<Record<Method, Verb>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

function surplusOfObjects(
  method: Method,
  opened: ObjectNames,
  reach: (verb: Verb) => ObjectNames,
): readonly Omit<Surplus, 'paths' | 'part'>[] {
  const granted = reach(OBJECT_VERB[method]);
  const objects = namesBeyond(opened, granted);
  if (objects.length === 0) return [];
  const grantedNames = objects === 'all' && granted !== 'all' ? granted : [];
  return [
    {
      methods: [method],
      objects,
      grantedNames,
      because: grantedNames.length > 0 ? 'name' : 'method',
    },
  ];
}

/** The objects for which a verb is granted on these paths. */
function reachOf(
  rights: readonly AccessRule[],
  { resource: { group, plural }, subresource, namespace }: OpenedPaths,
  verb: Verb,
): ObjectNames {
  const names = new Set<string>();
  for (const right of rights) {
    if (right.resource.group !== group || right.resource.plural !== plural) continue;
    if (right.subresource !== subresource || !right.verbs.includes(verb)) continue;
    if (right.namespace !== undefined && right.namespace !== namespace) continue;
    if (right.resourceNames === undefined) return 'all';
    for (const name of right.resourceNames) names.add(name);
  }
  return [...names].sort();
}

/**
 * Merges entries that differ only in their methods, and then entries that differ only in their namespaces.
 */
function joined(surplus: readonly Surplus[]): readonly OpenedRequests[] {
  const byMethod = groupedBy(surplus, ({ methods: _, ...rest }) => rest).map(([first, rest]) => ({
    ...first,
    methods: [first, ...rest].flatMap(({ methods }) => methods),
  }));
  const target = ({ resource, subresource }: OpenedPaths): readonly unknown[] => [
    rootPattern(resource),
    resource.plural,
    subresource,
  ];
  return groupedBy(byMethod, ({ paths, ...rest }) => [target(paths), rest]).map(([first, rest]) => {
    const { methods, because, grantedNames } = first;
    return { path: pathOf(first, [first, ...rest]), methods, because, grantedNames };
  });
}

function pathOf(
  { paths, part, objects }: Surplus,
  alike: readonly Pick<Surplus, 'paths'>[],
): string {
  const { resource } = paths;
  if (part === 'acrossNamespaces') return `${rootPattern(resource)}/${resource.plural}$`;
  const namespaces = alike.map((each) => each.paths.namespace);
  const collection = collectionPattern(resource, namespaces);
  return part === 'collection'
    ? `${collection}$`
    : `${collection}${objectPattern(paths, objects)}$`;
}

/**
 * Groups values by `key`. Each group is a pair of its first value and a list of all further values. Groups
 * are ordered by their first values.
 */
function groupedBy<T>(all: readonly T[], key: (one: T) => unknown): readonly [T, readonly T[]][] {
  const groups = Map.groupBy(all, (one) => JSON.stringify(key(one)));
  return [...groups.values()].flatMap(([first, ...rest]): [T, readonly T[]][] =>
    first === undefined ? [] : [[first, rest]],
  );
}
