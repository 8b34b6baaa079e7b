import { expect, test } from 'vitest';
import { isReady, type Pod } from '../../../../src/apiserver/controllers/pods/pod.ts';
import { podTemplate, type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';

function bare({ access }: SimulatedCluster, spec: object = {}, metadata: object = {}): Pod {
  const template = podTemplate('bare') as { metadata: object; spec: object };
  return access.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bare', namespace: 'demo', ...template.metadata, ...metadata },
    spec: { ...template.spec, ...spec },
  } as never) as Pod;
}

function pod({ access }: SimulatedCluster): Pod | undefined {
  return access.get('pods', 'demo', 'bare') as Pod | undefined;
}

function node({ access }: SimulatedCluster, name: string): void {
  access.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
}

test('a Pod is scheduled, and then gets ready with the recorded status', () => {
  const cluster = simulatedCluster({ podReadyMs: 500 });

  bare(cluster);
  cluster.clock.advance(0);
  const placed = pod(cluster);
  cluster.clock.advance(500);

  expect(placed).toMatchObject({
    spec: { nodeName: 'node-1' },
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
  });
  expect(pod(cluster)?.status).toMatchObject({
    phase: 'Running',
    conditions: [
      { type: 'PodReadyToStartContainers', status: 'True' },
      { type: 'Initialized', status: 'True' },
      { type: 'Ready', status: 'True' },
      { type: 'ContainersReady', status: 'True' },
      { type: 'PodScheduled', status: 'True' },
    ],
    podIP: expect.stringMatching(/^10\.244\./),
    containerStatuses: [{ name: 'app', ready: true, started: true, restartCount: 0 }],
  });
});

test('a deleted Pod stays ready for podStopMs, and is then removed', () => {
  const cluster = simulatedCluster({ podStopMs: 500 });
  bare(cluster);
  cluster.clock.advance(1_000);

  cluster.access.delete('pods', 'demo', 'bare');
  cluster.clock.advance(499);
  const stopping = pod(cluster);
  cluster.clock.advance(1);

  expect(stopping?.metadata.deletionGracePeriodSeconds).toBe(30);
  expect(stopping && isReady(stopping)).toBe(true);
  expect(pod(cluster)).toBeUndefined();
  cluster.clock.advance(60_000);
  expect(cluster.clock.pending).toBe(0);
});

test('a deleted Pod is removed at the end of its grace period at the latest', () => {
  const cluster = simulatedCluster({ podStopMs: 60_000 });
  bare(cluster, { terminationGracePeriodSeconds: 2 });
  cluster.clock.advance(1_000);

  cluster.access.delete('pods', 'demo', 'bare');
  cluster.clock.advance(1_999);
  const before = pod(cluster);
  cluster.clock.advance(1);

  expect(before).toBeDefined();
  expect(pod(cluster)).toBeUndefined();
});

test('a Pod that has stopped stays until its finalizer is removed', () => {
  const cluster = simulatedCluster();
  bare(cluster, {}, { finalizers: ['example.dev/hold'] });
  cluster.clock.advance(1_000);

  cluster.access.delete('pods', 'demo', 'bare');
  cluster.clock.advance(60_000);

  expect(pod(cluster)?.metadata).toMatchObject({
    deletionGracePeriodSeconds: 0,
    finalizers: ['example.dev/hold'],
  });
  expect(cluster.clock.pending).toBe(0);
});

test('a Pod that is created again under the same name becomes ready only after its full start time', () => {
  const cluster = simulatedCluster({ podReadyMs: 500 });
  bare(cluster);
  cluster.clock.advance(400);
  cluster.access.delete('pods', 'demo', 'bare', { gracePeriodSeconds: 0 });
  bare(cluster);

  cluster.clock.advance(499);
  const before = pod(cluster)?.status?.phase;
  cluster.clock.advance(1);

  expect(before).toBe('Pending');
  expect(pod(cluster)?.status?.phase).toBe('Running');
});

test.each(['Never', 'OnFailure'])('a Pod with restartPolicy %s succeeds', (restartPolicy) => {
  const cluster = simulatedCluster({ podReadyMs: 100, podRunMs: 100 });

  bare(cluster, { restartPolicy });
  cluster.clock.advance(199);
  const running = pod(cluster)?.status?.phase;
  cluster.clock.advance(1);

  expect(running).toBe('Running');
  expect(pod(cluster)?.status).toMatchObject({
    phase: 'Succeeded',
    containerStatuses: [{ ready: false, state: { terminated: { exitCode: 0 } } }],
  });
});

test('the scheduler spreads Pods over the existing nodes', () => {
  const cluster = simulatedCluster();
  node(cluster, 'one');
  node(cluster, 'two');

  for (const name of ['a', 'b', 'c', 'd']) bare(cluster, {}, { name });
  cluster.clock.advance(0);

  const names = (cluster.access.list('pods', 'demo') as readonly Pod[]).map(
    ({ spec }) => spec.nodeName,
  );
  expect(names.toSorted()).toEqual(['one', 'one', 'two', 'two']);
});

test('a Pod stays unscheduled until a node accepts it', () => {
  const cluster = simulatedCluster();
  node(cluster, 'one');
  cluster.access.patch('nodes', undefined, 'one', { spec: { unschedulable: true } });
  bare(cluster);
  cluster.clock.advance(60_000);
  const waiting = pod(cluster);

  cluster.access.patch('nodes', undefined, 'one', { spec: { unschedulable: null } });
  cluster.clock.advance(1_000);

  expect(waiting?.spec.nodeName).toBeUndefined();
  expect(pod(cluster)?.status?.phase).toBe('Running');
});

test('the scheduler assigns a Pod to a node in one write without a field manager, and writes an Event', () => {
  const cluster = simulatedCluster({ only: ['scheduler'] });
  const { access, clock } = cluster;
  const created = access.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'alone', namespace: 'demo' },
    spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] },
  } as never);

  clock.advance(0);

  const changes = cluster.events.filter(({ resource }) => resource === 'pods').slice(1);
  expect(changes.map(({ object }) => object)).toMatchObject([
    {
      metadata: { managedFields: created.metadata.managedFields, generation: 1 },
      spec: { nodeName: 'node-1' },
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
    },
  ]);
  expect(access.list('events', 'demo')).toMatchObject([
    {
      reason: 'Scheduled',
      message: 'Successfully assigned demo/alone to node-1',
      metadata: { managedFields: [{ manager: 'kube-scheduler', apiVersion: 'events.k8s.io/v1' }] },
    },
  ]);
});
