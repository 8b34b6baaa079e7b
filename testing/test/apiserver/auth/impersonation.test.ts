import { describe, expect, test } from 'vitest';
import type { ApiServer } from '../../../src/apiserver/api-server.ts';
import { binding, CONFIG_MAPS, grant, type Rule, rbacServer, role, send } from './rbac-server.ts';

const WHO_AM_I = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

async function as(url: string, headers: Readonly<Record<string, string>>) {
  const { status, body } = await send(url, WHO_AM_I, { method: 'POST', body: {}, headers });
  return status === 201 ? (body.status as { userInfo: object }).userInfo : body.message;
}

/** Lets `dev` do something in the whole cluster. */
function allow(server: ApiServer, ...rules: readonly Rule[]): void {
  server.create(role('of-dev', undefined, ...rules));
  server.create(binding('to-dev', undefined, 'ClusterRole/of-dev', 'User/dev'));
}

describe('impersonation with kubectl --as', () => {
  test('the administrator can impersonate any user, who gets the groups that follow from the user name', async () => {
    const { url } = await rbacServer();

    expect(await as(url, { 'impersonate-user': 'jane' })).toEqual({
      username: 'jane',
      groups: ['system:authenticated'],
    });
    expect(await as(url, { 'impersonate-user': 'system:serviceaccount:demo:op' })).toEqual({
      username: 'system:serviceaccount:demo:op',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:demo', 'system:authenticated'],
    });
    // Who is not known may not even ask who he is.
    expect(await as(url, { 'impersonate-user': 'system:anonymous' })).toContain(
      'User "system:anonymous" cannot create',
    );
    expect(await as(url, { 'impersonate-user': 'system:node:n1' })).toMatchObject({
      groups: ['system:nodes', 'system:authenticated'],
    });
  });

  test('impersonation takes groups, uid and extra values from the headers', async () => {
    const { url } = await rbacServer();

    const user = await as(url, {
      'impersonate-user': 'jane',
      'impersonate-group': 'team',
      'impersonate-uid': '7',
      'impersonate-extra-example.com%2fscopes': 'view',
    });

    expect(user).toEqual({
      username: 'jane',
      uid: '7',
      groups: ['team', 'system:authenticated'],
      extra: { 'example.com/scopes': ['view'] },
    });
  });

  test('a request with impersonation has only the permissions of the impersonated user', async () => {
    const server = await rbacServer();

    const { status, body } = await send(server.url, CONFIG_MAPS, {
      headers: { 'impersonate-user': 'jane' },
    });

    expect(status).toBe(403);
    expect(body.message).toContain('User "jane" cannot list');
  });

  test('impersonation without permission is refused, and the message contains the missing permission', async () => {
    const server = await rbacServer();
    const url = await server.urlFor('dev');

    expect(await as(url, { 'impersonate-user': 'jane' })).toBe(
      'selfsubjectreviews.authentication.k8s.io is forbidden: User "dev" cannot impersonate-on:user-info:create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope',
    );
  });

  test('the verb `impersonate` allows exactly the users and groups that the rule lists', async () => {
    const server = await rbacServer();
    allow(server, {
      verbs: ['impersonate'],
      apiGroups: [''],
      resources: ['users', 'groups'],
      resourceNames: ['jane', 'team'],
    });
    const url = await server.urlFor('dev');

    expect(await as(url, { 'impersonate-user': 'jane', 'impersonate-group': 'team' })).toEqual({
      username: 'jane',
      groups: ['team', 'system:authenticated'],
    });
    expect(await as(url, { 'impersonate-user': 'joe' })).toContain('is forbidden');
    expect(
      await as(url, { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' }),
    ).toContain('is forbidden');
    expect(await as(url, { 'impersonate-user': 'jane', 'impersonate-uid': '7' })).toContain(
      'is forbidden',
    );
  });

  test('impersonation of a ServiceAccount is allowed in the namespace of the Role', async () => {
    const server = await rbacServer();
    grant(server, 'dev', {
      verbs: ['impersonate'],
      apiGroups: [''],
      resources: ['serviceaccounts'],
    });
    const url = await server.urlFor('dev');

    expect(await as(url, { 'impersonate-user': 'system:serviceaccount:demo:op' })).toMatchObject({
      username: 'system:serviceaccount:demo:op',
    });
    expect(await as(url, { 'impersonate-user': 'system:serviceaccount:default:op' })).toContain(
      'is forbidden',
    );
  });

  test('constrained impersonation allows one kind of user and one action', async () => {
    const server = await rbacServer();
    allow(
      server,
      {
        verbs: ['impersonate:serviceaccount'],
        apiGroups: ['authentication.k8s.io'],
        resources: ['serviceaccounts', 'groups'],
      },
      {
        verbs: ['impersonate-on:serviceaccount:create'],
        apiGroups: ['authentication.k8s.io'],
        resources: ['selfsubjectreviews'],
      },
    );
    const url = await server.urlFor('dev');
    const headers = { 'impersonate-user': 'system:serviceaccount:demo:op' };

    const list = await send(url, CONFIG_MAPS, { headers });
    const inTeam = await as(url, { ...headers, 'impersonate-group': 'team' });

    expect(await as(url, headers)).toMatchObject({ username: 'system:serviceaccount:demo:op' });
    expect(inTeam).toBe(
      'serviceaccounts "op" is forbidden: User "dev" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "demo"',
    );
    expect(list.body.message).toBe(
      'configmaps is forbidden: User "dev" cannot impersonate-on:serviceaccount:list resource "configmaps" in API group "" in the namespace "demo"',
    );
  });

  test('constrained impersonation cannot get the group system:masters', async () => {
    const server = await rbacServer();
    allow(server, {
      verbs: ['impersonate:user-info', 'impersonate-on:user-info:create'],
      apiGroups: ['*'],
      resources: ['*'],
    });
    const url = await server.urlFor('dev');
    const root = { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' };

    expect(await as(url, { 'impersonate-user': 'root' })).toMatchObject({ username: 'root' });
    expect(await as(url, root)).toBe(
      'groups.authentication.k8s.io "system:masters" is forbidden: User "dev" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    );
  });

  test('impersonation of groups without a user is refused', async () => {
    const { url } = await rbacServer();

    const { status } = await send(url, CONFIG_MAPS, { headers: { 'impersonate-group': 'team' } });

    expect(status).toBe(400);
  });
});
