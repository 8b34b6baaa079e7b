import { DNS_LABEL } from '../../model/dns-name.ts';
import { groupVersionPath, isBuiltInGroup } from '../../model/resource.ts';
import type { PathResource, RequestedAccess } from '../merge-access.ts';
import { namePattern } from '../usable-names.ts';

/** The names of objects, sorted; `all` for every name that the resource allows. */
export type ObjectNames = 'all' | readonly string[];

/** The paths of one resource or subresource that requests need in one namespace or in all. */
export interface OpenedPaths {
  readonly resource: PathResource;
  readonly subresource: string | undefined;
  /**
   * Undefined if requests need the paths in every namespace, or if the resource is cluster-scoped.
   */
  readonly namespace: string | undefined;
  /** True if the path of the collection over all namespaces is open. */
  readonly acrossNamespaces: boolean;
  /**
   * True if the path of the collection in `namespace` is open. For a cluster-scoped resource, this is the
   * only path of the collection.
   */
  readonly collection: boolean;
  readonly objects: ObjectNames;
  /** A source reads this path to check whether a missing resource is served now. True if the path is open. */
  readonly discovery: boolean;
}

/**
 * @param accesses - the accesses, which must be sorted. They may be merged, as in the result of `accessOf`.
 */
export function openedPaths(accesses: readonly RequestedAccess[]): readonly OpenedPaths[] {
  const requested = accesses.filter(({ unrequested }) => unrequested !== true);
  const byTarget = Map.groupBy(requested, ({ resource: { group, version, plural }, subresource }) =>
    JSON.stringify([group, version, plural, subresource ?? '']),
  );
  return [...byTarget.values()].flatMap((target) => {
    const byPlace = Map.groupBy(target, ({ namespace }) => namespace);
    const everywhere = pathsOf(byPlace.get(undefined) ?? []);
    return [...byPlace.values()]
      .flatMap((place) => pathsOf(place) ?? [])
      .map((paths) => (paths.namespace === undefined ? paths : without(paths, everywhere)))
      .filter(
        ({ collection, objects, discovery }) => collection || objects.length > 0 || discovery,
      );
  });
}

/**
 * All paths that these accesses need. All of the accesses must be to the same resource or subresource in the
 * same namespace.
 */
function pathsOf(accesses: readonly RequestedAccess[]): OpenedPaths | undefined {
  const [first] = accesses;
  if (first === undefined) return undefined;
  const { resource, subresource, namespace } = first;
  const isWhole = subresource === undefined;
  const lists = isWhole && accesses.some(({ verbs }) => hasAny(verbs, ['list', 'watch']));
  const clears = isWhole && accesses.some(({ verbs }) => verbs.includes('deletecollection'));
  // If only certain names may be created, objects are created by server-side apply, because the path of a
  // POST contains no name.
  const creates =
    isWhole &&
    accesses.some(({ verbs, resourceNames }) => {
      return resourceNames === undefined && verbs.includes('create');
    });
  return {
    resource,
    subresource,
    namespace,
    acrossNamespaces: lists && resource.namespaced === true && namespace === undefined,
    collection: lists || clears || creates,
    objects: namesOf(accesses.filter((access) => isByName(access))),
    discovery: lists && !isBuiltInGroup(resource),
  };
}

function isByName({ subresource, verbs, resourceNames }: RequestedAccess): boolean {
  if (subresource !== undefined) return true;
  if (hasAny(verbs, ['get', 'update', 'patch', 'delete'])) return true;
  return resourceNames !== undefined && verbs.includes('create');
}

function namesOf(accesses: readonly RequestedAccess[]): ObjectNames {
  const names = new Set<string>();
  for (const { resourceNames } of accesses) {
    if (resourceNames === undefined) return 'all';
    for (const name of resourceNames) names.add(name);
  }
  return [...names].sort();
}

/** `paths` without the paths that are already open in every namespace. */
function without(paths: OpenedPaths, everywhere: OpenedPaths | undefined): OpenedPaths {
  if (everywhere === undefined) return paths;
  return {
    ...paths,
    collection: paths.collection && !everywhere.collection,
    objects: namesBeyond(paths.objects, everywhere.objects),
  };
}

/** The names in `names` that `known` does not contain. */
export function namesBeyond(names: ObjectNames, known: ObjectNames): ObjectNames {
  if (known === 'all') return [];
  return names === 'all' ? 'all' : names.filter((name) => !known.includes(name));
}

function hasAny<V>(list: readonly V[], values: readonly V[]): boolean {
  return values.some((value) => list.includes(value));
}

/** Matches every version of a group. The name of a version is a DNS label. */
const ANY_VERSION = DNS_LABEL;

/** The pattern for the beginning of a path, up to the version. It is anchored at the start. */
export function rootPattern({
  group,
  version = ANY_VERSION,
}: Pick<PathResource, 'group' | 'version'>): string {
  const path = groupVersionPath({ group, version: version === ANY_VERSION ? 'v1' : version });
  const parent = path.slice(0, path.lastIndexOf('/')).replaceAll('.', '[.]');
  return `^${parent}/${version}`;
}

/**
 * The pattern of the path of a collection in these namespaces, anchored at the start.
 *
 * @param namespaces - `[undefined]` for every namespace, and for a cluster-scoped resource.
 */
export function collectionPattern(
  resource: PathResource,
  namespaces: readonly (string | undefined)[],
): string {
  const names = namespaces.map((namespace) => namespace ?? DNS_LABEL);
  const inNamespaces = `/namespaces/${alternatives(names)}`;
  if (resource.namespaced === false) return `${rootPattern(resource)}/${resource.plural}`;
  const isOptional = resource.namespaced === undefined && namespaces.includes(undefined);
  const scope = isOptional ? `(${inNamespaces})?` : inNamespaces;
  return `${rootPattern(resource)}${scope}/${resource.plural}`;
}

/**
 * The pattern for the rest of an object's path, after the path of its collection: `/name` or
 * `/name/subresource`.
 */
export function objectPattern(
  { resource, subresource }: Pick<OpenedPaths, 'resource' | 'subresource'>,
  objects: ObjectNames,
): string {
  const name =
    objects === 'all'
      ? namePattern(resource)
      : alternatives(objects.map((each) => each.replaceAll('.', '[.]')));
  return subresource === undefined ? `/${name}` : `/${name}/${subresource}`;
}

function alternatives(patterns: readonly string[]): string {
  return patterns.length === 1 ? (patterns[0] ?? '') : `(${patterns.join('|')})`;
}
