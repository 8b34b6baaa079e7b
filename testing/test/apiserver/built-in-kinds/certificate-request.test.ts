/** CertificateSigningRequests: who asks for a certificate is not for the client to say. */
import { expect, test } from 'vitest';
import type { ApiServer } from '../../../src/apiserver/api-server.ts';
import type { User } from '../../../src/apiserver/auth/user.ts';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { type Answer, rbacServer, send } from '../auth/rbac-server.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const ASKED = {
  request: Buffer.from('-----BEGIN CERTIFICATE REQUEST-----').toString('base64'),
  signerName: 'example.org/serving',
  usages: ['server auth'],
};

async function created(server: ApiServer, user: User, spec: object = {}): Promise<Answer> {
  const body = { metadata: { name: 'door' }, spec: { ...ASKED, ...spec } };
  return send(await server.urlFor(user), REQUESTS, { method: 'POST', body });
}

const openServer = (): Promise<ApiServer> => rbacServer({ authorization: 'RBAC,AlwaysAllow' });

test('a new CertificateSigningRequest has the name, uid, groups and extra of its sender', async () => {
  const server = await openServer();
  const user = { name: 'ida', uid: '7', groups: ['staff'], extra: { 'example.org/team': ['red'] } };

  const { status, body } = await created(server, user);

  expect(status).toBe(201);
  expect(body.spec).toEqual({
    ...ASKED,
    username: 'ida',
    uid: '7',
    groups: ['staff', 'system:authenticated'],
    extra: { 'example.org/team': ['red'] },
  });
});

test('the API server replaces the user in a CertificateSigningRequest by the sender of the request', async () => {
  const server = await openServer();
  const lie = { username: 'root', uid: '0', groups: ['system:masters'], extra: { a: ['b'] } };

  const { body } = await created(server, { name: 'ida' }, lie);

  expect(body.spec).toEqual({ ...ASKED, username: 'ida', groups: ['system:authenticated'] });
});

test("a CertificateSigningRequest of an impersonated user has that user's name", async () => {
  const server = await openServer();
  const body = { metadata: { name: 'gate' }, spec: ASKED };
  const headers = { 'impersonate-user': 'otto', 'impersonate-group': 'guests' };

  const answer = await send(server.url, REQUESTS, { method: 'POST', body, headers });

  expect(answer.body.spec).toMatchObject({
    username: 'otto',
    groups: ['guests', 'system:authenticated'],
  });
});

test('the spec of a CertificateSigningRequest is immutable, and an approval changes its conditions', async () => {
  const server = await openServer();
  await created(server, { name: 'ida' });
  const url = `${REQUESTS}/door`;
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Seen' }];

  const changed = await send(server.url, url, {
    method: 'PATCH',
    body: { metadata: { labels: { seen: 'yes' } }, spec: { username: 'root', usages: ['any'] } },
  });
  const approved = await send(server.url, `${url}/approval`, {
    method: 'PATCH',
    body: { spec: { username: 'root' }, status: { conditions } },
  });

  expect(changed.status).toBe(200);
  expect(changed.body.metadata?.labels).toEqual({ seen: 'yes' });
  expect(changed.body.spec).toEqual({
    ...ASKED,
    username: 'ida',
    groups: ['system:authenticated'],
  });
  expect(approved.body.spec).toEqual(changed.body.spec);
  expect(approved.body.status).toMatchObject({ conditions });
});

test('a condition of a CertificateSigningRequest gets its missing times, and keeps lastTransitionTime until its status changes', async () => {
  const clock = new FakeClock(Date.parse('2026-03-01T10:00:00Z'));
  const server = await rbacServer({ authorization: 'RBAC,AlwaysAllow', clock });
  await created(server, { name: 'ida' });
  const approval = `${REQUESTS}/door/approval`;
  const approve = async (condition: object) => {
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Seen', ...condition }];
    const body = { status: { conditions } };
    return (await send(server.url, approval, { method: 'PATCH', body })).body.status;
  };

  const first = await approve({});
  clock.advance(60_000);
  const second = await approve({ message: 'seen twice', lastUpdateTime: '2026-03-01T10:00:30Z' });

  const began = '2026-03-01T10:00:00Z';
  expect(first).toMatchObject({
    conditions: [{ lastUpdateTime: began, lastTransitionTime: began }],
  });
  expect(second).toMatchObject({
    conditions: [
      { message: 'seen twice', lastUpdateTime: '2026-03-01T10:00:30Z', lastTransitionTime: began },
    ],
  });
});

test('a CertificateSigningRequest can be selected by its signerName', async () => {
  const server = await openServer();
  await created(server, { name: 'ida' });

  const found = async (signer: string) => {
    const { body } = await send(
      server.url,
      `${REQUESTS}?fieldSelector=spec.signerName%3D${signer}`,
    );
    return (body as { readonly items?: readonly unknown[] }).items?.length;
  };

  expect(await found('example.org/serving')).toBe(1);
  expect(await found('example.org/client')).toBe(0);
});
