import type { Controller } from '../../controller/controller.ts';
import type { AccessRule, Method, Verb } from '../access/merge-access.ts';
import { grantedAccess } from '../access/merge-access.ts';
import { accessOf } from '../access/required-access.ts';
import type { Placement } from '../placement.ts';
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

/** Requests that pass the ambassador's filter, and that no role grants: the API server refuses them. */
export interface OpenedRequests {
  /** Anchored; it finds no path that the filter does not accept. */
  readonly path: string;
  /** Each once, in the order GET, POST, PUT, PATCH, DELETE. */
  readonly methods: readonly Method[];
  /**
   * Why the filter cannot refuse them.
   *
   * - `method`: none of them is granted; the methods pass for the sake of other paths.
   * - `name`: they are granted for `grantedNames` alone, and other methods for more than these.
   * - `query`: they are granted as a list and not as a watch, or the other way round, or with the field
   *   selector `metadata.name=…` for some names alone. A filter sees no query.
   */
  readonly because: 'method' | 'name' | 'query';
  /** Sorted; objects for which they are granted, with `query` both as a list and as a watch. */
  readonly grantedNames: readonly string[];
}

/**
 * What of `proxyFilter` is wider than `rbac` for the same declaration: `kubectl proxy` takes paths and
 * methods apart, and sees no query. A request that passes the filter is granted by the roles, or it
 * stands here. Of paths in every namespace it tells what is not granted in all of them.
 *
 * @throws ConfigurationError as `accessOf` does.
 */
export function openedBeyondRights(
  controllers: readonly Controller[],
  placement: Placement,
): readonly OpenedRequests[] {
  const accesses = accessOf(controllers, placement);
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

/** A path that Kubernetes opens for everybody, with one method. */
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

/** Some of the opened paths of a resource in one place, and methods that are not granted there. */
interface Surplus extends Omit<OpenedRequests, 'path'> {
  readonly paths: OpenedPaths;
  readonly part: Part;
  /** Of the part `objects`. */
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

/** What the API server takes a method on a collection for; `deletecollection` cannot be declared. */
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
  // Only a list or a watch can name an object here.
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

/** The objects that a verb is granted for, on these paths. */
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

/** Methods with the same paths and the same reason together, then namespaces with the same surplus. */
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

/** Each group as its first member and the others, in the order of the first ones. */
function groupedBy<T>(all: readonly T[], key: (one: T) => unknown): readonly [T, readonly T[]][] {
  const groups = Map.groupBy(all, (one) => JSON.stringify(key(one)));
  return [...groups.values()].flatMap(([first, ...rest]): [T, readonly T[]][] =>
    first === undefined ? [] : [[first, rest]],
  );
}
