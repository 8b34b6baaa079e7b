import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.ts';
import { binding, rbacServer, role, send } from './rbac-server.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

const rulesOf = (server: ApiServer, name: string): readonly object[] => {
  const found = server.get(RBAC, 'ClusterRole', undefined, name) as { rules?: readonly object[] };
  return found?.rules ?? [];
};

describe('the roles that every cluster has', () => {
  test('are there where roles count, and nowhere else', async () => {
    const open = await ApiServer.start();
    onTestFinished(() => open.close());
    const server = await rbacServer();

    const names = server.list(RBAC, 'ClusterRole').map(({ metadata }) => metadata.name);

    expect(names).toEqual([
      'admin',
      'cluster-admin',
      'edit',
      'system:aggregate-to-admin',
      'system:aggregate-to-edit',
      'system:aggregate-to-view',
      'system:basic-user',
      'system:discovery',
      'system:public-info-viewer',
      'view',
    ]);
    expect(open.list(RBAC, 'ClusterRole')).toEqual([]);
  });

  test.each([
    ['view', 'GET', '/api/v1/namespaces/demo/configmaps', 200],
    ['view', 'GET', '/api/v1/namespaces/demo/secrets', 403],
    ['view', 'POST', '/api/v1/namespaces/demo/configmaps', 403],
    ['view', 'GET', '/api/v1/namespaces/demo', 200],
    ['view', 'GET', '/api/v1/namespaces/default', 403],
    ['edit', 'GET', '/api/v1/namespaces/demo/secrets', 200],
    ['edit', 'POST', '/api/v1/namespaces/demo/configmaps', 201],
    ['edit', 'GET', '/apis/rbac.authorization.k8s.io/v1/namespaces/demo/roles', 403],
    ['admin', 'GET', '/apis/rbac.authorization.k8s.io/v1/namespaces/demo/roles', 200],
    ['admin', 'GET', '/api/v1/namespaces/demo/secrets', 200],
    ['admin', 'GET', '/api/v1/nodes', 403],
    ['cluster-admin', 'GET', '/api/v1/namespaces/demo/limitranges', 200],
    ['cluster-admin', 'GET', '/api/v1/nodes', 403],
  ])('%s, bound in a namespace: %s %s is %i', async (name, method, path, expected) => {
    const server = await rbacServer();
    server.create(binding('b', 'demo', `ClusterRole/${name}`, 'User/dev'));
    const body = method === 'POST' ? { body: { metadata: { name: 'a' } } } : {};

    const { status } = await send(await server.urlFor('dev'), path, { method, ...body });

    expect(status).toBe(expected);
  });
});

describe('an aggregated ClusterRole', () => {
  const rule = { verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] };
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
  const part = (name: string, labelled: object = labels) => {
    const made = role(name, undefined, rule);
    return { ...made, metadata: { ...made.metadata, labels: labelled as Record<string, string> } };
  };

  test('has the rules of its parts, over all steps, and loses them with them', async () => {
    const server = await rbacServer();
    const before = rulesOf(server, 'admin').length;

    server.create(part('widgets'));
    const [view, edit, admin] = ['view', 'edit', 'admin'].map((name) => rulesOf(server, name));
    server.delete(RBAC, 'ClusterRole', undefined, 'widgets');

    expect(view).toContainEqual(rule);
    expect(edit).toContainEqual(rule);
    expect(admin).toHaveLength(before + 1);
    expect(rulesOf(server, 'admin')).toHaveLength(before);
  });

  test('has a rule once that several parts have', async () => {
    const server = await rbacServer();
    const before = rulesOf(server, 'view').length;

    server.create(part('one'));
    server.create(part('two'));

    expect(rulesOf(server, 'view')).toHaveLength(before + 1);
  });

  test('has nothing of what its selectors do not match', async () => {
    const server = await rbacServer();
    const before = rulesOf(server, 'view').length;
    server.create(part('other', { 'rbac.authorization.k8s.io/aggregate-to-view': 'false' }));

    expect(rulesOf(server, 'view')).toHaveLength(before);
  });
});
