import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.ts';
import { binding, rbacServer, role, send } from './rbac-server.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

const rulesOf = (server: ApiServer, name: string): readonly object[] => {
  const found = server.get(RBAC, 'ClusterRole', undefined, name) as { rules?: readonly object[] };
  return found?.rules ?? [];
};

describe('the bootstrap roles of a cluster', () => {
  test('the bootstrap roles exist only with RBAC', async () => {
    const open = await ApiServer.start();
    onTestFinished(() => open.close());
    const server = await rbacServer();

    const names = server.list(RBAC, 'ClusterRole').map(({ metadata }) => metadata.name);

    expect(names).toEqual(
      expect.arrayContaining([
        'admin',
        'cluster-admin',
        'edit',
        'system:aggregate-to-admin',
        'system:aggregate-to-edit',
        'system:aggregate-to-view',
        'system:basic-user',
        'system:controller:job-controller',
        'system:discovery',
        'system:kube-scheduler',
        'system:node',
        'system:public-info-viewer',
        'view',
      ]),
    );
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
  ])('with a binding to the role %s in a namespace, the request %s %s is answered %i', async (name, method, path, expected) => {
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

  test('an aggregated ClusterRole gains the rules of the roles that it selects, and loses them again', async () => {
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

  test('an aggregated ClusterRole lists a rule only once if several selected roles have it', async () => {
    const server = await rbacServer();
    const before = rulesOf(server, 'view').length;

    server.create(part('one'));
    server.create(part('two'));

    expect(rulesOf(server, 'view')).toHaveLength(before + 1);
  });

  test('an aggregated ClusterRole ignores roles that its selectors do not match', async () => {
    const server = await rbacServer();
    const before = rulesOf(server, 'view').length;
    server.create(part('other', { 'rbac.authorization.k8s.io/aggregate-to-view': 'false' }));

    expect(rulesOf(server, 'view')).toHaveLength(before);
  });
});

describe("the roles of Kubernetes' own components", () => {
  test('a component may do what its role allows and no more', async () => {
    const server = await rbacServer({ workloads: {} });
    const url = await server.urlFor('system:kube-scheduler');

    const [nodes, secrets] = [await send(url, '/api/v1/nodes'), await send(url, '/api/v1/secrets')];

    expect([nodes.status, secrets.status]).toEqual([200, 403]);
  });

  test('bootstrap Roles in namespaces are bound only to the components that need them', async () => {
    const server = await rbacServer({ workloads: {} });
    const token = { authorization: `Bearer ${tokenOf(server)}` };
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

    const read = await send(await server.urlFor('system:kube-controller-manager'), path);
    const other = await send(server.url, path, { headers: token });

    expect([read.status, other.status]).toEqual([200, 403]);
  });
});

function tokenOf(server: ApiServer): string {
  const metadata = { name: 'builder', namespace: 'demo' };
  server.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  return server.issueToken('demo', 'builder');
}

describe('the authorization modes RBAC,AlwaysAllow', () => {
  test('with RBAC,AlwaysAllow, the roles exist, and requests that none of them grants are allowed', async () => {
    const server = await rbacServer({ authorization: 'RBAC,AlwaysAllow' });
    const url = await server.urlFor('guest');
    const review = { spec: { resourceAttributes: { verb: 'delete', resource: 'nodes' } } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

    const read = await send(url, '/api/v1/namespaces/kube-system/secrets');
    const asked = await send(url, path, { method: 'POST', body: review });

    expect(rulesOf(server, 'cluster-admin')).not.toEqual([]);
    expect(read.status).toBe(200);
    expect(asked.body.status).toEqual({ allowed: true });
  });

  test('with RBAC,AlwaysAllow, the reason for an allowed request contains the binding', async () => {
    const server = await rbacServer({ authorization: 'RBAC,AlwaysAllow' });
    server.create(role('reader', undefined, { verbs: ['get'], nonResourceURLs: ['/logs'] }));
    server.create(binding('readers', undefined, 'ClusterRole/reader', 'User/guest'));
    const review = { spec: { nonResourceAttributes: { verb: 'get', path: '/logs' } } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

    const { body } = await send(await server.urlFor('guest'), path, {
      method: 'POST',
      body: review,
    });

    expect(body.status).toMatchObject({
      allowed: true,
      reason: expect.stringContaining('ClusterRoleBinding "readers"'),
    });
  });
});
