/** The annotation `expose`, where requests fail: each answer is the test's. */

import {
  advanceUntil,
  FakeClock,
  failure,
  ScriptedCollection,
  ScriptedServer,
  service,
  startOperator,
} from '@chancery/testing';
import { AlreadyOwnedError, ApiError } from 'chancery';
import { ingresses, type Service } from 'chancery/kubernetes';
import { expect, onTestFinished, test } from 'vitest';
import { exposeByAnnotation } from '../annotation/controller.ts';

type Context = Parameters<typeof exposeByAnnotation.reconcile>[1];

test('EX3: if listing Ingresses fails, this does not count as an empty list', async () => {
  const clock = new FakeClock();
  const server = new ScriptedServer({ clock });
  const path = '/api/v1/namespaces/demo/services';
  const known = new ScriptedCollection({ apiVersion: 'v1', kind: 'Service', path });
  const names = { name: 'web', namespace: 'demo', uid: 'u1', resourceVersion: '101' };
  known.put('web', {
    metadata: { ...names, annotations: { expose: '/' } },
    spec: { ports: [{ port: 80 }] },
  });
  server.on({ method: 'GET', path: /ingresses/ }, failure({ code: 500 }));
  server.on({ path }, known.reply);
  await server.start();
  onTestFinished(() => server.close());
  const controllers = [exposeByAnnotation];
  const operator = startOperator({ url: server.url, namespace: 'demo', clock, controllers });
  onTestFinished(() => operator.stop());

  const asked = () => server.requests.filter((request) => request.path.includes('ingresses'));
  await advanceUntil(clock, () => asked().length > 5);

  expect(new Set(asked().map(({ method }) => method))).toEqual(new Set(['GET']));
});

test('[real R-1] a refusal by the API server is reported, and retried at long intervals', async () => {
  const web = service('web', { annotations: { expose: '/' } }) as Service;
  const told: unknown[] = [];
  const refusing = {
    store: () => ({ get: () => undefined }),
    applyOwned: async () => {
      throw new ApiError({
        code: 422,
        reason: 'Invalid',
        message: 'no',
        details: { causes: [{ field: 'spec' }] },
      });
    },
    event: (...event: unknown[]) => told.push(event),
    client: { patch: async (...call: unknown[]) => told.push(call[2]) },
  } as unknown as Context;

  const answer = await exposeByAnnotation.reconcile(web, refusing);

  expect(answer).toEqual({ refusal: { kind: 'invalid', fields: ['spec'] } });
  expect(told).toMatchObject([
    ['Warning', 'IngressRejected', '422 Invalid: no'],
    { body: { metadata: { annotations: { 'expose.problem': expect.any(String) } } } },
  ]);
});

test('an Ingress of an earlier Service with the same name is not reported, and the operator waits for its deletion', async () => {
  const web = service('web', { annotations: { expose: '/' } }) as Service;
  const owner = {
    apiVersion: 'v1',
    kind: 'Service',
    name: 'web',
    uid: 'earlier',
    controller: true,
  };
  const left = { metadata: { name: 'web', ownerReferences: [owner] } };
  const refusing = {
    store: () => ({ get: () => left }),
    applyOwned: async () => {
      throw new AlreadyOwnedError(ingresses, left);
    },
  } as unknown as Context; // whatever else is used fails

  const answer = await exposeByAnnotation.reconcile(web, refusing);

  expect(answer).toBeUndefined();
});
