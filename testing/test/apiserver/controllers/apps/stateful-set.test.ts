import { expect, test } from 'vitest';
import { isReady, type Pod } from '../../../../src/apiserver/controllers/pods/pod.ts';
import {
  restart,
  type SimulatedCluster,
  simulatedCluster,
  workload,
} from '../simulated-cluster.ts';

const STATEFUL_SETS = 'statefulsets.apps';
const TIMES = { podReadyMs: 100, podStopMs: 100 };

function created(spec: object = {}): SimulatedCluster {
  const cluster = simulatedCluster(TIMES);
  const set = workload('StatefulSet', 'db', { replicas: 3, serviceName: 'db', ...spec });
  cluster.access.create(STATEFUL_SETS, set);
  return cluster;
}

function pods({ access }: SimulatedCluster): readonly Pod[] {
  return access.list('pods', 'demo') as readonly Pod[];
}

function names(cluster: SimulatedCluster): readonly string[] {
  return pods(cluster).map(({ metadata }) => metadata.name);
}

function uids(cluster: SimulatedCluster): readonly (string | undefined)[] {
  return pods(cluster).map(({ metadata }) => metadata.uid);
}

test('a StatefulSet creates its Pods in order, each after the previous Pod is ready', () => {
  const cluster = created();
  const seen: (readonly string[])[] = [];

  for (let step = 0; step < 3; step++) {
    cluster.clock.advance(99);
    seen.push(names(cluster));
    cluster.clock.advance(1);
  }

  expect(seen).toEqual([['db-0'], ['db-0', 'db-1'], ['db-0', 'db-1', 'db-2']]);
  expect(pods(cluster).every(isReady)).toBe(true);
  expect(pods(cluster)[1]).toMatchObject({
    metadata: {
      labels: {
        app: 'db',
        'statefulset.kubernetes.io/pod-name': 'db-1',
        'apps.kubernetes.io/pod-index': '1',
        'controller-revision-hash': expect.stringMatching(/^db-/),
      },
    },
  });
});

test('the status of a StatefulSet contains the revision in use', () => {
  const cluster = created();

  cluster.clock.advance(1_000);

  const status = cluster.access.get(STATEFUL_SETS, 'demo', 'db')?.status;
  const revision = pods(cluster)[0]?.metadata.labels?.['controller-revision-hash'];
  expect(status).toEqual({
    observedGeneration: 1,
    replicas: 3,
    readyReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    availableReplicas: 3,
    currentRevision: revision,
    updateRevision: revision,
    collisionCount: 0,
  });
});

test('a StatefulSet with podManagementPolicy Parallel creates all Pods at once', () => {
  const cluster = created({ podManagementPolicy: 'Parallel' });

  cluster.clock.advance(0);

  expect(names(cluster)).toEqual(['db-0', 'db-1', 'db-2']);
});

test('a template change replaces the Pods of a StatefulSet one by one, beginning with the last Pod', () => {
  const cluster = created();
  cluster.clock.advance(1_000);
  const before = uids(cluster);
  const start = cluster.events.length;

  cluster.access.patch(STATEFUL_SETS, 'demo', 'db', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(2_000);

  const gone = cluster.events.slice(start).filter(({ type }) => type === 'DELETED');
  expect(gone.map(({ object }) => object.metadata.name)).toEqual(['db-2', 'db-1', 'db-0']);
  expect(uids(cluster).filter((uid) => before.includes(uid))).toEqual([]);
  const status = cluster.access.get(STATEFUL_SETS, 'demo', 'db')?.status;
  const { currentRevision, updateRevision } = status as Readonly<Record<string, string>>;
  expect(currentRevision).toBe(updateRevision);
});

test('Pods below the partition keep the old revision, even if they are created again', () => {
  const rollingUpdate = { partition: 2 };
  const cluster = created({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
  cluster.clock.advance(1_000);
  const before = uids(cluster);

  cluster.access.patch(STATEFUL_SETS, 'demo', 'db', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(2_000);
  const kept = uids(cluster).map((uid) => before.includes(uid));
  cluster.access.delete('pods', 'demo', 'db-0');
  cluster.clock.advance(2_000);

  expect(kept).toEqual([true, true, false]);
  const revisions = pods(cluster).map(
    ({ metadata }) => metadata.labels?.['controller-revision-hash'],
  );
  expect(revisions[0]).toBe(revisions[1]);
  expect(revisions[0]).not.toBe(revisions[2]);
});

test('updateStrategy OnDelete keeps the Pods of a StatefulSet until they are deleted', () => {
  const cluster = created({ updateStrategy: { type: 'OnDelete' } });
  cluster.clock.advance(1_000);
  const before = uids(cluster);

  cluster.access.patch(STATEFUL_SETS, 'demo', 'db', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(2_000);
  const untouched = uids(cluster);
  cluster.access.delete('pods', 'demo', 'db-1');
  cluster.clock.advance(2_000);

  expect(untouched).toEqual(before);
  const revisions = pods(cluster).map(
    ({ metadata }) => metadata.labels?.['controller-revision-hash'],
  );
  expect(revisions[0]).toBe(revisions[2]);
  expect(revisions[0]).not.toBe(revisions[1]);
});

test('scaling down a StatefulSet removes the highest Pod first, one at a time', () => {
  const cluster = created();
  cluster.clock.advance(1_000);
  const start = cluster.events.length;

  cluster.access.patch(STATEFUL_SETS, 'demo', 'db', { spec: { replicas: 1 } });
  cluster.clock.advance(50);
  const stopping = pods(cluster).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  cluster.clock.advance(1_000);

  expect(stopping.map(({ metadata }) => metadata.name)).toEqual(['db-2']);
  const gone = cluster.events.slice(start).filter(({ type }) => type === 'DELETED');
  expect(gone.map(({ object }) => object.metadata.name)).toEqual(['db-2', 'db-1']);
  expect(names(cluster)).toEqual(['db-0']);
});

test('a StatefulSet creates volume claims with its Pods, and the claims outlive the Pods', () => {
  const resources = { requests: { storage: '1Gi' } };
  const template = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources },
  };
  const cluster = created({ replicas: 1, volumeClaimTemplates: [template] });
  cluster.clock.advance(1_000);
  const [claim] = cluster.access.list('persistentvolumeclaims', 'demo');

  cluster.access.delete('pods', 'demo', 'db-0');
  cluster.clock.advance(1_000);

  expect(claim?.metadata.name).toBe('data-db-0');
  expect(cluster.access.list('persistentvolumeclaims', 'demo')).toEqual([claim]);
  expect(pods(cluster)[0]?.spec.volumes).toContainEqual({
    name: 'data',
    persistentVolumeClaim: { claimName: 'data-db-0' },
  });
});

test('no timer is pending once a StatefulSet is rolled out', () => {
  const cluster = created();

  cluster.clock.advance(60_000);

  expect(cluster.clock.pending).toBe(0);
});

test('a revision has the annotations of its StatefulSet, and a hash label that Pods do not have', () => {
  const cluster = simulatedCluster(TIMES);
  const set = workload('StatefulSet', 'db', { replicas: 1, serviceName: 'db' });
  const annotations = { 'kubernetes.io/change-cause': 'a new disk', 'example.org/team': 'red' };
  cluster.access.create(STATEFUL_SETS, { ...set, metadata: { ...set.metadata, annotations } });

  cluster.clock.advance(1_000);

  const [revision] = cluster.access.list('controllerrevisions.apps', 'demo');
  const hash = revision?.metadata.name.replace(/^db-/, '');
  expect(revision?.metadata.annotations).toEqual(annotations);
  expect(revision?.metadata.labels).toEqual({ app: 'db', 'controller.kubernetes.io/hash': hash });
  expect(pods(cluster)[0]?.metadata.labels).not.toHaveProperty('controller.kubernetes.io/hash');
});
