import type { CheckedVerb } from '../controller/checked-verbs.ts';
import type { Permission } from '../controller/controller.ts';
import type { Resource } from '../model/resource.ts';

/** The objects for which one verb is allowed. */
interface Reach {
  all: boolean;
  readonly names: Set<string>;
}

/**
 * The accesses to one resource in one place, keyed by verb. `unrequested` has the accesses for which no
 * request is sent, because they are checked only by admission.
 */
interface Reaches {
  readonly requested: Map<Verb, Reach>;
  readonly unrequested: Map<Verb, Reach>;
}

/**
 * All accesses to one resource or subresource. `places` is keyed by namespace. The key `''` stands for all
 * namespaces, or for the cluster if the resource is cluster-scoped.
 */
interface Target {
  readonly resource: AccessRule['resource'];
  readonly subresource: AccessRule['subresource'];
  readonly places: Map<string, Reaches>;
}

/**
 * The same accesses, sorted, without duplicates. A verb that is allowed on every object is not
 * repeated for single objects. A verb that is allowed in every namespace is not repeated for single
 * namespaces. Requested and unrequested accesses are kept separate.
 */
export function mergeAccess(accesses: readonly AccessRule[]): readonly AccessRule[] {
  const targets = new Map<string, Target>();
  for (const access of accesses) add(targets, access);
  return [...targets].sort(byKey).flatMap(([, target]) => accessesOf(target));
}

function add(targets: Map<string, Target>, access: AccessRule): void {
  const { resource, subresource, namespace = '', resourceNames, verbs } = access;
  const { group, version, plural } = resource;
  const key = JSON.stringify([group, version, plural, subresource ?? '']);
  const target = getOrAdd(targets, key, () => ({ resource, subresource, places: new Map() }));
  const reaches = getOrAdd(target.places, namespace, () => ({
    requested: new Map(),
    unrequested: new Map(),
  }));
  const byVerb = access.unrequested === true ? reaches.unrequested : reaches.requested;
  for (const verb of verbs) {
    const reach = getOrAdd(byVerb, verb, () => ({ all: false, names: new Set<string>() }));
    if (resourceNames === undefined) reach.all = true;
    else for (const name of resourceNames) reach.names.add(name);
  }
}

function accessesOf({ resource, subresource, places }: Target): readonly AccessRule[] {
  const everywhere = places.get('');
  return [...places].sort(byKey).flatMap(([place, { requested, unrequested }]) => {
    const apart = place === '' ? [] : [everywhere];
    const where = { resource, subresource, namespace: place === '' ? undefined : place };
    const wider = apart.map((each) => each?.requested);
    const widest = [...wider, ...apart.map((each) => each?.unrequested), requested];
    return [
      ...grouped(requested, wider).map((each) => ({ ...where, ...each })),
      ...grouped(unrequested, widest).map((each) => ({ ...where, ...each, unrequested: true })),
    ];
  });
}

/**
 * Groups verbs that are allowed on the same objects. Objects on which `wider` already allows a verb
 * are omitted.
 */
function grouped(
  byVerb: ReadonlyMap<Verb, Reach>,
  wider: readonly (ReadonlyMap<Verb, Reach> | undefined)[],
): readonly Pick<AccessRule, 'verbs' | 'resourceNames'>[] {
  const verbsOf = new Map<string, Verb[]>();
  for (const verb of VERBS) {
    const reach = byVerb.get(verb);
    if (reach === undefined) continue;
    const others = wider.flatMap((each) => each?.get(verb) ?? []);
    const names = remaining(reach, others);
    if (names?.length === 0) continue;
    getOrAdd(verbsOf, names === undefined ? '' : JSON.stringify(names), () => []).push(verb);
  }
  return [...verbsOf].sort(byKey).map(([key, verbs]) => ({
    verbs,
    ...(key !== '' && { resourceNames: JSON.parse(key) as string[] }),
  }));
}

/** The names in `reach` that `others` do not contain. Undefined if `reach` covers every object. */
function remaining(reach: Reach, others: readonly Reach[]): readonly string[] | undefined {
  if (others.some(({ all }) => all)) return [];
  if (reach.all) return undefined;
  return [...reach.names].filter((name) => !others.some(({ names }) => names.has(name))).sort();
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** The same accesses without the facts that RBAC does not distinguish: the versions, and `unrequested`. */
export function grantedAccess(accesses: readonly AccessRule[]): readonly AccessRule[] {
  return mergeAccess(
    accesses.map(({ unrequested: _, ...access }) => ({
      ...access,
      resource: { ...access.resource, version: '' },
    })),
  );
}

export type Verb = Permission['verbs'][number];

/** A verb that a request can have. */
export type RequestVerb = Exclude<Verb, CheckedVerb>;

/** All verbs that can be declared, in their usual order. */
export const VERBS: readonly Verb[] = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'bind',
  'approve',
  'sign',
  'attest',
  'use',
];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The HTTP method of each verb. */
export const METHOD_OF: Readonly<Record<PathVerb, Method>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/** The HTTP method of a verb; undefined for a verb that no request can have. */
export function methodOf(verb: string): Method | undefined {
  return Object.hasOwn(METHOD_OF, verb) ? METHOD_OF[verb as PathVerb] : undefined;
}

/**
 * The members of a resource that determine its paths. If a resource is known only from a role, its version is
 * unknown, and its scope may be unknown, too.
 */
export interface PathResource extends Pick<Resource, 'group' | 'plural'> {
  /** Undefined if the version is unknown. The paths of every version are then needed. */
  readonly version: string | undefined;
  /** Undefined if the scope is unknown. The namespaced and the cluster-scoped paths are then needed. */
  readonly namespaced: boolean | undefined;
}

/** A verb that a role can contain. `deletecollection` cannot be declared. */
export type PathVerb = RequestVerb | 'deletecollection';

/** An access for which requests are sent: an `AccessRule`, or the access that a role grants. */
export interface RequestedAccess extends Omit<AccessRule, 'resource' | 'verbs'> {
  readonly resource: PathResource;
  /** Verbs that a request can have. If `unrequested` is true, other verbs are possible, too. */
  readonly verbs: readonly (PathVerb | CheckedVerb)[];
}

/** The verbs that are allowed on one resource or subresource in one namespace or in all. */
export interface AccessRule {
  readonly resource: Resource;
  readonly subresource: string | undefined;
  /**
   * A name or `POD_NAMESPACE`. If undefined, the rule covers every namespace, or the resource is
   * cluster-scoped.
   */
  readonly namespace: string | undefined;
  /** Verbs in the same order as in `VERBS`, without duplicates. */
  readonly verbs: readonly Verb[];
  /**
   * The names of objects, sorted and without duplicates. There is at least one name. If omitted, the rule
   * covers every object.
   */
  readonly resourceNames?: readonly string[];
  /**
   * True when the operator does not send such a request itself, and admission only checks whether the request
   * would be allowed.
   */
  readonly unrequested?: boolean;
}
