/** Credentials of hooks in Secrets and ConfigMaps: read under the generated rights, and changed while it runs. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { CertificateAuthority } from '../../../testing/src/apiserver/tls/certificate-authority.ts';
import { hookServer } from './call/support.ts';
import {
  ORCHARDS,
  type OrchardRequest,
  orchard,
  orchards,
  plan,
  planned,
  syncedWith,
} from './support/orchards.ts';
import { type MetacontrollerPlace, startMetacontroller } from './support/place.ts';

/** Where the credentials are: not the namespace of the operator, nor that of the parents. */
const NAMESPACE = 'kube-public';

/** A hook over TLS that answers whoever knows its token. */
async function secureHook(authority: CertificateAuthority) {
  const hook = { token: '', authorizations: new Set<string>() };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = 'none' } = request.headers;
    hook.authorizations.add(authorization);
    const body = (await json(request)) as OrchardRequest;
    const isKnown = authorization === `Bearer ${hook.token}`;
    response.writeHead(isKnown ? 200 : 401).end(isKnown ? JSON.stringify(plan(body)) : '');
  };
  const { url } = await hookServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
    authority.issue(['127.0.0.1']),
  );
  return Object.assign(hook, { url });
}

function secret(token: string): KubernetesObject {
  const stringData = { token };
  const metadata = { name: 'hook-token', namespace: NAMESPACE };
  return { apiVersion: 'v1', kind: 'Secret', metadata, stringData } as KubernetesObject;
}

function bundle(certificate: string): KubernetesObject {
  const metadata = { name: 'hook-ca', namespace: NAMESPACE };
  const data = { 'ca.crt': certificate };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as KubernetesObject;
}

const WEBHOOK = {
  caBundle: { configMapRef: { name: 'hook-ca', namespace: NAMESPACE } },
  authorization: {
    type: 'Bearer',
    secretRef: { name: 'hook-token', namespace: NAMESPACE, key: 'token' },
  },
};

/** A controller whose hook is at `url`. */
async function startedPlace(url: string, before: readonly KubernetesObject[]) {
  const place = await startMetacontroller({
    subjects: [orchards({ decide: plan, webhook: { ...WEBHOOK, url } })],
    definitions: [ORCHARDS],
    stopped: true,
  });
  await place.env.apply([...before]);
  place.startOperator();
  return place;
}

test('[contract 20] [metacontroller 22] [metacontroller M9] the next call uses a changed token and a changed authority', async () => {
  const authority = new CertificateAuthority();
  const hook = await secureHook(authority);
  hook.token = 'crab-apple-1';
  const place = await startedPlace(hook.url, [
    secret('crab-apple-1'),
    bundle(authority.certificate),
  ]);
  await place.apply(orchard('north', 1));
  await planned(place, 'north', 1);

  hook.token = 'crab-apple-2';
  await place.env.apply([secret('crab-apple-2')]);
  await place.apply(orchard('north', 2));
  await planned(place, 'north', 2);
  await place.env.apply([bundle(new CertificateAuthority().certificate)]);
  await place.apply(orchard('north', 3));
  const condition = await syncedWith(place, 'north', 'Unreachable');
  await place.env.apply([bundle(authority.certificate)]);
  await planned(place, 'north', 3);

  expect(condition.message).toContain(hook.url);
  expect([...hook.authorizations]).toEqual(['Bearer crab-apple-1', 'Bearer crab-apple-2']);
  expect(await shown(place)).not.toMatch(/crab-apple/);
});

test('the error contains the name of a missing Secret, and the Secret is used as soon as it exists', async () => {
  const authority = new CertificateAuthority();
  const hook = await secureHook(authority);
  hook.token = 'late';
  const place = await startedPlace(hook.url, [bundle(authority.certificate)]);
  await place.apply(orchard('north', 1));

  const condition = await syncedWith(place, 'north', 'MissingCredentials');
  await place.env.apply([secret('late')]);
  await planned(place, 'north', 1);

  expect(condition.message).toBe(
    'Secret kube-public/hook-token of the hook cannot be used: it does not exist',
  );
});

/** What anybody who may read Events and the parents sees. */
async function shown(place: MetacontrollerPlace): Promise<string> {
  const found = await place.env.list('fruit.example/v1', 'Orchard', place.namespace);
  return JSON.stringify([found, await place.events()]);
}
