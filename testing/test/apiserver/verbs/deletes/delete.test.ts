/** Deletion as kube-apiserver carries it out: marks, waits, and what the DELETED event shows. */

import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../../src/time/fake-clock.ts';
import { startCluster, type TestCluster } from '../../support/cluster.ts';
import { eventsOf } from '../../support/committed-events.ts';

const START_MS = Date.UTC(2026, 0, 1);
const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

interface Answer extends KubernetesObject {
  readonly message?: string;
}

function configMap(name: string, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ...metadata },
  };
}

function pod(name: string, spec: object = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'app', image: 'nginx:1.27' }], ...spec },
  } as KubernetesObject;
}

async function started(): Promise<TestCluster & { readonly clock: FakeClock }> {
  const clock = new FakeClock(START_MS);
  return { ...(await startCluster({ clock })), clock };
}

test.each([
  ['Foreground', ['foregroundDeletion']],
  ['Orphan', ['orphan']],
])('[F-6] a deletion with policy %s adds the finalizer of that policy, and the garbage collector does the rest', async (policy, finalizers) => {
  const { server, send } = await started();
  server.create(configMap('a'));

  const { status, body } = await send('DELETE', `${MAPS}/a`, { propagationPolicy: policy });

  expect(status).toBe(200);
  expect((body as Answer).metadata).toMatchObject({ finalizers, deletionGracePeriodSeconds: 0 });
});

test.each([
  ['true', ['orphan']],
  ['false', undefined],
])('[F-6] orphanDependents=%s is an older way to choose a propagation policy', async (orphan, finalizers) => {
  const { server, send } = await started();
  server.create(configMap('a', { finalizers: ['example.dev/hold'] }));

  const { body } = await send('DELETE', `${MAPS}/a?orphanDependents=${orphan}`);

  const own = ['example.dev/hold', ...(finalizers ?? [])];
  expect((body as Answer).metadata.finalizers).toEqual(own);
});

test('[F-6] orphanDependents together with propagationPolicy is refused', async () => {
  const { server, send } = await started();
  server.create(configMap('a'));

  const { status, body } = await send('DELETE', `${MAPS}/a`, {
    orphanDependents: false,
    propagationPolicy: 'Background',
  });

  expect(status).toBe(422);
  expect((body as Answer).message).toContain(
    'propagationPolicy: Invalid value: "Background": orphanDependents and deletionPropagation cannot be both set',
  );
});

test('[F-6] a second deletion with another policy removes the finalizer of the first deletion', async () => {
  const { server, send } = await started();
  server.create(configMap('a', { finalizers: ['example.dev/hold'] }));
  await send('DELETE', `${MAPS}/a`, { propagationPolicy: 'Foreground' });

  const { body } = await send('DELETE', `${MAPS}/a`, { propagationPolicy: 'Background' });

  expect((body as Answer).metadata.finalizers).toEqual(['example.dev/hold']);
});

test('[F-6] deleting a Job orphans its Pods by default', async () => {
  const { server, send } = await started();
  const template = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'nginx:1.27' }] },
  };
  const metadata = { name: 'task', namespace: 'default' };
  server.create({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template } } as never);

  const { body } = await send('DELETE', '/apis/batch/v1/namespaces/default/jobs/task');

  expect((body as Answer).metadata.finalizers).toContain('orphan');
});

test('[F-6] a watch gets an event when a Pod is marked for deletion, and another one when it is deleted', async () => {
  const { server, send } = await started();
  server.create(pod('a'));
  const events = eventsOf(server, 'pods');

  await send('DELETE', `${PODS}/a`);

  expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED']);
  expect(events[0]?.object.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    generation: 2,
  });
  expect(Number(events[1]?.object.metadata.resourceVersion)).toBeGreaterThan(
    Number(events[0]?.object.metadata.resourceVersion),
  );
});

test('[F-6] a second deletion can only shorten the grace period, which begins with the first deletion', async () => {
  const { server, send, clock } = await started();
  server.create(pod('a', { nodeName: 'node-1' }));
  await send('DELETE', `${PODS}/a`);
  clock.advance(5_000);

  const longer = await send('DELETE', `${PODS}/a?gracePeriodSeconds=60`);
  const shorter = await send('DELETE', `${PODS}/a?gracePeriodSeconds=10`);

  expect((longer.body as Answer).metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:30Z',
    deletionGracePeriodSeconds: 30,
  });
  expect((shorter.body as Answer).metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:10Z',
    deletionGracePeriodSeconds: 10,
    generation: 2,
  });
});

test('[F-6] a negative grace period becomes one second', async () => {
  const { server, send } = await started();
  server.create(pod('a', { nodeName: 'node-1' }));

  const { body } = await send('DELETE', `${PODS}/a?gracePeriodSeconds=-1`);

  expect((body as Answer).metadata.deletionGracePeriodSeconds).toBe(1);
});

test('[F-6] the DELETED event has the last stored finalizers and a new resourceVersion', async () => {
  const { server, send } = await started();
  server.create(configMap('a', { finalizers: ['example.dev/hold'] }));
  await send('DELETE', `${MAPS}/a`);
  const before = server.get('v1', 'ConfigMap', 'default', 'a')?.metadata.resourceVersion;
  const events = eventsOf(server, 'configmaps');

  const answer = server.patch('v1', 'ConfigMap', 'default', 'a', {
    metadata: { finalizers: null },
  });

  expect(answer.metadata).not.toHaveProperty('finalizers');
  expect(answer.metadata.resourceVersion).toBe(before);
  expect(events).toMatchObject([
    { type: 'DELETED', object: { metadata: { finalizers: ['example.dev/hold'] } } },
  ]);
  expect(events[0]?.object.metadata.resourceVersion).not.toBe(before);
});

test('[F-6] deletecollection deletes one object after the other, with a pause of collectionDeleteMs', async () => {
  const clock = new FakeClock(START_MS);
  const { server, send } = await startCluster({ clock, collectionDeleteMs: 5 });
  for (const name of ['a', 'b']) server.create(configMap(name));

  const answer = send('DELETE', MAPS);
  await expect.poll(() => server.list('v1', 'ConfigMap', 'default').length).toBe(1);
  clock.advance(5);
  const { status, body } = await answer;

  expect(status).toBe(200);
  expect((body as { items: readonly unknown[] }).items).toHaveLength(2);
  expect(server.list('v1', 'ConfigMap', 'default')).toEqual([]);
});

test.each([
  'default',
  'kube-public',
  'kube-system',
])('the namespace %s cannot be deleted, as in Kubernetes', async (name) => {
  const { send } = await startCluster();
  await send('POST', '/api/v1/namespaces', { metadata: { name } });

  const { status, body } = await send('DELETE', `/api/v1/namespaces/${name}`);

  expect([status, body]).toEqual([
    403,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      reason: 'Forbidden',
      details: { name, kind: 'namespaces' },
      code: 403,
    },
  ]);
  expect((await send('GET', `/api/v1/namespaces/${name}`)).status).toBe(200);
});

test.each([
  'default',
  'kube-system',
  'kube-public',
])('the namespace %s cannot be deleted, whatever precondition the request has', async (name) => {
  const { send } = await startCluster();
  const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'other' } };

  const { status, body } = await send('DELETE', `/api/v1/namespaces/${name}`, options);

  expect([status, body.message]).toEqual([
    403,
    `namespaces "${name}" is forbidden: this namespace may not be deleted`,
  ]);
});
