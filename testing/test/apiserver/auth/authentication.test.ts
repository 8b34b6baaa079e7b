import type { KubernetesObject } from 'chancery';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.ts';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { type Answer, CONFIG_MAPS, rbacServer, send } from './rbac-server.ts';

const WHO_AM_I = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The user of a request, as `kubectl auth whoami` shows it. */
async function whoAmI(url: string, headers: Readonly<Record<string, string>> = {}) {
  const { status, body } = await send(url, WHO_AM_I, { method: 'POST', body: {}, headers });
  return status === 201 ? (body.status as { userInfo: object }).userInfo : status;
}

describe('the user of a request', () => {
  test('a request without credentials is from the administrator by default', async () => {
    const server = await rbacServer();

    expect(await whoAmI(server.url)).toEqual({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    });
  });

  test('a bearer token identifies the user of a request', async () => {
    const jane = { name: 'jane', uid: '7', groups: ['team'] };
    const server = await rbacServer({ authentication: { tokens: { 'a.b': jane, c: 'joe' } } });

    expect(await whoAmI(server.url, bearer('a.b'))).toEqual({
      username: 'jane',
      uid: '7',
      groups: ['team', 'system:authenticated'],
    });
    expect(await whoAmI(server.url, { authorization: 'bearer c' })).toMatchObject({
      username: 'joe',
    });
  });

  test('an unknown token is answered 401, even with AlwaysAllow', async () => {
    const server = await ApiServer.start();
    onTestFinished(() => server.close());

    const answer = await send(server.url, CONFIG_MAPS, { headers: bearer('guessed') });

    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
  });

  test('without anonymous access, a request without credentials is answered 401, even for /version', async () => {
    const server = await rbacServer({
      authentication: { anonymous: false, tokens: { t: 'jane' } },
    });

    const statuses = await Promise.all(
      [CONFIG_MAPS, '/version', '/unheard'].map(
        async (path) => (await send(server.url, path)).status,
      ),
    );

    expect(statuses).toEqual([401, 401, 401]);
    expect((await send(server.url, '/version', { headers: bearer('t') })).status).toBe(200);
  });

  test('an anonymous request is from the user system:anonymous, who may read only /version', async () => {
    const server = await rbacServer({ authentication: { anonymous: 'system:anonymous' } });

    const [version, apis, list] = [
      await send(server.url, '/version'),
      await send(server.url, '/apis'),
      await send(server.url, CONFIG_MAPS),
    ];

    expect([version.status, apis.status, list.status]).toEqual([200, 403, 403]);
    expect(list.body.message).toContain('User "system:anonymous" cannot list');
  });
});

describe('the URL of a user', () => {
  test('urlFor returns a different port for each user, and requests to this port are from that user', async () => {
    const server = await rbacServer();

    const urls = [
      await server.urlFor('system:serviceaccount:demo:op'),
      await server.urlFor({ name: 'jane', groups: ['team'] }),
      await server.urlFor('jane'),
      await server.urlFor('jane'),
    ];

    expect(new Set([server.url, ...urls]).size).toBe(4);
    expect(urls[2]).toBe(urls[3]);
    expect(await whoAmI(urls[0] ?? '')).toEqual({
      username: 'system:serviceaccount:demo:op',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:demo', 'system:authenticated'],
    });
    expect(await whoAmI(urls[1] ?? '')).toEqual({
      username: 'jane',
      groups: ['team', 'system:authenticated'],
    });
  });

  test('a token in a request to the URL of a user decides who the user is, as with kubectl proxy', async () => {
    const server = await rbacServer({ authentication: { tokens: { t: 'joe' } } });
    const url = await server.urlFor('jane');

    expect(await whoAmI(url, bearer('t'))).toMatchObject({ username: 'joe' });
    expect(await whoAmI(url, bearer('guessed'))).toBe(401);
  });

  test('the URL of a user does not work while the server is stopped, and is the same after a restart', async () => {
    const server = await rbacServer();
    const url = await server.urlFor('jane');

    await server.stop();
    await expect(send(url, '/version')).rejects.toThrow();
    await expect(server.urlFor('joe')).rejects.toMatchObject({ code: 'CONFIG' });
    await server.listen();

    expect(await whoAmI(url)).toMatchObject({ username: 'jane' });
  });
});

describe('a token issued to a ServiceAccount', () => {
  const path = '/api/v1/namespaces/demo/serviceaccounts/op/token';

  async function serverWithAccount(clock?: FakeClock): Promise<ApiServer> {
    const server = await rbacServer(clock === undefined ? {} : { clock });
    account(server);
    return server;
  }
  function account(server: ApiServer): void {
    server.create({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'op', namespace: 'demo' },
    });
  }
  const issued = ({ body }: Answer): string => (body.status as { token: string }).token;
  const ask = (server: ApiServer, spec: object = {}) =>
    send(server.url, path, { method: 'POST', body: { spec } });

  test('an issued token identifies its bearer as the ServiceAccount', async () => {
    const server = await serverWithAccount();
    const { uid } = server.get('v1', 'ServiceAccount', 'demo', 'op')?.metadata ?? {};

    const answer = await ask(server);
    const user = await whoAmI(server.url, bearer(issued(answer)));

    expect(answer.status).toBe(201);
    expect(user).toEqual({
      username: 'system:serviceaccount:demo:op',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:demo', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
    });
  });

  test('an issued token is valid for an hour or the requested time, and for one minute longer', async () => {
    const clock = new FakeClock(Date.parse('2026-11-21T06:00:00Z'));
    const server = await serverWithAccount(clock);

    const hour = await ask(server);
    const long = await ask(server, { expirationSeconds: 7_200 });
    const status = async (answer: Answer) => whoAmI(server.url, bearer(issued(answer)));
    clock.advance(3_660_000);
    const before = await status(hour);
    clock.advance(1_000);

    expect(hour.body.status).toMatchObject({ expirationTimestamp: '2026-11-21T07:00:00Z' });
    expect(before).toMatchObject({ username: 'system:serviceaccount:demo:op' });
    expect(await status(hour)).toBe(401);
    expect(await status(long)).toMatchObject({ username: 'system:serviceaccount:demo:op' });
  });

  test('an issued token becomes invalid when its ServiceAccount is deleted, even if the name is used again', async () => {
    const server = await serverWithAccount();
    const token = issued(await ask(server));

    server.delete('v1', 'ServiceAccount', 'demo', 'op');
    const gone = await whoAmI(server.url, bearer(token));
    account(server);
    const another = await whoAmI(server.url, bearer(token));

    expect([gone, another]).toEqual([401, 401]);
  });

  const secret = { apiVersion: 'v1', kind: 'Secret', name: 'key' } as const;
  const bindTo = (server: ApiServer): void => {
    const metadata = { name: 'key', namespace: 'demo' };
    server.create({ apiVersion: 'v1', kind: 'Secret', metadata });
  };

  test('a bound token becomes invalid when its object is deleted, even if the name is used again', async () => {
    const server = await serverWithAccount();
    bindTo(server);
    const token = issued(await ask(server, { boundObjectRef: secret }));

    const before = await whoAmI(server.url, bearer(token));
    server.delete('v1', 'Secret', 'demo', 'key');
    const gone = await whoAmI(server.url, bearer(token));
    bindTo(server);
    const another = await whoAmI(server.url, bearer(token));

    expect(before).toMatchObject({ username: 'system:serviceaccount:demo:op' });
    expect([gone, another]).toEqual([401, 401]);
  });

  test('a token bound to a Pod contains the name of the Pod, and is valid until a minute after its deletionTimestamp', async () => {
    const clock = new FakeClock(Date.parse('2026-11-21T06:00:00Z'));
    const server = await serverWithAccount(clock);
    const pod = (metadata: object): KubernetesObject =>
      ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'demo', ...metadata },
        spec: { serviceAccountName: 'op', containers: [{ name: 'c', image: 'i' }] },
      }) as unknown as KubernetesObject;
    const held = server.create(pod({ name: 'web', finalizers: ['example.dev/held'] }));
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'web' } as const;
    const token = server.issueToken('demo', 'op', { boundObjectRef });

    server.delete('v1', 'Pod', 'demo', 'web');
    const ends = server.get('v1', 'Pod', 'demo', 'web')?.metadata.deletionTimestamp ?? '';
    clock.advance(Date.parse(ends) - clock.now() + 60_000);
    const before = await whoAmI(server.url, bearer(token));
    clock.advance(1_000);

    expect(before).toMatchObject({
      extra: {
        'authentication.kubernetes.io/pod-name': ['web'],
        'authentication.kubernetes.io/pod-uid': [held.metadata.uid],
      },
    });
    expect(await whoAmI(server.url, bearer(token))).toBe(401);
  });

  test.each([
    [404, { ...secret, name: 'absent' }, 'secrets "absent" not found'],
    [
      409,
      { ...secret, uid: 'other' },
      'Operation cannot be fulfilled on Secret "key": the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      400,
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      'cannot bind token to object of type apps/v1, Kind=Deployment',
    ],
    [
      400,
      { apiVersion: 'v1', kind: 'Pod', name: 'other' },
      'cannot bind token for serviceaccount "op" to pod running with different serviceaccount name.',
    ],
  ])('a token that cannot be bound is refused with %i', async (code, boundObjectRef, message) => {
    const server = await serverWithAccount();
    bindTo(server);
    server.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'other', namespace: 'demo' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    } as unknown as KubernetesObject);

    const answer = await ask(server, { boundObjectRef });

    expect([answer.status, answer.body.message]).toEqual([code, message]);
  });

  test('a forged token, an unsigned token and a token for another audience are refused', async () => {
    const server = await serverWithAccount();
    const token = issued(await ask(server));
    const [head = '', payload = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 }));
    const others = issued(await ask(server, { audiences: ['vault'] }));

    const answers = await Promise.all(
      [`${head}.${forged.toString('base64url')}.${signature}`, `${head}.${payload}.`, others].map(
        (text) => whoAmI(server.url, bearer(text)),
      ),
    );

    expect(answers).toEqual([401, 401, 401]);
  });

  test('a token for less than ten minutes or for an unknown account is refused', async () => {
    const server = await serverWithAccount();

    const short = await ask(server, { expirationSeconds: 599 });
    const absent = await send(server.url, path.replace('/op/', '/absent/'), {
      method: 'POST',
      body: {},
    });

    expect(short.status).toBe(422);
    expect(short.body.message).toBe(
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    );
    expect([absent.status, absent.body.message]).toEqual([
      404,
      'serviceaccounts "absent" not found',
    ]);
  });
});
