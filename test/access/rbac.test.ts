import { expect, test } from 'vitest';
import { POD_NAMESPACE } from '../../operator/access/placement.ts';
import { type RbacOptions, rbac } from '../../operator/access/rbac.ts';
import {
  type Controller,
  type ControllerOptions,
  controller,
  type Permission,
} from '../../operator/controller/controller.ts';
import { type SourceOptions, source } from '../../operator/controller/source.ts';
import { configMaps, daemonSets, deployments, pods } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';

const EVENTS = { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] };
const SOURCE = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] };

const own = {
  name: 'operator',
  namespaces: [POD_NAMESPACE],
  serviceAccount: { name: 'operator', namespace: 'home' },
};

function declare(permissions: readonly Permission[] = [], options?: SourceOptions): Controller {
  return controller({
    name: 'a',
    for: source(configMaps, options),
    permissions,
    reconcile: async () => {},
  });
}

test('a controller gets permissions only for its source and its Events, and they are bound to its ServiceAccount', () => {
  const objects = rbac([declare()], own);

  expect(objects).toEqual([
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'operator' },
      rules: [SOURCE, EVENTS],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'operator' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'operator' },
      subjects: [{ kind: 'ServiceAccount', name: 'operator', namespace: 'home' }],
    },
  ]);
});

test('a controller for every namespace needs a ClusterRole', () => {
  const objects = rbac([declare()], { ...own, namespaces: undefined });

  expect(objects.map(({ kind, metadata }) => [kind, metadata])).toEqual([
    ['ClusterRole', { name: 'operator' }],
    ['ClusterRoleBinding', { name: 'operator' }],
  ]);
});

test("for each configured namespace there is a Role, which is bound to the Pod's ServiceAccount", () => {
  const elsewhere = declare([], { namespace: { name: 'shared' } });

  const objects = rbac([declare(), elsewhere], own);

  expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ['Role', undefined],
    ['RoleBinding', undefined],
    ['Role', 'shared'],
    ['RoleBinding', 'shared'],
  ]);
  expect(objects.flatMap((object) => ('subjects' in object ? object.subjects : []))).toEqual([
    { kind: 'ServiceAccount', name: 'operator', namespace: 'home' },
    { kind: 'ServiceAccount', name: 'operator', namespace: 'home' },
  ]);
});

test('verbs of a resource are merged, resources of a group with equal verbs share a rule, and all are sorted', () => {
  const permissions: Permission[] = [
    { resource: deployments, verbs: ['patch', 'get'] },
    { resource: configMaps, verbs: ['patch', 'get'] },
    { resource: pods, subresource: 'eviction', verbs: ['create'] },
    { resource: daemonSets, verbs: ['get', 'patch'] },
    { resource: { ...deployments, version: 'v2', plural: 'crons' }, verbs: ['get', 'patch'] },
  ];

  const [role] = rbac([declare(permissions)], own);
  const [reversed] = rbac([declare([...permissions].reverse())], own);

  expect(role).toMatchObject({
    rules: [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
      {
        apiGroups: ['apps'],
        resources: ['crons', 'daemonsets', 'deployments'],
        verbs: ['get', 'patch'],
      },
      EVENTS,
    ],
  });
  expect(reversed).toEqual(role);
});

const websites = defineResource({
  group: 'example.dev',
  version: 'v1',
  plural: 'websites',
  kind: 'Website',
  namespaced: true,
});

/** The verbs that a controller of websites gets, by resource. */
function verbsFor(options: Partial<ControllerOptions<KubernetesObject>>): object {
  const declared = controller({
    name: 'a',
    for: websites,
    reconcile: async () => {},
    ...options,
  });
  return Object.fromEntries(
    rbac([declared], own)
      .flatMap((object) => ('rules' in object ? object.rules : []))
      .flatMap(({ resources, verbs }) => resources.map((name) => [name, verbs.join(' ')])),
  );
}

const READ = 'get list watch';
const RECORD = { events: 'create patch' };

test('[K-31] `owns` grants the permissions to write children, and to block the deletion of their owners', () => {
  expect(verbsFor({ owns: [configMaps] })).toEqual({
    ...RECORD,
    configmaps: `${READ} create patch`,
    websites: READ,
    'websites/finalizers': 'update',
  });
});

test('[K-31] admission and request permissions for the same subresource are in one rule', () => {
  const permissions: Permission[] = [
    { resource: websites, subresource: 'finalizers', verbs: ['patch'] },
  ];

  const declared = controller({
    name: 'a',
    for: websites,
    owns: [configMaps],
    permissions,
    reconcile: async () => {},
  });

  expect(rulesBesideEvents([declared])).toContain(
    'own: example.dev/websites/finalizers update patch',
  );
});

test('the permission to change the reconciled object is granted only if there is a finalizer', () => {
  const finalizer = { name: 'example.dev/cleanup', finalize: async () => {} };

  expect(verbsFor({ finalizer })).toEqual({ ...RECORD, websites: `${READ} patch` });
  expect(verbsFor({})).toEqual({ ...RECORD, websites: READ });
});

test('for a resource with a status, the permission to write the status is granted', () => {
  const withStatus = { ...websites, hasStatus: true };

  expect(verbsFor({ for: withStatus })).toEqual({
    ...RECORD,
    websites: READ,
    'websites/status': 'patch',
  });
});

test.each([
  ['status', { status: {} }, { 'websites/status': 'patch' }],
  ['nothing', undefined, {}],
])('the permission to write the status depends on the subresources in the definition: %s', (_, subresources, expected) => {
  const versions = [
    { name: 'v1', subresources },
    { name: 'v2', subresources: { status: {} } },
  ];
  const definition = { metadata: { name: 'websites.example.dev' }, spec: { versions } };

  expect(verbsFor({ for: { ...websites, definition } as Resource })).toEqual({
    ...RECORD,
    websites: READ,
    ...expected,
  });
});

test('[LE-1] a candidate for leadership may read, create and renew Leases in its namespace, and record Events', () => {
  const elsewhere = {
    ...own,
    namespaces: ['watched'],
    leaderElection: { namespace: POD_NAMESPACE },
  };

  const roles = rbac([declare()], elsewhere).filter(({ kind }) => kind === 'Role');

  expect(roles.map(({ metadata }) => metadata)).toEqual([
    { name: 'operator' },
    { name: 'operator', namespace: 'watched' },
  ]);
  expect(roles[0]).toMatchObject({
    rules: [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['a-leader'],
        verbs: ['get', 'update'],
      },
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
    ],
  });
});

/** Every rule as `place: group/resources [names] verbs`, in the order of the objects. */
function rulesFor(controllers: readonly Controller[], placement: Partial<RbacOptions>): string[] {
  return rbac(controllers, { ...own, ...placement }).flatMap((object) =>
    'rules' in object
      ? object.rules.map(({ apiGroups: [group], resources, resourceNames, verbs }) => {
          const place = object.kind === 'ClusterRole' ? '*' : (object.metadata.namespace ?? 'own');
          const names = resourceNames === undefined ? '' : ` [${resourceNames.join(' ')}]`;
          return `${place}: ${group}/${resources.join(',')}${names} ${verbs.join(' ')}`;
        })
      : [],
  );
}

/** The same without the Events that every controller records. */
function rulesBesideEvents(
  controllers: readonly Controller[],
  placement: Partial<RbacOptions> = {},
): string[] {
  return rulesFor(controllers, placement).filter((rule) => !rule.includes('/events '));
}

test('[security 17] each of several namespaces has a Role and a binding, and no permission is cluster-wide', () => {
  const placement = { ...own, namespaces: ['b', POD_NAMESPACE, 'a', 'b'] };

  const objects = rbac([declare()], placement);

  expect(
    objects.map(({ kind, metadata: { namespace = 'own' } }) => `${kind} ${namespace}`),
  ).toEqual(['Role own', 'RoleBinding own', 'Role a', 'RoleBinding a', 'Role b', 'RoleBinding b']);
});

test('permissions for cluster-scoped resources are in a ClusterRole, and other permissions stay in Roles', () => {
  const nodes = defineResource({ ...websites, group: '', plural: 'nodes', namespaced: false });

  const rules = rulesFor([declare([{ resource: nodes, verbs: ['patch', 'get'] }])], {});

  expect(rules).toEqual([
    '*: /nodes get patch',
    'own: /configmaps get list watch',
    'own: events.k8s.io/events create patch',
    'default: events.k8s.io/events create patch',
  ]);
});

test('a permission with `resourceNames` is a rule with these names, sorted and without repetition', () => {
  const permissions: Permission[] = [
    { resource: deployments, resourceNames: ['b', 'a', 'b'], verbs: ['patch'] },
    { resource: deployments, resourceNames: ['c'], verbs: ['patch', 'delete'] },
    { resource: deployments, subresource: 'scale', resourceNames: ['a'], verbs: ['patch'] },
  ];

  expect(rulesBesideEvents([declare(permissions)])).toEqual([
    'own: /configmaps get list watch',
    'own: apps/deployments [a b c] patch',
    'own: apps/deployments [c] delete',
    'own: apps/deployments/scale [a] patch',
  ]);
});

test('a verb granted for every object is not granted again by name, whatever is declared first', () => {
  const permissions: Permission[] = [
    { resource: deployments, resourceNames: ['a'], verbs: ['get', 'patch'] },
    { resource: deployments, verbs: ['get'] },
    { resource: { ...deployments, version: 'v2' }, resourceNames: ['b'], verbs: ['get'] },
  ];
  const expected = [
    'own: /configmaps get list watch',
    'own: apps/deployments get',
    'own: apps/deployments [a] patch',
  ];

  expect(rulesBesideEvents([declare(permissions)])).toEqual(expected);
  expect(rulesBesideEvents([declare(permissions.toReversed())])).toEqual(expected);
});

test('the Role of a namespace has only permissions that are not granted in every namespace', () => {
  const everywhere = declare([{ resource: pods, verbs: ['get'] }], { namespace: 'all' });
  const here = declare([{ resource: pods, verbs: ['get', 'delete'] }]);

  expect(rulesFor([here, everywhere], {})).toEqual([
    '*: /configmaps get list watch',
    '*: /pods get',
    '*: events.k8s.io/events create patch',
    'own: /pods delete',
  ]);
});

test('a name that is granted in every namespace is not granted again in a single namespace', () => {
  const named = (...resourceNames: string[]): Permission[] => [
    { resource: pods, resourceNames, verbs: ['get'] },
  ];
  const everywhere = declare(named('a'), { namespace: 'all' });

  const rules = rulesFor([declare(named('a', 'b')), everywhere], {});

  expect(rules.filter((rule) => rule.includes('pods'))).toEqual([
    '*: /pods [a] get',
    'own: /pods [b] get',
  ]);
});

test('resources share a rule only if they have the same verbs and resource names', () => {
  const permissions: Permission[] = [
    { resource: deployments, resourceNames: ['a'], verbs: ['get'] },
    { resource: daemonSets, resourceNames: ['a'], verbs: ['get'] },
    { resource: { ...daemonSets, plural: 'statefulsets' }, resourceNames: ['b'], verbs: ['get'] },
  ];

  expect(rulesBesideEvents([declare(permissions)])).toEqual([
    'own: /configmaps get list watch',
    'own: apps/daemonsets,deployments [a] get',
    'own: apps/statefulsets [b] get',
  ]);
});

test.each([
  ['metadata.name=web', ['own: /configmaps [web] get list watch']],
  ['spec.x=y,metadata.name==web', ['own: /configmaps [web] get list watch']],
  ['metadata.name!=web', ['own: /configmaps get list watch']],
  ['metadata.name=', ['own: /configmaps get list watch']],
  ['metadata.name=A/B', ['own: /configmaps get list watch']],
  ['metadata.namespace=web', ['own: /configmaps get list watch']],
])('the roles for the field selector %s are as narrow as an authorizer can check', (fieldSelector, rules) => {
  expect(rulesBesideEvents([declare([], { fieldSelector })])).toEqual(rules);
});

test('a controller for one object may write only this object, but may list all objects if it has a finalizer', () => {
  const declared = controller({
    name: 'a',
    for: source({ ...websites, hasStatus: true } as Resource, {
      fieldSelector: 'metadata.name=web',
    }),
    owns: [source(configMaps, { fieldSelector: 'metadata.name=child' })],
    finalizer: { name: 'example.dev/cleanup', finalize: async () => {} },
    reconcile: async () => {},
  });

  expect(rulesBesideEvents([declared])).toEqual([
    'own: /configmaps create',
    'own: /configmaps [child] get list watch patch',
    'own: example.dev/websites list',
    'own: example.dev/websites [web] get watch patch',
    'own: example.dev/websites/finalizers [web] update',
    'own: example.dev/websites/status [web] patch',
  ]);
});

test("with `onUnserved: 'clear'`, a source may read the definition of its resource, and no other definition", () => {
  const declared = controller({
    name: 'a',
    for: source(websites, { onUnserved: 'clear' }),
    reconcile: async () => {},
  });

  expect(rulesBesideEvents([declared])[0]).toBe(
    '*: apiextensions.k8s.io/customresourcedefinitions [websites.example.dev] get',
  );
});

test('an operator may write its definitions only if it installs them, and it may write no other definitions', () => {
  const definition = { metadata: { name: 'websites.example.dev' }, spec: { versions: [] } };
  const declared = controller({
    name: 'a',
    for: { ...websites, definition } as Resource,
    reconcile: async () => {},
  });
  const rule =
    '*: apiextensions.k8s.io/customresourcedefinitions [websites.example.dev] get create patch';

  expect(rulesBesideEvents([declared], { installCrds: true })[0]).toBe(rule);
  expect(rulesBesideEvents([declared], {})).toEqual(['own: example.dev/websites get list watch']);
  expect(rulesBesideEvents([declare()], { installCrds: true })).toEqual([
    'own: /configmaps get list watch',
  ]);
});

test('[LE-1] without a given name, the Lease is named after the first controller that needs a leader', () => {
  const others = { ...declare(), name: 'z', needsLeaderElection: false };
  const leaseIn = (controllers: readonly Controller[], leaseName?: string) =>
    rulesFor(controllers, {
      leaderElection: { namespace: 'ops', ...(leaseName && { leaseName }) },
    }).filter((rule) => rule.includes('leases'));

  const rulesWith = (name: string) => [
    'ops: coordination.k8s.io/leases create',
    `ops: coordination.k8s.io/leases [${name}] get update`,
  ];
  expect(leaseIn([others, declare()])).toEqual(rulesWith('a-leader'));
  expect(leaseIn([declare()], 'chosen')).toEqual(rulesWith('chosen'));
  expect(leaseIn([], 'chosen')).toEqual(rulesWith('chosen'));
  expect(leaseIn([])).toEqual(rulesWith('chancery-leader'));
});

test('sharded replicas may list and update all Leases in their namespace', () => {
  const leaseIn = (sharded: boolean) =>
    rulesFor([declare()], { leaderElection: { namespace: 'ops', sharded } }).filter((rule) =>
      rule.includes('leases'),
    );

  expect(leaseIn(true)).toEqual(['ops: coordination.k8s.io/leases get list create update']);
  expect(leaseIn(false)).toEqual([
    'ops: coordination.k8s.io/leases create',
    'ops: coordination.k8s.io/leases [a-leader] get update',
  ]);
});

test('empty lists are refused, because Kubernetes would treat an empty list as no restriction', () => {
  const nameless: Permission[] = [{ resource: pods, resourceNames: [], verbs: ['get'] }];

  expect(() => rbac([declare(nameless)], own)).toThrow('resourceNames is empty');
  expect(() => rbac([declare()], { ...own, namespaces: [] })).toThrow('namespaces is empty');
});

test.each([
  '*',
  'a/b',
  'a b',
  'A',
  '',
  '..',
  'a|b',
  '$(NAME)',
  'a'.repeat(254),
])('the object name %j is refused', (name) => {
  const permissions: Permission[] = [{ resource: pods, resourceNames: [name], verbs: ['get'] }];

  expect(() => rbac([declare(permissions)], own)).toThrow(
    'no object of the resource can have a declared name',
  );
});

test('a permission may contain only names that are valid for its resource', () => {
  const roles = defineResource({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'roles',
    kind: 'Role',
    namespaced: true,
  });
  const permissions: Permission[] = [
    { resource: roles, resourceNames: ['system:Node_1'], verbs: ['get'] },
  ];

  expect(rulesBesideEvents([declare(permissions)])).toContain(
    'own: rbac.authorization.k8s.io/roles [system:Node_1] get',
  );
});
