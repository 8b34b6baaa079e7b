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

/** The operations that admission knows. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Requests that are declared: one operation on one resource, in one place. */
export interface Target {
  readonly operation: Operation;
  readonly resource: Resource;
  readonly subresource: string | undefined;
  /** Undefined for all, and for a resource without one. */
  readonly namespace: string | undefined;
  /** Undefined for all. */
  readonly names: readonly string[] | undefined;
  /** A pattern of RE2 for the whole name. Left out: `names` says all. */
  readonly namesLike?: string;
}

/** What an operator writes. */
export interface Written {
  readonly name: string;
  /** As whom the API server knows it. */
  readonly user: string;
  readonly targets: readonly Target[];
  readonly children: readonly ChildWrites[];
  readonly parents: readonly ParentWrites[];
  /** Operations on resources of which only that is known. As `keyOf` writes them. */
  readonly free: ReadonlySet<string>;
  /** Controllers and other declarations, by name, with the names under which they own fields. */
  readonly fieldManagers: readonly string[];
  /** Kinds of which objects are read or written. */
  readonly kinds: readonly Resource[];
  readonly elects: boolean;
  /** The set of replicas that share the work: the name of its Lease. Undefined: one replica works. */
  readonly set: string | undefined;
  readonly installsCrds: boolean;
}

/** @throws ConfigurationError `CONFIG` as `accessOf`. */
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

/** Equal declarations give equal policies, in whichever order they stand. */
function sorted<T extends ChildWrites | ParentWrites>(all: readonly T[]): readonly T[] {
  const key = ({ resource: { group, version, plural }, ...rest }: T): string =>
    JSON.stringify([group, plural, version, rest]);
  const byKey = new Map(all.map((each) => [key(each), each]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** `UPDATE websites.example.dev/status`: how policies and people name what is asked. */
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

/** Subresources of which each request is a connection. */
const CONNECTIONS: readonly string[] = ['attach', 'exec', 'portforward', 'proxy'];

/** Undefined for a read. */
function operationOf(verb: string, subresource: string | undefined): Operation | undefined {
  if (subresource !== undefined && CONNECTIONS.includes(subresource)) return 'CONNECT';
  if (verb === 'create') return 'CREATE';
  if (verb === 'update' || verb === 'patch') return 'UPDATE';
  return verb === 'delete' ? 'DELETE' : undefined;
}

/** A role cannot limit a create to names, nor anything to names of Pods. A policy can: only the Leases that are renewed are created. */
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
 * The names of the Leases of a set, as RE2 reads them: that of the set itself, one for each group, and one for each Pod. All 64
 * groups that there can be: during a roll-out, replicas of the release before may divide keys into more of them.
 */
function namesOfSet(set: string): string {
  const [own, group, member] = [set, groupPrefix(set), memberPrefix(set)].map((name) =>
    name.replaceAll('.', '[.]'),
  );
  return `^(${own}|${group}([0-9]|[1-5][0-9]|6[0-3])|${member}.+)$`;
}
