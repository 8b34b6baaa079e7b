import { type Resource, resourceName } from 'chancery';
import {
  AccessByScope,
  type AccessRule,
  type ChildWrites,
  controlledWritesOf,
  type Generating,
  groupPrefix,
  leaseNameOf,
  memberPrefix,
  type ParentWrites,
  POD_NAMESPACE,
  type PoliciesOptions,
} from 'chancery/internal';
import { isController } from 'chancery/low-level';

/** The operations of admission. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A declared kind of request: one operation on one resource, in one namespace or in all. */
export interface Target {
  readonly operation: Operation;
  readonly resource: Resource;
  readonly subresource: string | undefined;
  /**
   * The namespace of the requests. Undefined if they may be in any namespace, or if the resource is
   * cluster-scoped.
   */
  readonly namespace: string | undefined;
  /** The names of the objects. Undefined for all names. */
  readonly names: readonly string[] | undefined;
  /** An RE2 pattern for the whole name. If omitted, only `names` applies. */
  readonly namesLike?: string;
}

/** The declared writes of an operator. */
export interface Written {
  readonly name: string;
  /** The user name of the operator at the API server. */
  readonly user: string;
  readonly targets: readonly Target[];
  readonly children: readonly ChildWrites[];
  readonly parents: readonly ParentWrites[];
  /** Operations for which only a permission is declared, written like `keyOf` does. */
  readonly free: ReadonlySet<string>;
  /** The field managers of controllers and other declarations. */
  readonly fieldManagers: readonly string[];
  /** Kinds whose objects are read or written. */
  readonly kinds: readonly Resource[];
  readonly elects: boolean;
  /**
   * The name of the Lease of the set of replicas that share the work. Undefined when only one
   * replica works.
   */
  readonly set: string | undefined;
  readonly installsCrds: boolean;
}

/**
 * The declared writes of an operator.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `accessOf`.
 */
export function writtenBy(declared: readonly Generating[], options: PoliciesOptions): Written {
  const { name, serviceAccount, namespaces, leaderElection, installCrds = false } = options;
  const access = new AccessByScope(declared, installCrds);
  const election = leaderElection === undefined ? {} : { leaderElection };
  const own = serviceAccount.namespace;
  const placed = (rules: readonly AccessRule[]): readonly Target[] =>
    rules.flatMap((rule) => targetsOf(rule, own));
  const elected = placed(access.ofElection(election));
  const set =
    leaderElection?.sharded === true
      ? (leaderElection.leaseName ?? leaseNameOf(declared))
      : undefined;
  const writes = declared.map(controlledWritesOf);
  const others = writes.flatMap((each) => each.others);
  return {
    name,
    user: `system:serviceaccount:${own}:${serviceAccount.name}`,
    targets: [
      ...placed(access.within(namespaces)),
      ...elected.map((each) => named(each, elected, set)),
    ],
    children: sorted(writes.flatMap((each) => each.children)),
    parents: sorted(writes.flatMap((each) => each.parents)),
    free: new Set(
      others.flatMap(({ resource, subresource, verbs }) =>
        verbs.flatMap((verb) => {
          const operation = operationOf(verb, subresource);
          return operation === undefined ? [] : [keyOf({ operation, resource, subresource })];
        }),
      ),
    ),
    fieldManagers: declared.flatMap((each) =>
      isController(each) ? [each.name] : (each.fieldManagers ?? [each.name]),
    ),
    kinds: access.within(namespaces).map(({ resource }) => resource),
    elects: leaderElection !== undefined,
    set,
    installsCrds: installCrds,
  };
}

/** Removes duplicates and sorts, so that the order of declarations does not change the policies. */
function sorted<T extends ChildWrites | ParentWrites>(all: readonly T[]): readonly T[] {
  const key = ({ resource: { group, version, plural }, ...rest }: T): string =>
    JSON.stringify([group, plural, version, rest]);
  const byKey = new Map(all.map((each) => [key(each), each]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** The name of a kind of request in policies and messages: `UPDATE websites.example.dev/status`. */
export function keyOf({
  operation,
  resource,
  subresource,
}: Pick<Target, 'operation' | 'resource' | 'subresource'>): string {
  const part = subresource === undefined ? '' : `/${subresource}`;
  return `${operation} ${resourceName(resource)}${part}`;
}

function targetsOf(
  { resource, subresource, namespace, verbs, resourceNames, unrequested }: AccessRule,
  own: string,
): readonly Target[] {
  if (unrequested === true) return [];
  const operations = new Set(verbs.flatMap((verb) => operationOf(verb, subresource) ?? []));
  const place = namespace === POD_NAMESPACE ? own : namespace;
  return [...operations].map((operation) => ({
    ...{ operation, resource, subresource, namespace: place, names: resourceNames },
  }));
}

/** Subresources for which every request is a connection. */
const CONNECTIONS: readonly string[] = ['attach', 'exec', 'portforward', 'proxy'];

/** The admission operation of a verb. Undefined for a read. */
function operationOf(verb: string, subresource: string | undefined): Operation | undefined {
  if (subresource !== undefined && CONNECTIONS.includes(subresource)) return 'CONNECT';
  if (verb === 'create') return 'CREATE';
  if (verb === 'update' || verb === 'patch') return 'UPDATE';
  return verb === 'delete' ? 'DELETE' : undefined;
}

/**
 * Limits a target to names where a role cannot do so. A role cannot limit a create to names, and
 * cannot limit any verb to names that contain the name of a Pod. A policy can do both, so the
 * operator may create only the Leases that it renews.
 */
function named(target: Target, all: readonly Target[], set: string | undefined): Target {
  const isLease = resourceName(target.resource) === 'leases.coordination.k8s.io';
  if (set !== undefined && isLease) return { ...target, namesLike: namesOfSet(set) };
  if (target.operation !== 'CREATE' || target.names !== undefined) return target;
  const renewed = all.find(
    ({ operation, resource, names }) =>
      operation === 'UPDATE' && names !== undefined && resource === target.resource,
  );
  return { ...target, names: renewed?.names };
}

/**
 * An RE2 pattern for the names of a set's Leases: one Lease for the set, one per group, and one per
 * Pod. It allows all 64 possible groups, because during a roll-out replicas of the previous release
 * may divide keys into more groups.
 */
function namesOfSet(set: string): string {
  const [own, group, member] = [set, groupPrefix(set), memberPrefix(set)].map((name) =>
    name.replaceAll('.', '[.]'),
  );
  return `^(${own}|${group}([0-9]|[1-5][0-9]|6[0-3])|${member}.+)$`;
}
