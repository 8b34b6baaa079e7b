import { groupVersionPath, isBuiltInGroup, type Resource } from '../../model/resource.ts';
import type { Verb } from './merge-access.ts';
import type { AccessReason, RequiredAccessRule } from './required-access.ts';

/** Who needs a right, and for what. */
export interface Need {
  /** Left out: the process does, or the ambassador beside it. */
  readonly controller?: string;
  /** `discovery`: a source looks whether its resource is served; `probe`: that of the ambassador. */
  readonly reason: AccessReason | 'discovery' | 'probe';
}

/** One verb on one kind of object, in one place: what an authorizer decides about. */
export interface RequiredRight {
  readonly verb: Verb;
  readonly resource: Resource;
  readonly subresource: string | undefined;
  /** Undefined for every namespace, or a cluster-scoped resource. */
  readonly namespace: string | undefined;
  /** Undefined for every object. */
  readonly name: string | undefined;
  readonly neededBy: readonly Need[];
}

/** A path to read that names no resource. */
export interface NeededPath {
  readonly path: string;
  readonly neededBy: readonly Need[];
}

/**
 * What is declared, taken apart into single rights, each once. A right for one object or one namespace
 * is part of the one for all, where that is needed, too.
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

/** What is read beside objects: by the ambassador's probe, and where a source looks for its resource. */
export function neededPaths(declared: readonly RequiredAccessRule[]): readonly NeededPath[] {
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

/** The same for all objects, for all namespaces, and for both. */
function widerForms(right: RequiredRight): readonly RequiredRight[] {
  const { name, namespace } = right;
  return [
    { ...right, name: undefined, namespace: undefined },
    { ...right, namespace: undefined },
    { ...right, name: undefined },
  ].filter((form) => form.name !== name || form.namespace !== namespace);
}

/** RBAC knows no versions. */
function identityOf({ verb, resource, subresource, namespace, name }: RequiredRight): string {
  const { group, plural } = resource;
  return JSON.stringify([verb, group, plural, subresource ?? 0, namespace ?? 0, name ?? 0]);
}

function together(known: readonly Need[], more: readonly Need[]): readonly Need[] {
  const isKnown = (need: Need): boolean =>
    known.some((one) => one.controller === need.controller && one.reason === need.reason);
  return [...known, ...more.filter((need) => !isKnown(need))];
}
