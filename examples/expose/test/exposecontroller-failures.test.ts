/** The annotations of exposecontroller, where requests fail: each answer is the test's. */

import { configMap, service } from '@chancery/testing';
import { ApiError, keyOf, objectKey } from 'chancery';
import type { Ingress, Service } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { ingressController } from '../exposecontroller/ingress-controller.ts';
import { serviceController } from '../exposecontroller/service-controller.ts';

type Context = Parameters<typeof ingressController.reconcile>[1];

const config = configMap('ingress-config', { namespace: 'ns', data: { domain: 'example.org' } });
const web = service('web', {
  namespace: 'ns',
  labels: { expose: 'true' },
  spec: { ports: [{ port: 80 }] },
}) as Service;

/** One reconcile of an Ingress that the cache does not have, and what became of it. */
async function reconcile(client: Partial<Context['client']>) {
  const told: string[] = [];
  const context = {
    self: {},
    store: () => ({
      get: (key: string) => (key === keyOf(config) ? config : undefined),
      byIndex: () => [web],
    }),
    client,
    events: { record: ({ reason }: { reason: string }) => told.push(reason) },
  } as unknown as Context; // whatever else is used fails
  await ingressController.gone?.(objectKey('ns', 'web'), context);
  return told;
}

test('C2-5: an Ingress that another writer creates at the same moment is not overwritten', async () => {
  const taken = new ApiError({ code: 409, reason: 'AlreadyExists' });

  expect(await reconcile({ create: () => Promise.reject(taken) })).toEqual([]);
});

test('without a node address, the operator reads the nodes again', async () => {
  const data = { exposer: 'NodePort' };
  const byNode = configMap('ingress-config', { namespace: 'ns', data });
  const context = {
    self: {},
    store: () => ({
      get: (key: string) => (key === keyOf(byNode) ? byNode : undefined),
      list: () => [],
    }),
    client: { list: async () => [], applyExisting: async () => web },
    event: () => {},
  } as unknown as Parameters<typeof serviceController.reconcile>[1];

  const answer = await serviceController.reconcile(web, context);

  expect(answer).toEqual({ requeueAfterMs: 60_000 });
});

test('if the API server refuses an Ingress, this is reported, and the Service is not exposed without TLS or annotations', async () => {
  const created: unknown[] = [];
  const refusal = new ApiError({
    code: 422,
    reason: 'Invalid',
    details: { causes: [{ field: 'spec' }] },
  });

  const told = await reconcile({
    create: async (_resource, object) => {
      created.push((object as Ingress).spec);
      return { ...object, metadata: { ...object.metadata, uid: 'u1' } };
    },
    applyExisting: () => Promise.reject(refusal),
  });

  expect(told).toEqual(['IngressRejected']);
  expect(created).toEqual([{ rules: [{ host: 'web.ns.example.org' }] }]);
});
