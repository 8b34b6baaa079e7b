import { expect, test } from 'vitest';
import {
  type Controller,
  type ControllerOptions,
  controller,
  type Permission,
} from '../../operator/controller/controller.ts';
import { AWAIT_CHANGE } from '../../operator/controller/reconciler.ts';
import { type SourceOptions, source } from '../../operator/controller/source.ts';
import { POD_NAMESPACE } from '../../operator/generate/access.ts';
import { rbac } from '../../operator/generate/rbac.ts';
import { configMaps, daemonSets, deployments, pods } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';

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
    reconcile: async () => AWAIT_CHANGE,
  });
}

test('a controller gets its source, its Events, and nothing else, bound to its ServiceAccount', () => {
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

test('every namespace needs a ClusterRole', () => {
  const objects = rbac([declare()], { ...own, namespaces: undefined });

  expect(objects.map(({ kind, metadata }) => [kind, metadata])).toEqual([
    ['ClusterRole', { name: 'operator' }],
    ['ClusterRoleBinding', { name: 'operator' }],
  ]);
});

test('each namespace by name has a Role of its own, bound to the ServiceAccount where that lives', () => {
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

test('verbs of one resource are merged, equal rules of one group are joined, and all is sorted', () => {
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
    reconcile: async () => AWAIT_CHANGE,
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

test('K-31 what owns says brings the rights to write children, and to block the deletion of owners', () => {
  expect(verbsFor({ owns: [configMaps] })).toEqual({
    ...RECORD,
    configmaps: `${READ} create patch`,
    websites: READ,
    'websites/finalizers': 'update',
  });
});

test('a finalizer brings the right to change the object, and nothing else does', () => {
  const finalizer = { name: 'example.dev/cleanup', finalize: async () => {} };

  expect(verbsFor({ finalizer })).toEqual({ ...RECORD, websites: `${READ} patch` });
  expect(verbsFor({})).toEqual({ ...RECORD, websites: READ });
});

test('a resource with a status brings the right to write that', () => {
  const withStatus = { ...websites, hasStatus: true };

  expect(verbsFor({ for: withStatus })).toEqual({
    ...RECORD,
    websites: READ,
    'websites/status': 'patch',
  });
});

test('LE-1 a candidate for leadership may read, make and renew Leases beside it, and tell who leads', () => {
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
