/** Overlays whose roles, network policy, disruption budget or election are wrong. */
import { plain, sharing } from '../good.ts';
import { type Canary, granting, OPERATOR, POD, withVariable } from './canary.ts';

const PDB = 'PodDisruptionBudget/op ';
const ROLE = 'Role/op rules[5]';
const SHARDS = `${OPERATOR}.env[CHANCERY_SHARDS]`;

export const SURROUNDINGS: readonly Canary[] = [
  {
    rule: 'rbac-bound',
    does: 'binds the role to another ServiceAccount',
    at: `${POD}serviceAccountName`,
    level: 'warning',
    broken: () => plain().set('RoleBinding.subjects.0.name', 'other'),
  },
  {
    rule: 'rbac-bound',
    does: 'binds the role to the ServiceAccount of another namespace',
    at: `${POD}serviceAccountName`,
    level: 'warning',
    broken: () => plain().set('RoleBinding.subjects.0.namespace', 'other'),
  },
  {
    rule: 'rbac-bound',
    does: 'binds a ClusterRole that is not in the manifests',
    at: 'RoleBinding/op roleRef',
    level: 'warning',
    broken: () => plain().set('RoleBinding.roleRef', { kind: 'ClusterRole', name: 'view' }),
  },
  {
    rule: 'rbac-subjects',
    does: 'binds the role to a user as well',
    at: 'RoleBinding/op subjects[1]',
    broken: () => plain().push('RoleBinding.subjects', { kind: 'User', name: 'jane' }),
  },
  {
    rule: 'rbac-no-wildcards',
    does: 'grants every verb',
    at: ROLE,
    broken: () => granting({ resources: ['configmaps'], verbs: ['*'] }),
  },
  {
    rule: 'rbac-no-wildcards',
    does: 'grants every resource of every group',
    at: ROLE,
    broken: () => granting({ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }),
  },
  ...['impersonate', 'escalate', 'bind'].map((verb) => ({
    rule: 'rbac-no-escalation',
    does: `grants the verb ${verb}`,
    at: ROLE,
    broken: () => granting({ resources: ['configmaps'], verbs: [verb] }),
  })),
  {
    rule: 'rbac-bind',
    does: 'grants the verb bind on a named role',
    at: ROLE,
    level: 'warning',
    broken: () =>
      granting({
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles'],
        resourceNames: ['view'],
        verbs: ['bind'],
      }),
  },
  ...['pods/exec', 'pods/portforward', 'services/proxy', 'serviceaccounts/token'].map(
    (resource) => ({
      rule: 'rbac-no-tunnels',
      does: `grants ${resource}`,
      at: ROLE,
      broken: () => granting({ resources: [resource], verbs: ['create'] }),
      also: ['right-without-path'],
    }),
  ),
  {
    rule: 'rbac-secrets',
    does: 'grants every Secret',
    at: ROLE,
    level: 'warning',
    broken: () =>
      granting(
        { resources: ['secrets'], verbs: ['list'] },
        '^/api/v1/namespaces/$(POD_NAMESPACE)/secrets$',
      ),
  },
  ...['REPLACE-ME', '10.0.0.1', '10.0.0.1/33', '10.0.0.256/32', ''].map((cidr) => ({
    rule: 'network-policy-filled',
    does: `has ${JSON.stringify(cidr)} as the address in the network policy`,
    at: 'NetworkPolicy/op spec.egress[0].to[0].ipBlock.cidr',
    broken: () => plain().set('NetworkPolicy.spec.egress.0.to.0.ipBlock.cidr', cidr),
  })),
  {
    rule: 'network-policy-filled',
    does: 'allows egress to every address',
    at: 'NetworkPolicy/op spec.egress[0].to[0].ipBlock.cidr',
    level: 'warning',
    broken: () => plain().set('NetworkPolicy.spec.egress.0.to.0.ipBlock.cidr', '0.0.0.0/0'),
  },
  ...([2, '100%', '51%'] as const).map((value) => ({
    rule: 'disruption-budget',
    does: `has a disruption budget that keeps ${value} of two replicas`,
    at: `${PDB}spec.minAvailable`,
    broken: () =>
      plain()
        .remove('PodDisruptionBudget.spec.maxUnavailable')
        .set('PodDisruptionBudget.spec.minAvailable', value),
  })),
  {
    rule: 'disruption-budget',
    does: 'has a disruption budget that allows no eviction',
    at: `${PDB}spec.maxUnavailable`,
    broken: () => plain().set('PodDisruptionBudget.spec.maxUnavailable', 0),
  },
  {
    rule: 'leader-election',
    does: 'runs two replicas without a leader election',
    at: `${OPERATOR}.env[CHANCERY_LEADER_ELECTION]`,
    broken: () => plain().remove('operator.env'),
  },
  {
    rule: 'leader-election',
    does: 'replaces one replica by a rolling update without a leader election',
    at: `${OPERATOR}.env[CHANCERY_LEADER_ELECTION]`,
    level: 'warning',
    broken: () => plain().remove('operator.env').set('Deployment.spec.replicas', 1),
  },
  ...['0', '3', '128', 'many'].map((groups) => ({
    rule: 'sharding',
    does: `sets CHANCERY_SHARDS to ${groups}`,
    at: SHARDS,
    broken: () => sharing(groups),
  })),
  {
    rule: 'sharding',
    does: 'turns sharding on without a leader election',
    at: SHARDS,
    says: 'CHANCERY_LEADER_ELECTION is "false"',
    broken: () => sharing('16').set('operator.env.0.value', 'false'),
  },
  {
    rule: 'sharding',
    does: 'turns sharding on with only the rights of a leader election',
    at: SHARDS,
    says: 'no role grants get, list, update of all Leases',
    broken: () => withVariable('operator', { name: 'CHANCERY_SHARDS', value: '16' }),
  },
  {
    rule: 'sharding',
    does: 'has hardly more groups than replicas',
    at: SHARDS,
    level: 'warning',
    says: 'twice the work',
    broken: () => sharing('4').set('Deployment.spec.replicas', 3),
  },
  {
    rule: 'sharding',
    does: 'has more replicas than groups',
    at: SHARDS,
    level: 'warning',
    says: 'has no work',
    broken: () => sharing('16').set('Deployment.spec.replicas', 64),
  },
];
