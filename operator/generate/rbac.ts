import type { Controller } from '../controller/controller.ts';
import {
  type Access,
  accessOf,
  type Placement,
  POD_NAMESPACE,
  VERBS,
  type Verb,
} from './access.ts';

const API_VERSION = 'rbac.authorization.k8s.io/v1';

export interface PolicyRule {
  readonly apiGroups: readonly [string];
  /** Plurals, or `plural/subresource`; sorted. */
  readonly resources: readonly string[];
  readonly verbs: readonly Verb[];
}

export interface Role {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Role' | 'ClusterRole';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly PolicyRule[];
}

export interface RoleBinding {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'RoleBinding' | 'ClusterRoleBinding';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef: {
    readonly apiGroup: 'rbac.authorization.k8s.io';
    readonly kind: Role['kind'];
    readonly name: string;
  };
  readonly subjects: readonly [
    { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string },
  ];
}

export interface RbacOptions extends Placement {
  /** Of every object. */
  readonly name: string;
  /** Who may: the ServiceAccount of the Pod. */
  readonly serviceAccount: { readonly name: string; readonly namespace: string };
}

/**
 * The permissions of these controllers and no more: a Role and its binding for each namespace, and a
 * ClusterRole with its binding for what is in every namespace or in none.
 *
 * `/version`, which the ambassador's probe asks for, is not in it: Kubernetes grants that to everybody
 * who is authenticated, by `system:public-info-viewer`.
 *
 * @throws ConfigurationError `CONFIG` for a declared name that cannot stand in a path.
 */
export function rbac(
  controllers: readonly Controller[],
  options: RbacOptions,
): readonly (Role | RoleBinding)[] {
  const byPlace = Map.groupBy(accessOf(controllers, options), ({ namespace }) => namespace ?? '');
  return [...byPlace]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([place, accesses]) => grant(place, rulesOf(accesses), options));
}

/** @param place - a namespace, or '' for the cluster. */
function grant(
  place: string,
  rules: readonly PolicyRule[],
  { name, serviceAccount }: RbacOptions,
): readonly [Role, RoleBinding] {
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

/** Resources of one group with the same verbs share a rule. RBAC knows no versions. */
function rulesOf(accesses: readonly Access[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, { group: string; resource: string; verbs: Set<Verb> }>();
  for (const { resource, subresource, verbs } of accesses) {
    const { group, plural } = resource;
    const name = subresource === undefined ? plural : `${plural}/${subresource}`;
    const identity = JSON.stringify([group, name]);
    const known = verbsOf.get(identity)?.verbs ?? [];
    verbsOf.set(identity, { group, resource: name, verbs: new Set([...known, ...verbs]) });
  }
  const alike = Map.groupBy(verbsOf.values(), ({ group, verbs }) =>
    JSON.stringify([group, VERBS.filter((verb) => verbs.has(verb))]),
  );
  return [...alike]
    .map(([identity, members]): PolicyRule => {
      const [group, verbs] = JSON.parse(identity) as [string, Verb[]];
      return {
        apiGroups: [group],
        resources: members.map((member) => member.resource).sort(),
        verbs,
      };
    })
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function sortKey({ apiGroups, resources }: PolicyRule): string {
  return JSON.stringify([apiGroups, resources]);
}
