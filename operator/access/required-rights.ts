import { groupVersionPath, isBuiltInGroup, type Resource } from '../model/resource.ts';
import type { Verb } from './merge-access.ts';
import type { AccessReason, RequiredAccessRule } from './required-access.ts';

/** The controller that needs a right, and the reason. */
export interface Need {
  /** If omitted, the process itself needs the right, or the ambassador next to it. */
  readonly controller?: string;
  /**
   * `discovery`: a source checks whether its resource is served. `probe`: the probe of the ambassador needs
   * the right.
   */
  readonly reason: AccessReason | 'discovery' | 'probe';
}

/**
 * The right to use one verb on one resource in one namespace or in all namespaces. An authorizer decides
 * about each such right separately.
 */
export interface RequiredRight {
  readonly verb: Verb;
  readonly resource: Resource;
  readonly subresource: string | undefined;
  /** Undefined if the right covers every namespace, or if the resource is cluster-scoped. */
  readonly namespace: string | undefined;
  /** Undefined if the right covers every object. */
  readonly name: string | undefined;
  readonly neededBy: readonly Need[];
}

/** A path that is read, but does not belong to a resource. */
export interface NeededPath {
  readonly path: string;
  readonly neededBy: readonly Need[];
}

/** Access, split into the rights and paths that an authorizer decides about. */
export interface NeededAccess {
  readonly rights: readonly RequiredRight[];
  readonly paths: readonly NeededPath[];
}

/** The declared access, split into single rights and paths. */
export function neededAccess(declared: readonly RequiredAccessRule[]): NeededAccess {
  return { rights: requiredRights(declared), paths: neededPaths(declared) };
}

/**
 * The declared access as single rights, without duplicates. A right for one object is omitted when the same
 * right is also needed for all objects. The same applies to namespaces.
 */
export function requiredRights(declared: readonly RequiredAccessRule[]): readonly RequiredRight[] {
  const rights = new Map<string, RequiredRight>();
  for (const access of declared) {
    for (const right of singleRights(access)) {
      const key = identityOf(right);
      const known = rights.get(key)?.neededBy ?? [];
      rights.set(key, { ...right, neededBy: together(known, right.neededBy) });
    }
  }
  const wider = (right: RequiredRight): RequiredRight | undefined =>
    widerForms(right)
      .map((form) => rights.get(identityOf(form)))
      .find((found) => found !== undefined);
  for (const [key, right] of rights) {
    const covering = wider(right);
    if (covering === undefined) continue;
    rights.delete(key);
    const neededBy = together(covering.neededBy, right.neededBy);
    rights.set(identityOf(covering), { ...covering, neededBy });
  }
  return [...rights.values()];
}

/**
 * The paths that are read and are not paths of a resource: the path that the ambassador's probe reads, and
 * the paths by which sources check whether their resource is served.
 */
function neededPaths(declared: readonly RequiredAccessRule[]): readonly NeededPath[] {
  const paths = new Map<string, readonly Need[]>([['/version', [{ reason: 'probe' }]]]);
  for (const { resource, reason, controller } of declared) {
    if (reason !== 'source' || isBuiltInGroup(resource)) continue;
    const path = groupVersionPath(resource);
    const need = { ...(controller !== undefined && { controller }), reason: 'discovery' } as const;
    paths.set(path, together(paths.get(path) ?? [], [need]));
  }
  return [...paths].map(([path, neededBy]) => ({ path, neededBy }));
}

function singleRights(access: RequiredAccessRule): readonly RequiredRight[] {
  const { resource, subresource, namespace, resourceNames, verbs, controller, reason } = access;
  const neededBy = [{ ...(controller !== undefined && { controller }), reason }];
  const names = resourceNames ?? [undefined];
  return verbs.flatMap((verb) =>
    names.map((name) => ({ verb, resource, subresource, namespace, name, neededBy })),
  );
}

/** The same right for all objects, for all namespaces, and for all objects in all namespaces. */
function widerForms(right: RequiredRight): readonly RequiredRight[] {
  const { name, namespace } = right;
  return [
    { ...right, name: undefined, namespace: undefined },
    { ...right, namespace: undefined },
    { ...right, name: undefined },
  ].filter((form) => form.name !== name || form.namespace !== namespace);
}

/**
 * A string that is the same for equal rights. It does not contain the version, because RBAC ignores versions.
 */
function identityOf({ verb, resource, subresource, namespace, name }: RequiredRight): string {
  const { group, plural } = resource;
  return JSON.stringify([verb, group, plural, subresource ?? 0, namespace ?? 0, name ?? 0]);
}

function together(known: readonly Need[], more: readonly Need[]): readonly Need[] {
  const isKnown = (need: Need): boolean =>
    known.some((one) => one.controller === need.controller && one.reason === need.reason);
  return [...known, ...more.filter((need) => !isKnown(need))];
}
