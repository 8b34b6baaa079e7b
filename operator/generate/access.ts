import type { Controller, Permission } from '../controller/controller.ts';
import type { Source } from '../controller/source.ts';
import { ConfigurationError } from '../core/errors.ts';
import { isBuiltInGroup } from '../model/built-in-group.ts';
import { customResourceDefinitions, events, leases } from '../model/builtin.ts';
import { type Resource, resourceName } from '../model/resource.ts';

export type Verb = Permission['verbs'][number];

/** Every verb that can be declared, in the order in which people list them. */
export const VERBS: readonly Verb[] = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
];

/**
 * The namespace of the Pod, as the kubelet writes it into a container's arguments (Downward API).
 * Roles for it name no namespace: they live where they are applied.
 */
export const POD_NAMESPACE: string = '$(POD_NAMESPACE)';

/** What is done to one resource in one place. */
export interface Access {
  readonly resource: Resource;
  readonly subresource: string | undefined;
  /** A name or `POD_NAMESPACE`; undefined for every namespace, or a cluster-scoped resource. */
  readonly namespace: string | undefined;
  /** Sorted as `VERBS`, each once. */
  readonly verbs: readonly Verb[];
  /** True when no request is made, and admission only asks whether one would be allowed. */
  readonly unrequested?: boolean;
}

/** Where sources are that leave their namespace to the settings. */
export interface Placement {
  /** A name or `POD_NAMESPACE`; undefined for every namespace. */
  readonly namespace: string | undefined;
  /** Left out: the settings say that every replica works. */
  readonly leaderElection?: {
    /** Where the Lease is: a name or `POD_NAMESPACE`. */
    readonly namespace: string;
  };
}

/**
 * Everything that controllers do at the API server: get, list and watch of their sources, the writes
 * that follow from `owns`, `finalizer` and a status, their permissions, and the Events that the toolkit
 * records for them. Merged and sorted, so that equal declarations give equal answers.
 *
 * Objects that carry the finalizer and are no longer selected are looked for where the source looks,
 * past its selectors: what lists the source may do that, too.
 *
 * A permission holds where its controller looks: in the namespaces of its namespaced sources, and in
 * all of them when it has none.
 *
 * @throws ConfigurationError `CONFIG` for a name that could mean more than itself in a path pattern.
 */
export function accessOf(
  controllers: readonly Controller[],
  placement: Placement,
): readonly Access[] {
  const merged = new Map<string, Access>();
  const ofControllers = controllers.flatMap((controller) => accessOfOne(controller, placement));
  for (const access of [...ofControllers, ...accessOfElection(placement)]) {
    refuseUnusableNames(access);
    const { resource, subresource, namespace, verbs } = access;
    const { group, version, plural } = resource;
    const identity = JSON.stringify([group, version, plural, subresource ?? '', namespace ?? '']);
    const before = merged.get(identity);
    const known = new Set([...(before?.verbs ?? []), ...verbs]);
    const unrequested = access.unrequested === true && (before?.unrequested ?? true);
    merged.set(identity, {
      resource,
      subresource,
      namespace,
      verbs: VERBS.filter((verb) => known.has(verb)),
      ...(unrequested && { unrequested }),
    });
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, access]) => access);
}

function accessOfOne(controller: Controller, placement: Placement): readonly Access[] {
  const { for: root, owns, watches, permissions } = controller;
  const sources = [root, ...[...owns, ...watches].map(({ source }) => source)];
  const places = namespacesOf(sources, placement);
  const toEvents = eventPlaces([...sources, ...permissions], places);
  return [
    ...sources.flatMap((source) => accessOfSource(source, placement)),
    ...owns.map(({ source }) => accessTo(source, placement, ['create', 'patch'])),
    ...accessToRoot(controller, placement),
    ...permissions.flatMap(({ resource, subresource, verbs }) =>
      (resource.namespaced ? places : [undefined]).map((namespace) => ({
        resource,
        subresource,
        namespace,
        verbs,
      })),
    ),
    ...toEvents.map((namespace) => ({
      resource: events,
      subresource: undefined,
      namespace,
      verbs: ['create', 'patch'] as const,
    })),
  ];
}

/** What is written to the reconciled objects themselves. */
function accessToRoot(
  { for: root, owns, finalizer }: Controller,
  placement: Placement,
): readonly Access[] {
  const accesses: Access[] = [];
  if (finalizer !== undefined) accesses.push(accessTo(root, placement, ['patch']));
  if ((root.resource as { readonly hasStatus?: boolean }).hasStatus === true) {
    accesses.push({ ...accessTo(root, placement, ['patch']), subresource: 'status' });
  }
  if (owns.length > 0) {
    // `blockOwnerDeletion` in a child, where OwnerReferencesPermissionEnforcement is on, as on OpenShift.
    const asked = { ...accessTo(root, placement, ['update']), subresource: 'finalizers' };
    accesses.push({ ...asked, unrequested: true });
  }
  return accesses;
}

function accessTo(
  { resource, namespace }: Source,
  placement: Placement,
  verbs: readonly Verb[],
): Access {
  return {
    resource,
    subresource: undefined,
    namespace: resource.namespaced ? resolve(namespace, placement) : undefined,
    verbs,
  };
}

/** The elector reads, makes and renews its Lease, and tells there who leads. */
function accessOfElection({ leaderElection }: Placement): readonly Access[] {
  if (leaderElection === undefined) return [];
  const { namespace } = leaderElection;
  return [
    { resource: leases, subresource: undefined, namespace, verbs: ['get', 'create', 'update'] },
    { resource: events, subresource: undefined, namespace, verbs: ['create'] },
  ];
}

/** An Event is recorded beside its object, and in `default` when that has no namespace. */
function eventPlaces(
  regarding: readonly { readonly resource: Resource }[],
  places: readonly (string | undefined)[],
): readonly (string | undefined)[] {
  const beside = regarding.some(({ resource }) => resource.namespaced) ? places : [];
  const apart = regarding.some(({ resource }) => !resource.namespaced) ? ['default'] : [];
  return beside.includes(undefined) ? beside : [...beside, ...apart];
}

function accessOfSource(source: Source, placement: Placement): readonly Access[] {
  const own = accessTo(source, placement, ['get', 'list', 'watch']);
  if (source.onUnserved !== 'clear' || isBuiltInGroup(source.resource)) return [own];
  const asked = { resource: customResourceDefinitions, subresource: undefined } as const;
  return [own, { ...asked, namespace: undefined, verbs: ['get'] }];
}

function namespacesOf(
  sources: readonly Source[],
  placement: Placement,
): readonly (string | undefined)[] {
  const namespaces = new Set(
    sources
      .filter(({ resource }) => resource.namespaced)
      .map(({ namespace }) => resolve(namespace, placement)),
  );
  return namespaces.size === 0 || namespaces.has(undefined) ? [undefined] : [...namespaces];
}

function resolve(namespace: Source['namespace'], placement: Placement): string | undefined {
  if (namespace === 'configured') return placement.namespace;
  return namespace === 'all' ? undefined : namespace.name;
}

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function refuseUnusableNames({ resource, subresource, namespace }: Access): void {
  const { group, version, plural } = resource;
  const labels = [version, plural, ...(group === '' ? [] : group.split('.'))];
  if (subresource !== undefined) labels.push(subresource);
  if (namespace !== undefined && namespace !== POD_NAMESPACE) labels.push(namespace);
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong === undefined) return;
  throw new ConfigurationError('a declared name must be a-z, 0-9 and "-", as in a URL path', {
    context: { name: wrong, resource: resourceName(resource) },
  });
}
