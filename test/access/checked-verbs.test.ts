/** Verbs that no request has, such as bind: what can be declared, and what follows from it. */
import { ApiServer } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../operator/access/rbac.ts';
import { requiredAccess } from '../../operator/access/required-access.ts';
import { requiredRights } from '../../operator/access/required-rights.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import type { AccessDeclaration } from '../../operator/controller/access-declaration.ts';
import { controller, type Permission } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { lint } from '../../operator/generate/lint/lint.ts';
import { operatorModel } from '../../operator/generate/manifests/operator-model.ts';
import { renderedObjects } from '../../operator/generate/manifests/rendered-objects.ts';
import { runnable } from '../../operator/manager/runnable.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { clusterRoles, roleBindings, roles } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import { installStrategy } from '../../packages/packaging/src/bundle/install-strategy.ts';
import { chartFiles } from '../../packages/packaging/src/chart/chart.ts';
import { options } from '../manifests/support/trees.ts';

const signers = defineResource({
  group: 'certificates.k8s.io',
  version: 'v1',
  plural: 'signers',
  kind: 'Signer',
  namespaced: false,
});

const declare = (...permissions: Permission[]) =>
  controller({
    name: 'access',
    for: source(configMaps),
    owns: [roleBindings as Resource],
    permissions,
    reconcile: async () => {},
  });

const viewers = { resource: clusterRoles as Resource, resourceNames: ['viewer'] };
const binding = declare({ ...viewers, verbs: ['bind'] });

test.each<[string, Permission | { verbs: readonly string[] }, RegExp]>([
  ['bind without names', { resource: roles as Resource, verbs: ['bind'] }, /needs resourceNames/],
  [
    'bind with an empty list of names',
    { resource: roles as Resource, resourceNames: [], verbs: ['get', 'bind'] },
    /needs resourceNames/,
  ],
  [
    'bind for a resource that is not a role',
    { resource: configMaps as Resource, resourceNames: ['a'], verbs: ['bind'] },
    /bind is checked of roles.* not of configmaps/,
  ],
  ['sign for all signers', { resource: signers, verbs: ['sign'] }, /needs resourceNames/],
  ['escalate', { ...viewers, verbs: ['escalate'] }, /escalate is not granted/],
  ['impersonate', { ...viewers, verbs: ['impersonate'] }, /impersonate is not granted/],
])('[found 14] the verb %s cannot be declared', (_what, permission, message) => {
  const permissions = [permission as Permission];
  expect(() => declare(...permissions)).toThrow(message);
  expect(() => runnable({ name: 'access', permissions, run: async () => {} })).toThrow(message);
});

test('[found 14] the verb `bind` results in a rule with names and a permission to check, but in no filter path', () => {
  const placement = { namespaces: ['shop'] };
  const serviceAccount = { name: 'op', namespace: 'home' };
  const role = rbac([binding], { ...placement, name: 'op', serviceAccount }).find(
    ({ kind }) => kind === 'ClusterRole',
  );
  const asked = requiredRights(requiredAccess([binding], placement)).filter(
    ({ verb }) => verb === 'bind',
  );

  expect(role).toMatchObject({
    rules: [
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles'],
        resourceNames: ['viewer'],
        verbs: ['bind'],
      },
    ],
  });
  expect(asked).toMatchObject([{ resource: { plural: 'clusterroles' }, name: 'viewer' }]);
  expect(proxyFilter([binding], placement)).toEqual(proxyFilter([declare()], placement));
});

test('[found 14] permissions with the verb `use`, or with verbs for signers, also result in rules, and so do those of hooks', () => {
  const hooks: AccessDeclaration = {
    name: 'hooks',
    sources: [],
    permissions: [
      { resource: signers, resourceNames: ['example.dev/a'], verbs: ['approve', 'sign'] },
      {
        resource: { ...signers, group: 'security.openshift.io', plural: 'constraints' },
        resourceNames: ['nonroot'],
        verbs: ['use'],
      },
    ],
  };
  const placement = { namespaces: undefined };
  const [role] = rbac([hooks], {
    ...placement,
    name: 'op',
    serviceAccount: { name: 'op', namespace: 'home' },
  });

  expect((role as { rules?: unknown }).rules).toMatchObject([
    { resources: ['signers'], resourceNames: ['example.dev/a'], verbs: ['approve', 'sign'] },
    { resources: ['constraints'], resourceNames: ['nonroot'], verbs: ['use'] },
  ]);
});

test('[found 14] manifests, chart and bundle contain the rule for `bind`, and `lint` warns only about this rule', () => {
  const model = operatorModel([binding], options({ name: 'op', namespace: 'op' }));
  const found = lint(renderedObjects(model, { scope: 'cluster-scoped' })).filter(({ rule }) =>
    /rbac|right|path/.test(rule),
  );
  const chart = chartFiles(
    model,
    { version: '1.0.0', description: 'x', maintainers: [{ name: 'a', email: 'a@example.dev' }] },
    { command: 'test' },
  );

  expect(found).toMatchObject([{ rule: 'rbac-bind', level: 'warning' }]);
  expect(chart.some(({ text }) => /- bind$/m.test(text))).toBe(true);
  expect(JSON.stringify(installStrategy(model, { version: '1.0.0' } as never))).toContain('"bind"');
});

const SERVED = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: viewer }
rules: [{ apiGroups: [""], resources: [pods], verbs: [get] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: owner }
rules: [{ apiGroups: [""], resources: [secrets], verbs: [get] }]
`;

test('[found 14] with the generated roles, the operator can bind the declared role, and no other', async () => {
  const server = await ApiServer.start({ authorization: 'RBAC' });
  onTestFinished(() => server.close());
  server.applyManifest(SERVED);
  const serviceAccount = { name: 'op', namespace: 'default' };
  for (const object of rbac([binding], { namespaces: undefined, name: 'op', serviceAccount })) {
    server.create(object as unknown as KubernetesObject);
  }
  const url = await server.urlFor('system:serviceaccount:default:op');
  const transport = undiciTransport(url, { clock: systemClock });
  onTestFinished(() => transport.close());
  const client = restClient({ transport, fieldManager: 'op', clock: systemClock });
  const bind = (name: string) =>
    client.create(roleBindings, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name, namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
    } as never);

  expect((await bind('viewer')).metadata.name).toBe('viewer');
  await expect(bind('owner')).rejects.toMatchObject({ status: 403 });
});
