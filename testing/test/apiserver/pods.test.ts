import { expect, test } from 'vitest';
import { FakeClock } from '../../src/time/fake-clock.ts';
import { startCluster, type TestCluster } from './support/cluster.ts';

const PODS = '/api/v1/namespaces/default/pods';

function pod(name: string, spec: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'web' } },
    spec: { containers: [{ name: 'app', image: 'nginx:1.27' }], ...spec },
  };
}

/** A Pod that runs on a node and is ready. */
function running({ server }: TestCluster, name: string): void {
  server.create(pod(name, { nodeName: 'node-1' }));
  const conditions = [{ type: 'Ready', status: 'True' }];
  server.patch(
    'v1',
    'Pod',
    'default',
    name,
    { status: { phase: 'Running', conditions } },
    'status',
  );
}

test('a deleted Pod on a node stays until its grace period ends', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock });
  running(cluster, 'a');

  const { body } = await cluster.send('DELETE', `${PODS}/a`);
  clock.advance(29_999);
  const before = await cluster.send('GET', `${PODS}/a`);
  clock.advance(1);
  const after = await cluster.send('GET', `${PODS}/a`);

  expect(body.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:30Z',
    deletionGracePeriodSeconds: 30,
    generation: 2,
  });
  expect([before.status, after.status]).toEqual([200, 404]);
});

test('the end of a grace period does not affect a new Pod of the same name', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock });
  running(cluster, 'a');
  await cluster.send('DELETE', `${PODS}/a`);
  await cluster.send('DELETE', `${PODS}/a?gracePeriodSeconds=0`);
  running(cluster, 'a');
  const before = cluster.server.get('v1', 'Pod', 'default', 'a');

  clock.advance(60_000);

  expect(before).toBeDefined();
  expect(cluster.server.get('v1', 'Pod', 'default', 'a')).toEqual(before);
});

test('a deleted Pod without a node is removed at once', async () => {
  const { send, server } = await startCluster();
  server.create(pod('a'));

  const deleted = await send('DELETE', `${PODS}/a`);

  expect(deleted.body.kind).toBe('Pod');
  expect((await send('GET', `${PODS}/a`)).status).toBe(404);
});

test('Pods can be selected by node and phase', async () => {
  const cluster = await startCluster();
  running(cluster, 'a');
  cluster.server.create(pod('b'));

  const byNode = await cluster.send('GET', `${PODS}?fieldSelector=spec.nodeName%3Dnode-1`);
  const byPhase = await cluster.send('GET', `${PODS}?fieldSelector=status.phase!%3DRunning`);

  expect([byNode, byPhase].map(({ body }) => body.items[0].metadata.name)).toEqual(['a', 'b']);
});

test('deletecollection deletes only the selected Pods', async () => {
  const { send, server } = await startCluster();
  server.create(pod('a'));
  server.create({ ...pod('b'), metadata: { name: 'b', namespace: 'default' } });

  const { body } = await send('DELETE', `${PODS}?labelSelector=app%3Dweb`);

  expect(body.kind).toBe('PodList');
  expect(server.list('v1', 'Pod').map(({ metadata }) => metadata.name)).toEqual(['b']);
});

test('an eviction is refused while the disruption budget does not allow it', async () => {
  const cluster = await startCluster();
  running(cluster, 'a');
  cluster.server.create({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  } as never);
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };

  const refused = await cluster.send('POST', `${PODS}/a/eviction`, eviction);
  running(cluster, 'b');
  const granted = await cluster.send('POST', `${PODS}/a/eviction`, eviction);

  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: 'TooManyRequests',
    details: {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget web needs 1 healthy pods and has 1 currently',
        },
      ],
    },
    code: 429,
  });
  expect(granted.status).toBe(201);
  const evicted = cluster.server.get('v1', 'Pod', 'default', 'a');
  expect(evicted?.metadata.deletionTimestamp).toBeDefined();
});

test('on a server without admission plugins, a new Pod gets no service account token and no tolerations', async () => {
  const { send } = await startCluster({
    disableAdmissionPlugins: ['ServiceAccount', 'DefaultTolerationSeconds'],
  });

  const { status, body } = await send('POST', PODS, pod('bare', { serviceAccountName: 'nobody' }));

  expect(status).toBe(201);
  expect(body.spec).not.toHaveProperty('tolerations');
  expect(body.spec).not.toHaveProperty('volumes');
  expect(body.spec).toMatchObject({ serviceAccountName: 'nobody', priority: 0 });
});

test('each admission plugin can be disabled separately', async () => {
  const account = await startCluster({ disableAdmissionPlugins: ['ServiceAccount'] });
  const tolerations = await startCluster({ disableAdmissionPlugins: ['DefaultTolerationSeconds'] });

  const [first, second] = [
    (await account.send('POST', PODS, pod('bare'))).body.spec,
    (await tolerations.send('POST', PODS, pod('bare'))).body.spec,
  ];

  expect([first.serviceAccountName, first.tolerations.length]).toEqual([undefined, 2]);
  expect([second.serviceAccountName, second.tolerations]).toEqual(['default', undefined]);
});

test('a PUT that omits the priority of a Pod keeps the priority, and a PUT that changes it is refused', async () => {
  const { send } = await startCluster({
    disableAdmissionPlugins: ['ServiceAccount', 'DefaultTolerationSeconds'],
  });
  const sent = pod('kept', { containers: [{ name: 'app', image: 'nginx:1.27' }] });
  const { body: created } = await send('POST', PODS, sent);
  const { priority, preemptionPolicy, ...spec } = created.spec;

  const kept = await send('PUT', `${PODS}/kept`, { ...sent, spec });
  const changed = await send('PUT', `${PODS}/kept`, { ...sent, spec: { ...spec, priority: 7 } });

  expect([priority, preemptionPolicy]).toEqual([0, 'PreemptLowerPriority']);
  expect([kept.status, changed.status]).toEqual([200, 422]);
  expect(kept.body.spec).toMatchObject({ priority, preemptionPolicy });
});
