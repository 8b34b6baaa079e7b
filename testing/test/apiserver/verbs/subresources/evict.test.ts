/** Evictions against a budget whose status is set as its controller would set it. */

import type { KubernetesObject } from 'chancery';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../../src/time/fake-clock.ts';
import { startCluster, type TestCluster } from '../../support/cluster.ts';
import { eventsOf } from '../../support/committed-events.ts';

const READY = { type: 'Ready', status: 'True' };

async function clusterWith(
  pods: Readonly<Record<string, readonly object[]>>,
  status: object,
  spec: object = {},
): Promise<TestCluster> {
  const cluster = await startCluster({ clock: new FakeClock(Date.UTC(2026, 0, 1)) });
  const { server } = cluster;
  for (const [name, conditions] of Object.entries(pods)) {
    server.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: { app: 'web' } },
      spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'nginx:1.27' }] },
    } as KubernetesObject);
    const running = { status: { phase: 'Running', conditions } };
    server.patch('v1', 'Pod', 'default', name, running, 'status');
  }
  server.create({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } }, ...spec },
  } as KubernetesObject);
  server.patch('policy/v1', 'PodDisruptionBudget', 'default', 'web', { status }, 'status');
  return cluster;
}

function evict({ send }: TestCluster, name: string): ReturnType<TestCluster['send']> {
  return send('POST', `/api/v1/namespaces/default/pods/${name}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name },
  });
}

const ALLOWS_ONE = {
  observedGeneration: 1,
  disruptionsAllowed: 1,
  currentHealthy: 2,
  desiredHealthy: 1,
  expectedPods: 2,
};

test('[F-9] a budget for one disruption allows only one of two simultaneous evictions', async () => {
  const cluster = await clusterWith({ a: [READY], b: [READY] }, ALLOWS_ONE);

  const answers = await Promise.all([evict(cluster, 'a'), evict(cluster, 'b')]);

  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 429]);
  expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget web needs 1 healthy pods and has 2 currently',
        },
      ],
    },
  });
  const budget = cluster.server.get('policy/v1', 'PodDisruptionBudget', 'default', 'web');
  expect(budget).toMatchObject({ status: { disruptionsAllowed: 0 } });
});

test('an evicted Pod gets the condition DisruptionTarget before it is deleted', async () => {
  const cluster = await clusterWith({ a: [READY], b: [READY] }, ALLOWS_ONE);
  const events = eventsOf(cluster.server, 'pods');

  await evict(cluster, 'a');

  const [told, deleted] = events.map(({ object }) => object);
  const reason = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' };
  expect(told?.metadata).not.toHaveProperty('deletionTimestamp');
  expect(told).toMatchObject({ status: { conditions: [READY, reason] } });
  expect(deleted?.metadata).toHaveProperty('deletionTimestamp');
});

test('an eviction is answered 429 until the controller has processed the changed budget', async () => {
  const cluster = await clusterWith({ a: [READY], b: [READY] }, ALLOWS_ONE);
  const { server } = cluster;
  const changed = { spec: { minAvailable: 2 } };
  server.patch('policy/v1', 'PodDisruptionBudget', 'default', 'web', changed);

  const { status, body } = await evict(cluster, 'a');

  expect(status).toBe(429);
  expect(body).toMatchObject({
    details: {
      retryAfterSeconds: 10,
      causes: [{ message: 'The disruption budget web is still being processed by the server.' }],
    },
  });
});

const USED_UP = { ...ALLOWS_ONE, disruptionsAllowed: 0, currentHealthy: 1 };

test('the eviction of an unready Pod is allowed if the budget is satisfied, and does not count', async () => {
  const cluster = await clusterWith({ a: [READY], broken: [] }, USED_UP);

  const { status } = await evict(cluster, 'broken');

  expect(status).toBe(201);
});

test.each([
  ['AlwaysAllow', 201],
  ['IfHealthyBudget', 429],
])('with the policy %s and a budget that is not satisfied, the eviction of an unready Pod is answered %i', async (policy, expected) => {
  const missed = { ...USED_UP, currentHealthy: 0 };
  const cluster = await clusterWith({ broken: [] }, missed, { unhealthyPodEvictionPolicy: policy });

  const { status } = await evict(cluster, 'broken');

  expect(status).toBe(expected);
});

test('the eviction of a Pod that does not exist is answered 404', async () => {
  const cluster = await clusterWith({ a: [READY] }, ALLOWS_ONE);

  const { status } = await evict(cluster, 'nope');

  expect(status).toBe(404);
});

test('an eviction with dryRun in the query and preconditions in the body deletes no Pod', async () => {
  const { send, server } = await clusterWith({ a: [READY], b: [READY] }, ALLOWS_ONE);
  const { uid } = server.get('v1', 'Pod', 'default', 'a')?.metadata ?? {};

  const answer = await send('POST', '/api/v1/namespaces/default/pods/a/eviction?dryRun=All', {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'a' },
    deleteOptions: { preconditions: { uid } },
  });

  expect(answer.status).toBe(201);
  expect(server.get('v1', 'Pod', 'default', 'a')?.metadata.deletionTimestamp).toBeUndefined();
});

describe('the body of an eviction', () => {
  async function answered(body: object, pod = 'a'): Promise<readonly [number, string]> {
    const cluster = await clusterWith({ a: [] }, ALLOWS_ONE);
    const path = `/api/v1/namespaces/default/pods/${pod}/eviction`;
    const { status, body: answer } = await cluster.send('POST', path, body);
    return [status, answer.message];
  }
  const EVICTION = { apiVersion: 'policy/v1', kind: 'Eviction' };
  const OTHER = 'name in URL does not match name in Eviction object';

  test.each([
    [{ ...EVICTION, metadata: { name: 'b' } }, OTHER],
    [EVICTION, OTHER],
    [{}, OTHER],
    [
      { ...EVICTION, metadata: { name: 'a', namespace: 'other' } },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('an eviction with a body for another Pod is refused: %j', async (body, message) => {
    expect(await answered(body)).toEqual([400, message]);
  });

  test('the body of an eviction is checked before the Pod is looked up', async () => {
    expect(await answered({ ...EVICTION, metadata: { name: 'a' } }, 'gone')).toEqual([400, OTHER]);
  });

  test('the body of an eviction may have the version policy/v1beta1', async () => {
    const [status] = await answered({
      apiVersion: 'policy/v1beta1',
      kind: 'Eviction',
      metadata: { name: 'a' },
    });

    expect(status).toBe(201);
  });
});
