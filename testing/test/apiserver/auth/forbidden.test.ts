import { describe, expect, test } from 'vitest';
import { binding, CONFIG_MAPS, grant, rbacServer, role, send } from './rbac-server.ts';

describe('[F-10] a forbidden request is answered 403 with the message of Kubernetes', () => {
  const everywhere = 'User "dev" cannot';
  const inDemo = 'in the namespace "demo"';

  test.each([
    [
      'GET',
      CONFIG_MAPS,
      `configmaps is forbidden: ${everywhere} list resource "configmaps" in API group "" ${inDemo}`,
      { kind: 'configmaps' },
    ],
    [
      'DELETE',
      `${CONFIG_MAPS}/alpha`,
      `configmaps "alpha" is forbidden: ${everywhere} delete resource "configmaps" in API group "" ${inDemo}`,
      { name: 'alpha', kind: 'configmaps' },
    ],
    [
      'GET',
      '/api/v1/namespaces/demo/pods/web/log',
      `pods "web" is forbidden: ${everywhere} get resource "pods/log" in API group "" ${inDemo}`,
      { name: 'web', kind: 'pods' },
    ],
    [
      'GET',
      '/apis/apps/v1/deployments',
      `deployments.apps is forbidden: ${everywhere} list resource "deployments" in API group "apps" at the cluster scope`,
      { group: 'apps', kind: 'deployments' },
    ],
    [
      'GET',
      '/api/v1/namespaces',
      `namespaces is forbidden: ${everywhere} list resource "namespaces" in API group "" at the cluster scope`,
      { kind: 'namespaces' },
    ],
    ['GET', '/metrics', `forbidden: ${everywhere} get path "/metrics"`, {}],
    ['GET', '/logs/<a>&b', `forbidden: ${everywhere} get path "/logs/&lt;a&gt;&amp;b"`, {}],
  ])('a user without permissions gets the recorded 403 for %s %s', async (method, path, message, details) => {
    const server = await rbacServer();

    const answer = await send(await server.urlFor('dev'), path, { method });

    expect(answer.status).toBe(403);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Forbidden',
      details,
      code: 403,
    });
  });

  test.each([
    ['GET', '/api/v1/namespaces/demo/unheard', 404],
    ['GET', '/apis/unheard.example/v1/things', 404],
    ['GET', `${CONFIG_MAPS}/absent`, 404],
    ['GET', `${CONFIG_MAPS}?limit=many`, 400],
    ['PUT', CONFIG_MAPS, 405],
  ])('a 403 comes before any other error of %s %s', async (method, path, otherwise) => {
    const server = await rbacServer();
    const url = await server.urlFor('dev');

    const [refused, administrator] = [
      await send(url, path, { method }),
      await send(server.url, path, { method }),
    ];

    expect([refused.status, administrator.status]).toEqual([403, otherwise]);
  });

  test('the message of a 403 lists roles that bindings refer to and that do not exist', async () => {
    const server = await rbacServer();
    server.create(binding('to-nothing', 'demo', 'Role/absent', 'User/dev'));
    server.create(binding('to-nothing', undefined, 'ClusterRole/absent', 'User/dev'));

    const { body } = await send(await server.urlFor('dev'), CONFIG_MAPS);

    expect(body.message).toBe(
      `configmaps is forbidden: ${everywhere} list resource "configmaps" in API group "" ${inDemo}: RBAC: [clusterrole.rbac.authorization.k8s.io "absent" not found, role.rbac.authorization.k8s.io "absent" not found]`,
    );
  });
});

describe('the scope of a Role', () => {
  const LIST = { verbs: ['list'], apiGroups: [''], resources: ['configmaps'] };

  test('a Role takes effect when it is bound, until its rules or its binding are removed', async () => {
    const server = await rbacServer();
    const url = await server.urlFor('dev');
    const status = async (): Promise<number> => (await send(url, CONFIG_MAPS)).status;
    const before = await status();

    grant(server, 'dev', LIST);
    const granted = await status();
    server.patch('rbac.authorization.k8s.io/v1', 'Role', 'demo', 'of-dev', { rules: [] });
    const emptied = await status();
    server.patch('rbac.authorization.k8s.io/v1', 'Role', 'demo', 'of-dev', { rules: [LIST] });
    server.delete('rbac.authorization.k8s.io/v1', 'RoleBinding', 'demo', 'to-dev');
    const unbound = await status();

    expect([before, granted, emptied, unbound]).toEqual([403, 200, 403, 403]);
  });

  test('a Role takes effect only in its namespace', async () => {
    const server = await rbacServer();
    grant(server, 'dev', LIST);
    const url = await server.urlFor('dev');

    const statuses = await Promise.all(
      [CONFIG_MAPS, '/api/v1/namespaces/default/configmaps', '/api/v1/configmaps'].map(
        async (path) => (await send(url, path)).status,
      ),
    );

    expect(statuses).toEqual([200, 403, 403]);
  });

  test('a ServiceAccount without a namespace in a binding is a ServiceAccount in the namespace of the binding', async () => {
    const server = await rbacServer();
    server.create(role('lists', 'demo', LIST));
    const { subjects: _, ...rest } = binding('to-op', 'demo', 'Role/lists', 'User/x') as ReturnType<
      typeof binding
    > & { subjects: unknown };
    server.create({ ...rest, subjects: [{ kind: 'ServiceAccount', name: 'op' }] } as typeof rest);

    const statuses = await Promise.all(
      ['system:serviceaccount:demo:op', 'system:serviceaccount:default:op', 'op'].map(
        async (user) => (await send(await server.urlFor(user), CONFIG_MAPS)).status,
      ),
    );

    expect(statuses).toEqual([200, 403, 403]);
  });

  test('a Role can be bound to groups: all users, anonymous users, ServiceAccounts and teams', async () => {
    const server = await rbacServer({ authentication: { anonymous: 'system:anonymous' } });
    const rule = (name: string) => ({ ...LIST, verbs: ['get'], resourceNames: [name] });
    const groups = {
      all: 'system:authenticated',
      accounts: 'system:serviceaccounts',
      demo: 'system:serviceaccounts:demo',
      anonymous: 'system:unauthenticated',
      team: 'team',
    };
    for (const [name, group] of Object.entries(groups)) {
      server.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'demo' },
      });
      server.create(role(name, 'demo', rule(name)));
      server.create(binding(name, 'demo', `Role/${name}`, `Group/${group}`));
    }
    const readable = async (url: string): Promise<readonly string[]> => {
      const found = Object.keys(groups).map(async (name) => {
        const { status } = await send(url, `${CONFIG_MAPS}/${name}`);
        return status === 200 ? [name] : [];
      });
      return (await Promise.all(found)).flat();
    };

    const account = 'system:serviceaccount:demo:op';
    expect(await readable(await server.urlFor('dev'))).toEqual(['all']);
    expect(await readable(await server.urlFor({ name: 'dev', groups: ['team'] }))).toEqual([
      'all',
      'team',
    ]);
    expect(await readable(await server.urlFor(account))).toEqual(['all', 'accounts', 'demo']);
    expect(await readable(server.url)).toEqual(['anonymous']);
  });

  test('a Role for the resources */scale grants every subresource scale, and nothing else', async () => {
    const server = await rbacServer();
    grant(server, 'dev', { verbs: ['*'], apiGroups: ['*'], resources: ['*/scale'] });
    const url = await server.urlFor('dev');
    const web = '/apis/apps/v1/namespaces/demo/deployments/web';

    const statuses = await Promise.all(
      [`${web}/scale`, web, `${web}/status`].map(async (path) => (await send(url, path)).status),
    );

    expect(statuses).toEqual([404, 403, 403]);
  });
});

describe('permissions for a write that creates an object', () => {
  const apply = (url: string, name: string, body: object = {}) =>
    fetch(`${url}${CONFIG_MAPS}/${name}?fieldManager=test`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'demo' },
        ...body,
      }),
    });

  test('an apply that creates an object needs the permission to create it', async () => {
    const server = await rbacServer();
    const metadata = { name: 'there', namespace: 'demo' };
    server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    const configMaps = { apiGroups: [''], resources: ['configmaps'] };
    grant(
      server,
      'dev',
      { ...configMaps, verbs: ['patch'] },
      { ...configMaps, verbs: ['create'], resourceNames: ['own'] },
    );
    const url = await server.urlFor('dev');

    const [there, absent, own] = [
      await apply(url, 'there', { data: { a: 'b' } }),
      await apply(url, 'absent'),
      await apply(url, 'own'),
    ];

    expect([there.status, absent.status, own.status]).toEqual([200, 403, 201]);
    expect(await absent.json()).toMatchObject({
      message:
        'configmaps "absent" is forbidden: User "dev" cannot create resource "configmaps" in API group "" in the namespace "demo"',
    });
  });

  test('a PUT that creates a Lease needs the permission to create it', async () => {
    const server = await rbacServer();
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
    grant(server, 'dev', { ...leases, verbs: ['update'] });
    grant(server, 'joe', { ...leases, verbs: ['update', 'create'] });
    const path = '/apis/coordination.k8s.io/v1/namespaces/demo/leases/a';
    const put = async (user: string) =>
      send(await server.urlFor(user), path, {
        method: 'PUT',
        body: { metadata: { name: 'a', namespace: 'demo' } },
      });

    const [dev, joe] = [await put('dev'), await put('joe')];

    expect([dev.status, joe.status]).toEqual([403, 201]);
    expect(dev.body.message).toContain('cannot create resource "leases"');
  });
});
