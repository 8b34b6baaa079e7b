import type { Declared } from '../controller/access-declaration.ts';
import type { AccessRule, Verb } from './merge-access.ts';
import { grantedAccess } from './merge-access.ts';
import { type Placement, POD_NAMESPACE } from './placement.ts';
import { accessOf } from './required-access.ts';

const API_VERSION = 'rbac.authorization.k8s.io/v1';

/** One rule of a role. */
export interface RoleRule {
  /** A list with a single group, which is empty for the core group. */
  readonly apiGroups: readonly [string];
  /** Plurals, or subresources written as `plural/subresource`; sorted. */
  readonly resources: readonly string[];
  /** Names of objects, sorted. If omitted, the rule covers every object. */
  readonly resourceNames?: readonly string[];
  /** Sorted. */
  readonly verbs: readonly Verb[];
}

/** The Role for one namespace, or the ClusterRole for all namespaces and for cluster-scoped resources. */
export interface RbacRole {
  /** `rbac.authorization.k8s.io/v1`. */
  readonly apiVersion: typeof API_VERSION;
  /** A ClusterRole applies to every namespace, and to cluster-scoped objects. */
  readonly kind: 'Role' | 'ClusterRole';
  /** A ClusterRole, and the role for the Pod's own namespace, have no namespace. */
  readonly metadata: { readonly name: string; readonly namespace?: string };
  /** Sorted, so that the same controllers always produce the same text. */
  readonly rules: readonly RoleRule[];
}

/** The binding of a role to the ServiceAccount. */
export interface RbacRoleBinding {
  /** `rbac.authorization.k8s.io/v1`. */
  readonly apiVersion: typeof API_VERSION;
  /** The kind of the role, with `Binding` added. */
  readonly kind: 'RoleBinding' | 'ClusterRoleBinding';
  /** The name and namespace of the role. */
  readonly metadata: { readonly name: string; readonly namespace?: string };
  /** The role. */
  readonly roleRef: {
    readonly apiGroup: 'rbac.authorization.k8s.io';
    readonly kind: RbacRole['kind'];
    readonly name: string;
  };
  /** The ServiceAccount of the Pod. */
  readonly subjects: readonly [
    { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string },
  ];
}

/** The names of the roles, and the ServiceAccount that gets their rights. */
export interface RbacOptions extends Placement {
  /** The name of every role and binding. */
  readonly name: string;
  /** The ServiceAccount of the Pod, which gets the rights. */
  readonly serviceAccount: { readonly name: string; readonly namespace: string };
}

/**
 * Exactly the permissions that these controllers need: a Role with its binding for each namespace, and a
 * ClusterRole with its binding for all namespaces and for cluster-scoped resources.
 *
 * `/version`, which the ambassador's probe reads, is not included, because Kubernetes grants it to every
 * authenticated user through `system:public-info-viewer`.
 *
 * @throws ConfigurationError `CONFIG` for a declared name that cannot be part of a path.
 */
export function rbac(
  declarations: readonly Declared[],
  options: RbacOptions,
): readonly (RbacRole | RbacRoleBinding)[] {
  return rbacOf(accessOf(declarations, options), options);
}

/** The roles and bindings for these accesses. */
export function rbacOf(
  accesses: readonly AccessRule[],
  options: Pick<RbacOptions, 'name' | 'serviceAccount'>,
): readonly (RbacRole | RbacRoleBinding)[] {
  const byPlace = Map.groupBy(grantedAccess(accesses), ({ namespace }) => namespace ?? '');
  return [...byPlace]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([place, accesses]) => grant(place, rulesOf(accesses), options));
}

/** @param place - a namespace, or `''` for the whole cluster. */
function grant(
  place: string,
  rules: readonly RoleRule[],
  { name, serviceAccount }: Pick<RbacOptions, 'name' | 'serviceAccount'>,
): readonly [RbacRole, RbacRoleBinding] {
  const [kind, bindingKind] =
    place === ''
      ? (['ClusterRole', 'ClusterRoleBinding'] as const)
      : (['Role', 'RoleBinding'] as const);
  const metadata = place === '' || place === POD_NAMESPACE ? { name } : { name, namespace: place };
  return [
    { apiVersion: API_VERSION, kind, metadata, rules },
    {
      apiVersion: API_VERSION,
      kind: bindingKind,
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      subjects: [{ kind: 'ServiceAccount', ...serviceAccount }],
    },
  ];
}

/** The rules for these accesses. Resources of one group that have the same verbs and names share a rule. */
function rulesOf(accesses: readonly AccessRule[]): readonly RoleRule[] {
  const alike = Map.groupBy(accesses, ({ resource: { group }, verbs, resourceNames }) =>
    JSON.stringify([group, verbs, resourceNames]),
  );
  return [...alike.values()]
    .flatMap(([first, ...others]) => (first === undefined ? [] : [ruleOf(first, others)]))
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function ruleOf(first: AccessRule, others: readonly AccessRule[]): RoleRule {
  const { resource, resourceNames, verbs } = first;
  return {
    apiGroups: [resource.group],
    resources: [...new Set([first, ...others].map(ruleResource))].sort(),
    ...(resourceNames !== undefined && { resourceNames }),
    verbs,
  };
}

function ruleResource({ resource: { plural }, subresource }: AccessRule): string {
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}

function sortKey({ apiGroups, resources, resourceNames }: RoleRule): string {
  return JSON.stringify([apiGroups, resources, resourceNames ?? '']);
}
