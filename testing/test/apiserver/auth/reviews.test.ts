import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.ts';
import { binding, grant, rbacServer, role, send } from './rbac-server.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const LIST = { verbs: ['list'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] };
const resourceAttributes = { namespace: 'demo', verb: 'list', resource: 'configmaps' };

function ask(url: string, path: string, spec: object) {
  const body = { spec };
  return send(url, path, { method: 'POST', body, headers: { 'user-agent': 'test/1' } });
}

describe('SelfSubjectAccessReview', () => {
  const path = `${AUTHORIZATION}/selfsubjectaccessreviews`;

  test('a SelfSubjectAccessReview is denied without a reason, and the answer repeats its spec', async () => {
    const server = await rbacServer();

    const { status, body } = await ask(await server.urlFor('dev'), path, { resourceAttributes });

    expect(status).toBe(201);
    expect(body).toEqual({
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {
        managedFields: [
          {
            manager: 'test',
            operation: 'Update',
            apiVersion: 'authorization.k8s.io/v1',
            time: expect.stringMatching(/Z$/),
            fieldsType: 'FieldsV1',
            fieldsV1: {
              'f:spec': {
                'f:resourceAttributes': {
                  '.': {},
                  'f:namespace': {},
                  'f:resource': {},
                  'f:verb': {},
                },
              },
            },
          },
        ],
      },
      spec: { resourceAttributes },
      status: { allowed: false },
    });
  });

  test('a SelfSubjectAccessReview is allowed, and its reason contains the binding', async () => {
    const server = await rbacServer();
    grant(server, 'dev', LIST);
    const url = await server.urlFor('dev');

    const one = await ask(url, path, { resourceAttributes: { ...resourceAttributes, name: 'a' } });
    const all = await ask(url, path, { resourceAttributes });
    const version = await ask(url, path, {
      nonResourceAttributes: { verb: 'get', path: '/version' },
    });

    expect(one.body.status).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "to-dev/demo" of Role "of-dev" to User "dev"',
    });
    expect(all.body.status).toEqual({ allowed: false });
    expect(version.body.status).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
    });
  });

  test('a SelfSubjectAccessReview by the administrator is allowed without a reason', async () => {
    const server = await rbacServer();

    const { body } = await ask(server.url, path, { resourceAttributes });

    expect(body.status).toEqual({ allowed: true });
  });

  test.each([
    [
      'nothing',
      {},
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'both kinds of attributes',
      { resourceAttributes, nonResourceAttributes: { path: '/', verb: 'get' } },
      'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    ],
  ])('a SelfSubjectAccessReview is refused if its spec has %s', async (_, spec, problem) => {
    const server = await rbacServer();

    const { status, body } = await ask(server.url, path, spec);

    expect(status).toBe(422);
    expect(body.message).toBe(`.authorization.k8s.io "" is invalid: ${problem}`);
  });
});

describe('SubjectAccessReview and LocalSubjectAccessReview', () => {
  const local = `${AUTHORIZATION}/namespaces/demo/localsubjectaccessreviews`;
  const anywhere = `${AUTHORIZATION}/subjectaccessreviews`;
  const one = { ...resourceAttributes, name: 'a' };

  test('access reviews about other users use only the groups that the review contains', async () => {
    const server = await rbacServer();
    grant(server, 'dev', LIST);
    server.create(binding('team', 'demo', 'Role/of-dev', 'Group/team'));
    const allowed = async (path: string, subject: object): Promise<boolean> => {
      const { body } = await ask(server.url, path, { ...subject, resourceAttributes: one });
      return (body.status as { allowed: boolean }).allowed;
    };

    const answers = [
      await allowed(anywhere, { user: 'dev' }),
      await allowed(anywhere, { user: 'joe' }),
      await allowed(anywhere, { user: 'joe', groups: ['team'] }),
      await allowed(anywhere, { groups: ['system:masters'] }),
      await allowed(local, { user: 'dev' }),
    ];

    expect(answers).toEqual([true, false, true, true, true]);
  });

  test('an access review needs a subject, and a local access review needs the namespace of its path', async () => {
    const server = await rbacServer();

    const nobody = await ask(server.url, anywhere, { resourceAttributes });
    const elsewhere = await ask(server.url, local, {
      user: 'dev',
      resourceAttributes: { ...resourceAttributes, namespace: 'default' },
    });

    expect(nobody.body.message).toContain(
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    );
    expect(elsewhere.body.message).toContain(
      'spec.resourceAttributes.namespace: Invalid value: "default": must match metadata.namespace',
    );
  });

  test('a user without permissions cannot create a SubjectAccessReview', async () => {
    const server = await rbacServer();

    const { status } = await ask(await server.urlFor('dev'), anywhere, {
      user: 'dev',
      resourceAttributes,
    });

    expect(status).toBe(403);
  });
});

describe('SelfSubjectRulesReview', () => {
  const path = `${AUTHORIZATION}/selfsubjectrulesreviews`;
  const review = { kind: 'SelfSubjectRulesReview', metadata: {}, spec: {} };

  test('a SelfSubjectRulesReview lists the rules that apply in a namespace, beginning with cluster-wide rules', async () => {
    const server = await rbacServer();
    grant(server, 'dev', LIST);
    const url = await server.urlFor('dev');

    const here = await ask(url, path, { namespace: 'demo' });
    const there = await ask(url, path, { namespace: 'default' });

    const known = [
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
      {
        verbs: ['create'],
        apiGroups: ['authentication.k8s.io'],
        resources: ['selfsubjectreviews'],
      },
    ];
    expect(here.body).toMatchObject({
      ...review,
      status: { resourceRules: [...known, LIST], incomplete: false },
    });
    expect(there.body).toMatchObject({ ...review, status: { resourceRules: known } });
  });

  test('a SelfSubjectRulesReview lists the permissions of cluster-admin for all resources and for all paths', async () => {
    const server = await rbacServer();
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

    const { body } = await ask(server.url, path, { namespace: 'demo' });

    expect(body.status).toMatchObject({
      resourceRules: expect.arrayContaining([everything]),
      nonResourceRules: expect.arrayContaining([{ verbs: ['*'], nonResourceURLs: ['*'] }]),
    });
  });

  test('a SelfSubjectRulesReview reports roles that it could not find', async () => {
    const server = await rbacServer();
    server.create(binding('to-nothing', 'demo', 'Role/absent', 'User/dev'));

    const { body } = await ask(await server.urlFor('dev'), path, { namespace: 'demo' });

    expect(body.status).toMatchObject({
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "absent" not found',
    });
  });

  test('a SelfSubjectRulesReview lists the current rules of an aggregated role', async () => {
    const server = await rbacServer();
    const labels = { 'example.com/part': 'true' };
    const widgets = { verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] };
    const part = role('part', undefined, widgets);
    server.create({ ...part, metadata: { ...part.metadata, labels } });
    server.create({
      ...role('sum', undefined),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
    } as never);
    server.create(binding('to-dev', undefined, 'ClusterRole/sum', 'User/dev'));
    const url = await server.urlFor('dev');

    const before = await ask(url, path, { namespace: 'demo' });
    server.delete('rbac.authorization.k8s.io/v1', 'ClusterRole', undefined, 'part');
    const after = await ask(url, path, { namespace: 'demo' });

    const rulesIn = ({ body }: typeof before) =>
      (body.status as { resourceRules: unknown[] }).resourceRules;
    expect(rulesIn(before)).toContainEqual(widgets);
    expect(rulesIn(after)).not.toContainEqual(widgets);
  });

  test('a SelfSubjectRulesReview is marked as incomplete if a webhook also authorizes requests', async () => {
    const server = await rbacServer({ authorization: 'Webhook,RBAC' });
    grant(server, 'dev', LIST);
    server.create(binding('to-nothing', 'demo', 'Role/absent', 'User/dev'));
    const url = await server.urlFor('dev');

    const { body } = await ask(url, path, { namespace: 'demo' });
    const access = await ask(url, `${AUTHORIZATION}/selfsubjectaccessreviews`, {
      resourceAttributes: { ...resourceAttributes, name: 'a' },
    });

    expect(body.status).toMatchObject({
      resourceRules: expect.arrayContaining([LIST]),
      incomplete: true,
      evaluationError:
        '[webhook authorizer does not support user rule resolution, ' +
        'role.rbac.authorization.k8s.io "absent" not found]',
    });
    expect(access.body.status).toMatchObject({ allowed: true });
  });

  test('a SelfSubjectRulesReview needs a namespace', async () => {
    const server = await rbacServer();

    const { status, body } = await ask(server.url, path, {});

    expect([status, body.message]).toEqual([400, 'no namespace on request']);
  });

  test('a SelfSubjectRulesReview grants everything with AlwaysAllow', async () => {
    const server = await ApiServer.start();
    onTestFinished(() => server.close());

    const { body } = await ask(await server.urlFor('dev'), path, { namespace: 'demo' });

    expect(body.status).toEqual({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    });
  });
});

describe('TokenReview', () => {
  const path = `${AUTHENTICATION}/tokenreviews`;
  const ISSUER = 'https://kubernetes.default.svc.cluster.local';

  test('a TokenReview reports the user of a token', async () => {
    const server = await rbacServer({
      authentication: { tokens: { t: { name: 'jane', groups: ['team'] } } },
    });

    const known = await ask(server.url, path, { token: 't' });
    const guessed = await ask(server.url, path, { token: 'guessed' });
    const none = await ask(server.url, path, {});

    expect(known.body.status).toEqual({
      authenticated: true,
      user: { username: 'jane', groups: ['team', 'system:authenticated'] },
      audiences: [ISSUER],
    });
    expect(guessed.body.status).toEqual({ user: {}, error: 'invalid bearer token' });
    expect([none.status, none.body.message]).toEqual([
      400,
      'token is required for TokenReview in authentication',
    ]);
  });

  test('a TokenReview authenticates a token only for the audiences of the token', async () => {
    const server = await rbacServer();
    const metadata = { name: 'op', namespace: 'demo' };
    server.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    const made = await ask(server.url, '/api/v1/namespaces/demo/serviceaccounts/op/token', {
      audiences: ['vault', 'other'],
    });
    const { token } = made.body.status as { token: string };

    const vault = await ask(server.url, path, { token, audiences: ['vault'] });
    const us = await ask(server.url, path, { token });

    expect(vault.body.status).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:demo:op' },
      audiences: ['vault'],
    });
    expect(us.body.status).toEqual({ user: {}, error: 'invalid bearer token' });
  });
});
