import { expect, test } from 'vitest';
import { isReady, type Pod } from '../../../../src/apiserver/controllers/pods/pod.ts';
import {
  restart,
  type SimulatedCluster,
  simulatedCluster,
  workload,
} from '../simulated-cluster.ts';

const DAEMON_SETS = 'daemonsets.apps';

function clusterWith(nodes: readonly string[], spec: object = {}): SimulatedCluster {
  const cluster = simulatedCluster({ podReadyMs: 100, podStopMs: 100 });
  for (const name of nodes) addNode(cluster, name);
  cluster.access.create(DAEMON_SETS, workload('DaemonSet', 'agent', { ...spec }));
  return cluster;
}

function addNode({ access }: SimulatedCluster, name: string, labels: object = {}): void {
  const metadata = { name, labels: { ...labels } };
  access.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata });
}

function pods({ access }: SimulatedCluster): readonly Pod[] {
  return access.list('pods', 'demo') as readonly Pod[];
}

function placement(cluster: SimulatedCluster): readonly (string | undefined)[] {
  return pods(cluster)
    .map(({ spec }) => spec.nodeName)
    .toSorted();
}

test('a DaemonSet runs one Pod on every node, even on nodes that are added later', () => {
  const cluster = clusterWith(['one', 'two']);
  cluster.clock.advance(1_000);
  const before = placement(cluster);

  addNode(cluster, 'three');
  cluster.clock.advance(1_000);

  expect(before).toEqual(['one', 'two']);
  expect(placement(cluster)).toEqual(['one', 'three', 'two']);
  expect(pods(cluster).every(isReady)).toBe(true);
  expect(cluster.access.get(DAEMON_SETS, 'demo', 'agent')?.status).toEqual({
    currentNumberScheduled: 3,
    numberMisscheduled: 0,
    desiredNumberScheduled: 3,
    numberReady: 3,
    observedGeneration: 1,
    updatedNumberScheduled: 3,
    numberAvailable: 3,
  });
});

test('a DaemonSet in a cluster without Node objects gets one Pod, on node-1', () => {
  const cluster = clusterWith([]);

  cluster.clock.advance(1_000);

  expect(placement(cluster)).toEqual(['node-1']);
});

test('the Pod of a deleted node is deleted', () => {
  const cluster = clusterWith(['one', 'two']);
  cluster.clock.advance(1_000);

  cluster.access.delete('nodes', undefined, 'two');
  cluster.clock.advance(1_000);

  expect(placement(cluster)).toEqual(['one']);
});

test('a DaemonSet runs only on the nodes that its nodeSelector selects', () => {
  const cluster = clusterWith(['plain']);
  addNode(cluster, 'gpu', { kind: 'gpu' });
  cluster.access.patch(DAEMON_SETS, 'demo', 'agent', {
    spec: { template: { spec: { nodeSelector: { kind: 'gpu' } } } },
  });

  cluster.clock.advance(1_000);

  expect(placement(cluster)).toEqual(['gpu']);
});

test('a template change replaces the Pods of a DaemonSet, at most maxUnavailable at a time', () => {
  const cluster = clusterWith(['one', 'two', 'three']);
  cluster.clock.advance(1_000);
  const before = pods(cluster).map(({ metadata }) => metadata.uid);
  const start = cluster.events.length;

  cluster.access.patch(DAEMON_SETS, 'demo', 'agent', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(5_000);

  const after = pods(cluster).map(({ metadata }) => metadata.uid);
  expect(after.filter((uid) => before.includes(uid))).toEqual([]);
  const available = cluster.events
    .slice(start)
    .filter(({ resource }) => resource === DAEMON_SETS)
    .map(({ object }) => (object.status as { numberAvailable?: number }).numberAvailable ?? 0);
  expect(Math.min(...available)).toBe(2);
  expect(placement(cluster)).toEqual(['one', 'three', 'two']);
});

test('a template change with updateStrategy OnDelete replaces no Pod of a DaemonSet', () => {
  const cluster = clusterWith(['one'], { updateStrategy: { type: 'OnDelete' } });
  cluster.clock.advance(1_000);
  const before = pods(cluster);

  cluster.access.patch(DAEMON_SETS, 'demo', 'agent', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(5_000);

  expect(pods(cluster)).toEqual(before);
});

test('no timer is pending once a DaemonSet is rolled out', () => {
  const cluster = clusterWith(['one']);

  cluster.clock.advance(60_000);

  expect(cluster.clock.pending).toBe(0);
});

test('a revision of a DaemonSet keeps the annotations that the DaemonSet had when its template changed', () => {
  const cluster = clusterWith(['one']);
  const patch = (change: object): void => {
    cluster.access.patch(DAEMON_SETS, 'demo', 'agent', change);
    cluster.clock.advance(1_000);
  };
  const cause = (text: string): object => ({ annotations: { 'kubernetes.io/change-cause': text } });
  cluster.clock.advance(1_000);

  patch({ metadata: cause('second'), ...restart('2026-11-22T00:00:00Z') });
  patch({ metadata: cause('third') });

  const revisions = cluster.access
    .list('controllerrevisions.apps', 'demo')
    .toSorted((left, right) => Number(left.revision) - Number(right.revision));
  expect(revisions.map(({ metadata }) => metadata.annotations)).toEqual([
    { 'deprecated.daemonset.template.generation': '1' },
    {
      'deprecated.daemonset.template.generation': '2',
      'kubernetes.io/change-cause': 'second',
    },
  ]);
  const [first] = revisions;
  expect(first?.metadata.labels).toHaveProperty('controller-revision-hash');
});
