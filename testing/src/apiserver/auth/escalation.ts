import { isDeepStrictEqual } from 'node:util';
import { badRequest } from '../failures/failure.ts';
import { forbidden } from '../failures/object-failures.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Storage } from '../storage/storage.ts';
import { type Authorization, allOf } from './authorization.ts';
import { findRole, roleMissing, roleRefOf } from './granted-rules.ts';
import { type PolicyRule, rulesIn } from './policy-rule.ts';
import { describeRights, quotedList, uncovered } from './rule-coverage.ts';
import { type Caller, MASTERS } from './user.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES: ReadonlySet<string> = new Set(['roles', 'clusterroles']);
const BINDINGS: ReadonlySet<string> = new Set(['rolebindings', 'clusterrolebindings']);

/** What is needed to check a write for escalation: the rights of its caller, and the stored roles. */
interface Rbac {
  readonly authorization: Authorization;
  readonly storage: Storage;
}

/** A write to be checked for escalation. */
export interface GuardedWrite {
  readonly served: ServedResource;
  readonly namespace: string | undefined;
  /** The object after the write. */
  readonly object: StoredObject;
  /** The object before the write; undefined for a create. */
  readonly live: StoredObject | undefined;
}

/**
 * Refuses a write that grants rights that the caller does not have, through the rules of a role or a binding
 * to a role. A caller with the verb `escalate` on the role may write such rules, and a caller with the verb
 * `bind` may write such a binding.
 *
 * @param caller - the sender of the write; undefined for the server's own writes, which are always allowed.
 * @throws ApiError 403 with the missing rights; 404 for a binding to a role that does not exist.
 */
export function refuseEscalation(
  rbac: Rbac,
  { served, namespace, object, live }: GuardedWrite,
  caller: Caller | undefined,
): void {
  if (served.group !== GROUP || caller === undefined || caller.groups.includes(MASTERS)) return;
  const write = { served, namespace, object, live };
  if (live !== undefined && differsOnlyInOwnership(object, live)) return;
  if (ROLES.has(served.plural)) refuseRole(rbac, write, caller);
  if (BINDINGS.has(served.plural)) refuseBinding(rbac, write, caller);
}

function refuseRole(rbac: Rbac, write: GuardedWrite, caller: Caller): void {
  const { served, namespace = '', object, live } = write;
  const access = {
    verb: 'escalate',
    group: GROUP,
    resource: served.plural,
    subresource: '',
    namespace,
    // A create has no name in the path, only in the body.
    name: live === undefined ? '' : object.metadata.name,
  };
  if (rbac.authorization.decide(caller, access).allowed) return;
  refuseMissing(rbac, write, caller, rulesIn(object));
  const aggregated = [object, live].some((role) => role?.aggregationRule !== undefined);
  // A role with an aggregation rule could later grant any right. For callers with all rights, this function
  // has already returned.
  if (!aggregated) return;
  const why = 'must have cluster-admin privileges to use the aggregationRule';
  throw forbidden(served, object.metadata.name, why);
}

function refuseBinding(rbac: Rbac, write: GuardedWrite, caller: Caller): void {
  const { namespace, object } = write;
  const ref = roleRefOf(object);
  if (ref.kind !== 'Role' && ref.kind !== 'ClusterRole') {
    throw badRequest(`unsupported role reference kind: ${JSON.stringify(ref.kind)}`);
  }
  const access = {
    verb: 'bind',
    group: GROUP,
    resource: ref.kind === 'Role' ? 'roles' : 'clusterroles',
    subresource: '',
    namespace: namespace ?? '',
    name: ref.name,
  };
  if (rbac.authorization.decide(caller, access).allowed) return;
  const role = findRole(rbac.storage, ref, namespace);
  if (role === undefined) throw roleMissing(ref);
  refuseMissing(rbac, write, caller, rulesIn(role));
}

function refuseMissing(
  { authorization }: Rbac,
  { served, namespace = '', object }: GuardedWrite,
  caller: Caller,
  wanted: readonly PolicyRule[],
): void {
  const { rules, errors } = authorization.rightsOf(caller, namespace);
  const missing = uncovered(rules, wanted);
  if (missing.length === 0) return;
  const who = `user ${JSON.stringify(caller.name)} (groups=${quotedList(caller.groups)})`;
  const what = `is attempting to grant RBAC permissions not currently held:\n${describeRights(missing)}`;
  const unresolved = errors.length === 0 ? '' : `; resolution errors: [${allOf(errors)}]`;
  throw forbidden(served, object.metadata.name, `${who} ${what}${unresolved}`);
}

/**
 * True if the new and the stored object differ only in fields that a garbage collector changes before it
 * deletes an object.
 */
function differsOnlyInOwnership(object: StoredObject, live: StoredObject): boolean {
  return isDeepStrictEqual(withoutOwnership(object), withoutOwnership(live));
}

function withoutOwnership(object: StoredObject): object {
  const { ownerReferences: _, finalizers: __, managedFields: ___, ...metadata } = object.metadata;
  return { ...object, metadata };
}
