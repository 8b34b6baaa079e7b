import type { AccessDeclaration, Declared } from '../controller/access-declaration.ts';
import { isCheckedVerb } from '../controller/checked-verbs.ts';
import {
  type Controller,
  definedResources,
  isController,
  leaseNameOf,
  type Permission,
  sourcesOf,
} from '../controller/controller.ts';
import { finalizerNameOf } from '../controller/finalizers/finalizer.ts';
import type { Source } from '../controller/source.ts';
import { ConfigurationError } from '../core/errors.ts';
import { customResourceDefinitions, events, leases } from '../model/builtin.ts';
import { declaresStatus } from '../model/custom-resource-definition.ts';
import { isBuiltInGroup, type Resource, resourceName } from '../model/resource.ts';
import type { AccessRule, Verb } from './merge-access.ts';
import { mergeAccess } from './merge-access.ts';
import type { Placement } from './placement.ts';
import { isUsableName, refuseUnusableNames } from './usable-names.ts';

/** What requires an access: an option of a declaration, or a feature of the process. */
export type AccessReason =
  | 'source'
  | 'owns'
  | 'finalizer'
  | 'status'
  | 'permission'
  | 'events'
  | 'leader election'
  | 'definitions';

/** A required access, the controller that needs it, and the reason. */
export interface RequiredAccessRule extends AccessRule {
  /** If omitted, the process itself needs the access, independent of its controllers. */
  readonly controller?: string;
  readonly reason: AccessReason;
}

/**
 * Only the access that the election requires, without the access that the operator's controllers
 * require.
 */
export function accessOfElectionOnly(
  declarations: readonly Declared[],
  leaderElection: Placement['leaderElection'],
): readonly AccessRule[] {
  const accesses = accessOfElection(declarations, leaderElection);
  for (const access of accesses) refuseUnusableNames(access);
  return mergeAccess(accesses);
}

/**
 * The access for everything that controllers request from the API server: reading their sources, the writes
 * for `owns`, `finalizer` and a status, their permissions, the Events that the toolkit records for them,
 * leader election, and installation. The result is merged and sorted, so that the result does not depend on
 * the order of the declarations. Only the name of the Lease depends on the order, see `leaseNameOf`. A verb
 * that is allowed on every object is not repeated for single objects. A verb that is allowed in every
 * namespace is not repeated for single namespaces.
 *
 * When the field selector of a source names one object, reads and writes of that source need access only to
 * this object.
 *
 * A finalizer needs `list` without selectors in the namespaces of the source, to find objects that have the
 * finalizer and are no longer selected.
 *
 * A permission without the option `namespaces` applies to the namespaces of the controller's namespaced
 * sources. If the controller has no such source, it applies to all namespaces.
 *
 * @throws ConfigurationError `CONFIG` for a name that has a special meaning in a path pattern, and for an
 *   empty list of names or namespaces, which Kubernetes would treat as all names or namespaces.
 */
export function accessOf(
  declarations: readonly Declared[],
  placement: Placement,
): readonly AccessRule[] {
  const declared = requiredAccess(declarations, placement);
  for (const access of declared) refuseUnusableNames(access);
  return mergeAccess(declared);
}

/** Every access that the declarations require, before merging: see `accessOf`. */
export function requiredAccess(
  declarations: readonly Declared[],
  placement: Placement,
): readonly RequiredAccessRule[] {
  if (placement.namespaces?.length === 0) {
    throw new ConfigurationError('namespaces is empty: name one, or leave it undefined for all');
  }
  return [
    ...declarations.flatMap((each) =>
      isController(each) ? accessOfOne(each, placement) : accessOfDeclaration(each, placement),
    ),
    ...because('leader election', accessOfElection(declarations, placement.leaderElection)),
    ...because(
      'definitions',
      placement.installCrds === true ? accessToDefinitions(declarations) : [],
    ),
  ];
}

function because(
  reason: AccessReason,
  accesses: readonly AccessRule[],
): readonly RequiredAccessRule[] {
  return accesses.map((access) => ({ ...access, reason }));
}

function accessOfDeclaration(
  { name, sources, permissions = [], recordsEvents = true }: AccessDeclaration,
  placement: Placement,
): readonly RequiredAccessRule[] {
  const permitted = permissions.flatMap(({ namespaces, resource, subresource, ...rest }) =>
    (resource.namespaced ? (namespaces ?? configuredOf(placement)) : [undefined]).map(
      (namespace) => ({ resource, subresource, namespace, ...rest }),
    ),
  );
  const places = [
    ...(sources.some(({ resource }) => resource.namespaced) ? placesOf(sources, placement) : []),
    ...permitted.filter(({ resource }) => resource.namespaced).map(({ namespace }) => namespace),
  ];
  const recorded = eventPlaces([...sources, ...permissions.filter(isHandled)], places).map(
    (namespace) => ({
      resource: events,
      subresource: undefined,
      namespace,
      verbs: ['create', 'patch'] as const,
    }),
  );
  return [
    ...sources.flatMap((source) => because('source', accessOfSource(source, placement))),
    ...because('permission', permitted.flatMap(checkedApart)),
    ...because('events', recordsEvents ? recorded : []),
  ].map((access) => ({ ...access, controller: name }));
}

/**
 * False if a permission has only verbs that admission checks, such as `bind` on a role. No Events are
 * recorded about such objects.
 */
function isHandled({ verbs }: Pick<AccessRule, 'verbs'>): boolean {
  return !verbs.every(isCheckedVerb);
}

/**
 * Splits an access into the verbs that requests can have, and the verbs that are checked only by admission
 * and need no path.
 */
function checkedApart(access: AccessRule): readonly AccessRule[] {
  const { checked = [], requested = [] } = Object.groupBy(access.verbs, (verb) =>
    isCheckedVerb(verb) ? 'checked' : 'requested',
  );
  return [
    ...(requested.length > 0 ? [{ ...access, verbs: requested }] : []),
    ...(checked.length > 0 ? [{ ...access, verbs: checked, unrequested: true }] : []),
  ];
}

function configuredOf({ namespaces }: Placement): readonly (string | undefined)[] {
  return namespaces ?? [undefined];
}

function accessOfOne(controller: Controller, placement: Placement): readonly RequiredAccessRule[] {
  const { owns, permissions } = controller;
  const sources = sourcesOf(controller);
  const places = placesOf(sources, placement);
  const permitted = permissions.flatMap(({ namespaces, resource, subresource, ...rest }) =>
    (resource.namespaced ? (namespaces ?? places) : [undefined]).map((namespace) => ({
      resource,
      subresource,
      namespace,
      ...rest,
    })),
  );
  const recorded = eventPlaces([...sources, ...permissions.filter(isHandled)], places).map(
    (namespace) => ({
      resource: events,
      subresource: undefined,
      namespace,
      verbs: ['create', 'patch'] as const,
    }),
  );
  return [
    ...sources.flatMap((source) => because('source', accessOfSource(source, placement))),
    ...owns.flatMap(({ source }) => because('owns', accessToChildren(source, placement))),
    ...accessToRoot(controller, placement),
    ...because('permission', permitted.flatMap(checkedApart)),
    ...because('events', recorded),
  ].map((access) => ({ ...access, controller: controller.name }));
}

function accessOfSource(source: Source, placement: Placement): readonly AccessRule[] {
  const own = accessTo(source, placement, ['get', 'list', 'watch']);
  const { resource, onUnserved } = source;
  if (onUnserved !== 'clear' || isBuiltInGroup(resource)) return own;
  return [
    ...own,
    {
      resource: customResourceDefinitions,
      subresource: undefined,
      namespace: undefined,
      verbs: ['get'],
      resourceNames: [resourceName(resource)],
    },
  ];
}

function accessToChildren(source: Source, placement: Placement): readonly AccessRule[] {
  return [
    // The verb `create` cannot be limited to names, because the path of a POST contains no name.
    ...accessTo({ ...source, fieldSelector: '' }, placement, ['create']),
    ...accessTo(source, placement, ['patch']),
  ];
}

/** The access for writes to the reconciled objects themselves. */
function accessToRoot(controller: Controller, placement: Placement): readonly RequiredAccessRule[] {
  const { for: root, owns, finalizer } = controller;
  const accesses: RequiredAccessRule[] = [];
  if (finalizer !== undefined) {
    accesses.push(...because('finalizer', accessTo(root, placement, ['patch'])));
  }
  if (finalizerNameOf(controller) !== undefined) {
    // Objects that are no longer selected are listed without selectors.
    const past = { ...root, fieldSelector: '' };
    accesses.push(...because('finalizer', accessTo(past, placement, ['list'])));
  }
  if (declaresStatus(root.resource) === true) {
    const status = { subresource: 'status' };
    accesses.push(...because('status', accessTo(root, placement, ['patch'], status)));
  }
  if (owns.length > 0) {
    // This right is needed to set `blockOwnerDeletion` in a child if the admission plug-in
    // OwnerReferencesPermissionEnforcement is enabled, as in OpenShift.
    const asked = { subresource: 'finalizers', unrequested: true };
    accesses.push(...because('owns', accessTo(root, placement, ['update'], asked)));
  }
  return accesses;
}

function accessTo(
  source: Source,
  placement: Placement,
  verbs: readonly Verb[],
  rest: Partial<AccessRule> = {},
): readonly AccessRule[] {
  const { resource, fieldSelector } = source;
  const name = selectedName(resource, fieldSelector);
  return (resource.namespaced ? namespacesOf(source, placement) : [undefined]).map((namespace) => ({
    resource,
    subresource: undefined,
    namespace,
    verbs,
    ...(name !== undefined && { resourceNames: [name] }),
    ...rest,
  }));
}

/** The single name that a field selector allows, according to the rules of an authorizer. */
function selectedName(resource: Resource, fieldSelector = ''): string | undefined {
  for (const term of fieldSelector.split(',')) {
    const name = /^metadata\.name==?([^=!].*)$/.exec(term)?.[1];
    if (name !== undefined) return isUsableName(resource, name) ? name : undefined;
  }
  return undefined;
}

/**
 * The elector reads, creates and renews its Lease, and records an Event in the Lease's namespace for a new
 * leader. Replicas that share the work also list the Leases of their set. The Lease of a replica has the name
 * of its Pod, so no Role can name it. Events about groups refer to the Pod. Events of hooks and of
 * Metacontroller's controllers may refer to the operator's own Pod, which is in the same namespace unless the
 * settings say otherwise. Events of both kinds can be repeated, so they need `patch`.
 */
function accessOfElection(
  declarations: readonly Declared[],
  leaderElection: Placement['leaderElection'],
): readonly AccessRule[] {
  if (leaderElection === undefined) return [];
  const { namespace, leaseName = leaseNameOf(declarations) } = leaderElection;
  const repeats = declarations.some((each) => !isController(each) && each.recordsEvents !== false);
  const lease = { resource: leases, subresource: undefined, namespace };
  return [
    ...(leaderElection.sharded === true
      ? [{ ...lease, verbs: ['create', 'get', 'list', 'update'] as const }]
      : [
          { ...lease, verbs: ['create'] as const },
          { ...lease, verbs: ['get', 'update'] as const, resourceNames: [leaseName] },
        ]),
    {
      resource: events,
      subresource: undefined,
      namespace,
      verbs: repeats || leaderElection.sharded === true ? ['create', 'patch'] : ['create'],
    },
  ];
}

function accessToDefinitions(declarations: readonly Declared[]): readonly AccessRule[] {
  return permissionsForCrds(declarations).map((permission) => ({
    subresource: undefined,
    namespace: undefined,
    ...permission,
  }));
}

/** An Event is in the namespace of its object, or in `default` when the object has no namespace. */
function eventPlaces(
  regarding: readonly { readonly resource: Resource }[],
  places: readonly (string | undefined)[],
): readonly (string | undefined)[] {
  const beside = regarding.some(({ resource }) => resource.namespaced) ? places : [];
  const apart = regarding.some(({ resource }) => !resource.namespaced) ? ['default'] : [];
  return beside.includes(undefined) ? beside : [...beside, ...apart];
}

/** The namespaces in which a controller watches objects. */
function placesOf(
  sources: readonly Source[],
  placement: Placement,
): readonly (string | undefined)[] {
  const namespaces = new Set(
    sources
      .filter(({ resource }) => resource.namespaced)
      .flatMap((source) => namespacesOf(source, placement)),
  );
  return namespaces.size === 0 || namespaces.has(undefined) ? [undefined] : [...namespaces];
}

function namespacesOf(
  { namespace }: Source,
  placement: Placement,
): readonly (string | undefined)[] {
  if (namespace === 'configured') return placement.namespaces ?? [undefined];
  return [namespace === 'all' ? undefined : namespace.name];
}

/**
 * The permissions that `ensureCrds` needs. Empty when no resource has a definition.
 *
 * `ensureCrds` creates definitions by server-side apply. The path of an apply contains the name, so the right
 * can be limited to these definitions.
 */
export function permissionsForCrds(declarations: readonly Declared[]): readonly Permission[] {
  const resourceNames = definedResources(declarations).map(
    ({ definition }) => definition.metadata.name,
  );
  if (resourceNames.length === 0) return [];
  const verbs = ['get', 'create', 'patch'] as const;
  return [{ resource: customResourceDefinitions, verbs, resourceNames }];
}
