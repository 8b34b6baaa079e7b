import { describe, expect, test } from 'vitest';
import type { ApiServer } from '../../../src/apiserver/api-server.ts';
import { binding, grant, type Rule, rbacServer, role, send } from './rbac-server.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/namespaces/demo/roles`;
const BINDINGS = `${RBAC}/namespaces/demo/rolebindings`;

const WRITE_ROLES = {
  verbs: ['create', 'get', 'update', 'patch'],
  apiGroups: ['rbac.authorization.k8s.io'],
  resources: ['roles', 'rolebindings'],
};
const READ = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] };
const DELETE = { ...READ, verbs: ['get', 'delete', 'create'] };

/** A server on which `dev` may write Roles and bindings, and what else is said. */
async function served(...rules: readonly Rule[]): Promise<{ server: ApiServer; url: string }> {
  const server = await rbacServer();
  grant(server, 'dev', WRITE_ROLES, ...rules);
  return { server, url: await server.urlFor('dev') };
}

const missing = (what: string, name: string, ...lines: readonly string[]): string =>
  `${what}.rbac.authorization.k8s.io "${name}" is forbidden: user "dev" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;

describe('permissions that a user cannot grant', () => {
  test('a user cannot create a Role with permissions that the user lacks', async () => {
    const { url } = await served(READ);

    const held = await send(url, ROLES, { method: 'POST', body: role('held', 'demo', READ) });
    const more = await send(url, ROLES, { method: 'POST', body: role('more', 'demo', DELETE) });

    expect(held.status).toBe(201);
    expect([more.status, more.body.reason]).toEqual([403, 'Forbidden']);
    expect(more.body.message).toBe(
      missing(
        'roles',
        'more',
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["delete" "create"]}',
      ),
    );
    expect(more.body.details).toEqual({
      name: 'more',
      group: 'rbac.authorization.k8s.io',
      kind: 'roles',
    });
  });

  test('a user cannot use PATCH or PUT to give a Role permissions that the user lacks', async () => {
    const { server, url } = await served(READ);
    server.create(role('mine', 'demo', READ));

    const patch = await send(url, `${ROLES}/mine`, { method: 'PATCH', body: { rules: [DELETE] } });
    const put = await send(url, `${ROLES}/mine`, {
      method: 'PUT',
      body: role('mine', 'demo', DELETE),
    });
    const less = await send(url, `${ROLES}/mine`, { method: 'PATCH', body: { rules: [] } });

    expect([patch.status, put.status, less.status]).toEqual([403, 403, 200]);
  });

  test('a user may change the finalizers, but not the labels, of a Role with permissions that the user lacks', async () => {
    const { server, url } = await served(READ);
    server.create(role('more', 'demo', DELETE));
    const patch = (metadata: object) =>
      send(url, `${ROLES}/more`, { method: 'PATCH', body: { metadata } });

    const labelled = await patch({ labels: { a: 'b' } });
    const held = await patch({ finalizers: ['example.com/a'] });

    expect([labelled.status, held.status]).toEqual([403, 200]);
  });

  test('a user cannot bind a role with permissions that the user lacks', async () => {
    const { server, url } = await served(READ);
    server.create(role('held', 'demo', READ));
    server.create(role('more', undefined, DELETE));
    const bind = (ref: string) =>
      send(url, BINDINGS, { method: 'POST', body: binding('b', 'demo', ref, 'User/joe') });

    const more = await bind('ClusterRole/more');
    const absent = await bind('Role/absent');
    const held = await bind('Role/held');

    expect(more.body.message).toBe(
      missing(
        'rolebindings',
        'b',
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["delete" "create"]}',
      ),
    );
    expect([absent.status, absent.body.message]).toEqual([
      404,
      'role.rbac.authorization.k8s.io "absent" not found',
    ]);
    expect(held.status).toBe(201);
  });

  test.each([
    ['a resource name', { ...READ, resourceNames: ['a'] }, { ...READ, resourceNames: ['b'] }],
    ['all resource names', { ...READ, resourceNames: ['a'] }, READ],
    ['another group', READ, { ...READ, apiGroups: ['apps'] }],
    ['a subresource', READ, { ...READ, resources: ['configmaps/status'] }],
    ['everything', READ, { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  ])('a new Role with %s beyond the permissions of its author is refused', async (_, held, wanted) => {
    const { url } = await served(held);

    const { status } = await send(url, ROLES, { method: 'POST', body: role('r', 'demo', wanted) });

    expect(status).toBe(403);
  });

  test.each([
    ['a resource name', { ...READ, resourceNames: ['a', 'b'] }, { ...READ, resourceNames: ['b'] }],
    ['a single resource name', READ, { ...READ, resourceNames: ['b'] }],
    [
      'permissions that a wildcard includes',
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      DELETE,
    ],
    [
      'a single scale subresource',
      { verbs: ['get'], apiGroups: ['apps'], resources: ['*/scale'] },
      { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments/scale'] },
    ],
  ])('a new Role with %s within the permissions of its author is accepted', async (_, held, wanted) => {
    const { url } = await served(held);

    const { status } = await send(url, ROLES, { method: 'POST', body: role('r', 'demo', wanted) });

    expect(status).toBe(201);
  });

  test('the message of a refusal lists the missing permissions in sorted order, with a separate line for each resource name', async () => {
    const { server } = await served();
    server.create(role('admins', undefined, { ...WRITE_ROLES, resources: ['clusterroles'] }));
    server.create(binding('admins', undefined, 'ClusterRole/admins', 'User/dev'));

    const { body } = await send(await server.urlFor('dev'), `${RBAC}/clusterroles`, {
      method: 'POST',
      body: role(
        'r',
        undefined,
        { ...READ, resources: ['secrets', 'pods'] },
        { ...READ, verbs: ['get'], resourceNames: ['a', 'b'] },
        { verbs: ['get'], nonResourceURLs: ['/metrics'] },
      ),
    });

    expect(body.message).toBe(
      missing(
        'clusterroles',
        'r',
        '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["a"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["b"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      ),
    );
  });
});

describe('permissions that allow escalation', () => {
  const onRoles = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'] };

  test('a user with the verb `escalate` can create a Role with any permissions', async () => {
    const { url } = await served({ ...onRoles, verbs: ['escalate'] });

    const answer = await send(url, ROLES, { method: 'POST', body: role('more', 'demo', DELETE) });

    expect(answer.status).toBe(201);
  });

  test('a user with the verb `bind` on one role can bind only that role', async () => {
    const { server, url } = await served({ ...onRoles, verbs: ['bind'], resourceNames: ['more'] });
    server.create(role('more', 'demo', DELETE));
    server.create(role('other', 'demo', DELETE));
    const bind = (name: string) =>
      send(url, BINDINGS, {
        method: 'POST',
        body: binding(name, 'demo', `Role/${name}`, 'User/joe'),
      });

    expect([(await bind('more')).status, (await bind('other')).status]).toEqual([201, 403]);
  });

  test('the administrator can grant any permissions, and so can everyone with AlwaysAllow', async () => {
    const server = await rbacServer();
    const open = await rbacServer({ authorization: 'AlwaysAllow' });
    const body = role('more', 'demo', DELETE);

    const answers = [
      await send(server.url, ROLES, { method: 'POST', body }),
      await send(await open.urlFor('dev'), ROLES, { method: 'POST', body }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  });

  test('only a user with all permissions can create an aggregated ClusterRole', async () => {
    const server = await rbacServer();
    const rule = { ...WRITE_ROLES, resources: ['clusterroles'] };
    server.create(role('writers', undefined, rule));
    server.create(binding('writers', undefined, 'ClusterRole/writers', 'User/dev'));
    server.create(binding('root', undefined, 'ClusterRole/cluster-admin', 'User/root'));
    const body = {
      ...role('sum', undefined),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    };
    const create = async (user: string) =>
      send(await server.urlFor(user), `${RBAC}/clusterroles`, { method: 'POST', body });

    const [dev, root] = [await create('dev'), await create('root')];

    expect(dev.body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "sum" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
    expect(root.status).toBe(201);
  });
});
