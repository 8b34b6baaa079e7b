import type { ApiError } from 'chancery';
import { objectKey } from 'chancery/internal-objects';
import { statusOf } from '../failures/failure.ts';
import { notFound } from '../failures/object-failures.ts';
import { isObject } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { Storage } from '../storage/storage.ts';
import { type PolicyRule, rulesIn } from './policy-rule.ts';
import { type Caller, serviceAccountUser } from './user.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** A rule, and the binding that grants it. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  /**
   * The binding in the format of the server's messages: `RoleBinding "b/demo" of Role "r" to User "jane"`.
   */
  readonly source: string;
}

export interface GrantedRules {
  readonly rules: readonly GrantedRule[];
  /**
   * Errors for bindings that have the caller as a subject but grant nothing, because their role does not
   * exist.
   */
  readonly errors: readonly string[];
}

/** The reference from a binding to its role. */
export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/**
 * The rules that bindings currently grant to a caller.
 *
 * @param namespace - '' for cluster-scoped access, for which only ClusterRoleBindings count.
 */
export function grantedRules(storage: Storage, caller: Caller, namespace: string): GrantedRules {
  const bindings = [
    ...inOrderOfWriting(storage.list(`clusterrolebindings.${GROUP}`)),
    ...(namespace === '' ? [] : inOrderOfWriting(storage.list(`rolebindings.${GROUP}`, namespace))),
  ];
  const rules: GrantedRule[] = [];
  const errors: string[] = [];
  for (const binding of bindings) {
    const subject = subjectsOf(binding).find((one) => isSubject(one, caller, binding));
    if (subject === undefined) continue;
    const ref = roleRefOf(binding);
    const role = findRole(storage, ref, binding.metadata.namespace);
    if (role === undefined) errors.push(statusOf(roleMissing(ref)).message ?? '');
    else {
      const source = describe(binding, ref, subject);
      rules.push(...rulesIn(role).map((rule) => ({ rule, source })));
    }
  }
  return { rules, errors };
}

/**
 * Sorts bindings by creation, so that the order is always the same. A real server has no fixed
 * order.
 */
function inOrderOfWriting(bindings: readonly StoredObject[]): readonly StoredObject[] {
  return bindings.toSorted(
    (a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion),
  );
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

function subjectsOf({ subjects }: StoredObject): readonly Subject[] {
  if (!Array.isArray(subjects)) return [];
  return subjects.filter(isObject).map(({ kind, name, namespace }) => ({
    kind: String(kind ?? ''),
    name: String(name ?? ''),
    namespace: String(namespace ?? ''),
  }));
}

function isSubject(subject: Subject, caller: Caller, { metadata }: StoredObject): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === caller.name;
    case 'Group':
      return caller.groups.includes(subject.name);
    case 'ServiceAccount': {
      const namespace = subject.namespace || (metadata.namespace ?? '');
      return namespace !== '' && caller.name === serviceAccountUser(namespace, subject.name);
    }
    default:
      return false;
  }
}

/** The reference from a binding to its role. */
export function roleRefOf({ roleRef }: StoredObject): RoleRef {
  const { kind, name } = isObject(roleRef) ? roleRef : {};
  return { kind: String(kind ?? ''), name: String(name ?? '') };
}

/** @param namespace - the namespace of the binding; undefined for a ClusterRoleBinding. */
export function findRole(
  storage: Storage,
  { kind, name }: RoleRef,
  namespace: string | undefined,
): StoredObject | undefined {
  if (kind === 'ClusterRole') {
    return storage.get(`clusterroles.${GROUP}`, objectKey(undefined, name));
  }
  if (kind !== 'Role') return undefined;
  return storage.get(`roles.${GROUP}`, objectKey(namespace, name));
}

/**
 * The error for a binding to a role that does not exist. Where other messages contain the resource, this one
 * contains the kind of the role.
 */
export function roleMissing({ kind, name }: RoleRef): ApiError {
  return notFound({ group: GROUP, plural: kind.toLowerCase() }, name);
}

function describe({ kind, metadata }: StoredObject, ref: RoleRef, subject: Subject): string {
  const { name, namespace } = metadata;
  const binding = namespace === undefined ? name : `${name}/${namespace}`;
  const who =
    subject.kind === 'ServiceAccount'
      ? `${subject.name}/${subject.namespace || (namespace ?? '')}`
      : subject.name;
  return `${kind} "${binding}" of ${ref.kind} "${ref.name}" to ${subject.kind} "${who}"`;
}
