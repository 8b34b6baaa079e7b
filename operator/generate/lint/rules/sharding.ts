import type { Problem, Rule } from '../diagnostic.ts';
import { type Installation, variable } from '../installation.ts';
import { homeOf } from '../path-pattern.ts';
import { grantsOf, rightsOf } from '../rights-and-paths.ts';

const SHARDS = 'CHANCERY_SHARDS';
const MAX_GROUPS = 64;

/**
 * The verbs that are needed on the Leases of groups and replicas. The names of these Leases are
 * unknown before the Pods exist.
 */
const LEASE_VERBS = ['create', 'get', 'list', 'update'] as const;

export const sharding: Rule = {
  id: 'sharding',
  check: (installation): readonly Problem[] => {
    const { operator } = installation;
    const text = variable(operator?.container, SHARDS)?.value;
    if (operator === undefined || text === undefined) return [];
    const path = `${operator.path}.env[${SHARDS}]`;
    const groups = Number(text);
    if (!(groups >= 1 && groups <= MAX_GROUPS && Number.isInteger(Math.log2(groups)))) {
      const why = 'the operator does not start';
      return [
        { path, wrong: `is ${JSON.stringify(text)}`, why, todo: 'set 1, 2, 4, 8, 16, 32 or 64' },
      ];
    }
    return [
      ...withoutElection(installation, path),
      ...withoutRights(installation, path),
      ...tooFewGroups(groups, installation, path),
    ];
  },
};

function withoutElection({ operator }: Installation, path: string): readonly Problem[] {
  if (variable(operator?.container, 'CHANCERY_LEADER_ELECTION')?.value !== 'false') return [];
  return [
    {
      path,
      wrong: 'is set, and CHANCERY_LEADER_ELECTION is "false"',
      why: 'groups of keys are Leases of the election, and the operator does not start',
      todo: 'leave CHANCERY_LEADER_ELECTION out, or CHANCERY_SHARDS',
    },
  ];
}

/** Reports missing rights on Leases. Other rules report a missing role. */
function withoutRights(installation: Installation, path: string): readonly Problem[] {
  const grants = grantsOf(installation);
  if (grants.length === 0 || grants.some(({ rules }) => rules === undefined)) return [];
  const home = homeOf(installation);
  const namespace = variable(installation.operator?.container, 'CHANCERY_LEASE_NAMESPACE')?.value;
  const rights = rightsOf(grants).filter(
    ({ group, plural, names, namespace: place }) =>
      (group === 'coordination.k8s.io' || group === '*') &&
      (plural === 'leases' || plural === '*') &&
      names === undefined &&
      (place === undefined || place === (namespace ?? home)),
  );
  const missing = LEASE_VERBS.filter(
    (wanted) => !rights.some(({ verb }) => verb === wanted || verb === '*'),
  );
  if (missing.length === 0) return [];
  return [
    {
      path,
      wrong: `is set, and no role grants ${missing.join(', ')} of all Leases of the namespace`,
      why: 'each group and each replica has a Lease, and without them nothing is reconciled',
      todo: 'generate the roles with the same number: `chancery generate manifests --shards`',
    },
  ];
}

/**
 * Reports too few groups. If there are fewer than two groups per replica, some replicas have twice
 * the work of other replicas, or no work at all.
 */
function tooFewGroups(
  groups: number,
  { replicas = 1 }: Installation,
  path: string,
): readonly Problem[] {
  if (replicas < 2 || groups >= 2 * replicas) return [];
  return [
    {
      level: 'warning',
      path,
      wrong: `is ${groups}, with ${replicas} replicas`,
      why:
        groups < replicas
          ? 'a replica without a group has no work'
          : 'a replica with two groups has twice the work of one with one',
      todo: `set it to a power of two that is at least twice the number of replicas${2 * replicas > MAX_GROUPS ? ', or have fewer replicas' : ''}`,
    },
  ];
}
