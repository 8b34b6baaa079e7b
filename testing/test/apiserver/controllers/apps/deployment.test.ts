import { expect, test } from 'vitest';
import type { Deployment } from '../../../../src/apiserver/controllers/apps/deployment.ts';
import type { ReplicaSet } from '../../../../src/apiserver/controllers/apps/replica-set.ts';
import { revisionAnnotations } from '../../../../src/apiserver/controllers/apps/replica-set-scale.ts';
import { isReady, type Pod } from '../../../../src/apiserver/controllers/pods/pod.ts';
import { templateHash } from '../../../../src/apiserver/controllers/pods/pod-template.ts';
import {
  restart,
  type SimulatedCluster,
  simulatedCluster,
  workload,
} from '../simulated-cluster.ts';

const DEPLOYMENTS = 'deployments.apps';
const REPLICA_SETS = 'replicasets.apps';

function deployed(cluster: SimulatedCluster, spec: Readonly<Record<string, unknown>> = {}): void {
  cluster.access.create(DEPLOYMENTS, workload('Deployment', 'webapp', { replicas: 3, ...spec }));
}

function webapp({ access }: SimulatedCluster): Deployment {
  return access.get(DEPLOYMENTS, 'demo', 'webapp') as Deployment;
}

function pods({ access }: SimulatedCluster): readonly Pod[] {
  return access.list('pods', 'demo') as readonly Pod[];
}

function replicaSets({ access }: SimulatedCluster): readonly ReplicaSet[] {
  return access.list(REPLICA_SETS, 'demo') as readonly ReplicaSet[];
}

function conditionOf(deployment: Deployment, type: string): unknown {
  return deployment.status?.conditions?.find((condition) => condition.type === type);
}

test('a Deployment creates a ReplicaSet and Pods, which become ready after podReadyMs', () => {
  const cluster = simulatedCluster({ podReadyMs: 1_000 });

  deployed(cluster);
  cluster.clock.advance(999);

  expect(pods(cluster).map((pod) => pod.status?.phase)).toEqual(['Pending', 'Pending', 'Pending']);
  expect(webapp(cluster).status).toMatchObject({ replicas: 3, unavailableReplicas: 3 });

  cluster.clock.advance(1);

  expect(pods(cluster).every(isReady)).toBe(true);
  expect(webapp(cluster)).toMatchObject({
    metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } },
    status: {
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      conditions: [
        { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    },
  });
  expect(webapp(cluster).status).not.toHaveProperty('unavailableReplicas');
});

test('the ReplicaSet of a Deployment has the recorded name, labels and annotations', () => {
  const cluster = simulatedCluster();

  deployed(cluster);
  cluster.clock.advance(0);

  const [set] = replicaSets(cluster);
  const hash = set?.metadata.labels?.['pod-template-hash'];
  expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5,10}$/);
  expect(set).toMatchObject({
    metadata: {
      name: `webapp-${hash}`,
      labels: { app: 'webapp', 'pod-template-hash': hash },
      annotations: {
        'deployment.kubernetes.io/desired-replicas': '3',
        'deployment.kubernetes.io/max-replicas': '4',
        'deployment.kubernetes.io/revision': '1',
      },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'webapp', controller: true },
      ],
    },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'webapp', 'pod-template-hash': hash } },
      template: { metadata: { labels: { app: 'webapp', 'pod-template-hash': hash } } },
    },
  });
});

test('a template change of a Deployment replaces every Pod within the bounds of the rollout', () => {
  const cluster = simulatedCluster();
  deployed(cluster);
  cluster.clock.advance(1_000);
  const before = new Set(pods(cluster).map((pod) => pod.metadata.uid));
  const start = cluster.events.length;

  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(10_000);

  expect(pods(cluster)).toHaveLength(3);
  expect(pods(cluster).some((pod) => before.has(pod.metadata.uid))).toBe(false);
  expect(webapp(cluster).metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '2',
  });
  const counts = cluster.events
    .slice(start)
    .filter(({ resource }) => resource === DEPLOYMENTS)
    .map(({ object }) => (object as Deployment).status ?? {});
  expect(Math.max(...counts.map(({ replicas = 0 }) => replicas))).toBe(4);
  expect(Math.min(...counts.map(({ availableReplicas = 0 }) => availableReplicas))).toBe(3);
  expect(
    replicaSets(cluster)
      .map((set) => set.spec.replicas)
      .toSorted(),
  ).toEqual([0, 3]);
});

test('with maxUnavailable, old Pods are removed before new Pods are ready', () => {
  const rollingUpdate = { maxSurge: 0, maxUnavailable: 2 };
  const cluster = simulatedCluster({ podReadyMs: 1_000, podStopMs: 100 });
  deployed(cluster, { strategy: { type: 'RollingUpdate', rollingUpdate } });
  cluster.clock.advance(2_000);

  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(500);

  expect(pods(cluster)).toHaveLength(3);
  expect(pods(cluster).filter(isReady)).toHaveLength(1);
});

test('the strategy Recreate creates no new ReplicaSet before the last old Pod is gone', () => {
  const cluster = simulatedCluster({ podStopMs: 5_000 });
  deployed(cluster, { strategy: { type: 'Recreate' } });
  cluster.clock.advance(1_000);

  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(4_999);

  expect(replicaSets(cluster)).toHaveLength(1);
  expect(pods(cluster).every((pod) => pod.metadata.deletionTimestamp !== undefined)).toBe(true);

  cluster.clock.advance(1_000);

  expect(replicaSets(cluster)).toHaveLength(2);
  expect(pods(cluster).filter(isReady)).toHaveLength(3);
});

test('a Deployment that returns to an older template uses its old ReplicaSet again', () => {
  const cluster = simulatedCluster();
  deployed(cluster);
  cluster.clock.advance(1_000);
  const [first] = replicaSets(cluster);
  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(10_000);

  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', {
    spec: { template: { metadata: { annotations: null } } },
  });
  cluster.clock.advance(10_000);

  const again = cluster.access.get(REPLICA_SETS, 'demo', first?.metadata.name ?? '');
  expect(replicaSets(cluster)).toHaveLength(2);
  expect(again).toMatchObject({
    metadata: { annotations: { 'deployment.kubernetes.io/revision': '3' } },
    spec: { replicas: 3 },
  });
});

test('a Deployment chooses another name for its ReplicaSet when a foreign ReplicaSet already has the name', () => {
  const cluster = simulatedCluster({}, (access) => {
    const deployment = workload('Deployment', 'webapp', { replicas: 2 });
    const { spec } = access.create(DEPLOYMENTS, deployment) as Deployment;
    const taken = `webapp-${templateHash(spec.template, 0)}`;
    const other = workload('ReplicaSet', 'other', { replicas: 1 });
    access.create(REPLICA_SETS, { ...other, metadata: { name: taken, namespace: 'demo' } });
  });

  cluster.clock.advance(1_000);

  expect(webapp(cluster).status).toMatchObject({ collisionCount: 1, availableReplicas: 2 });
  expect(replicaSets(cluster)).toHaveLength(2);
});

test('a deleted Pod is replaced, and the terminating Pod no longer counts as a replica', () => {
  const cluster = simulatedCluster({ podStopMs: 1_000 });
  deployed(cluster);
  cluster.clock.advance(5_000);
  const [victim] = pods(cluster);

  cluster.access.delete('pods', 'demo', victim?.metadata.name ?? '');
  cluster.clock.advance(500);

  expect(pods(cluster)).toHaveLength(4);
  expect(webapp(cluster).status).toMatchObject({
    replicas: 3,
    readyReplicas: 3,
    terminatingReplicas: 1,
  });

  cluster.clock.advance(500);

  expect(pods(cluster).map((pod) => pod.metadata.uid)).not.toContain(victim?.metadata.uid);
  expect(pods(cluster)).toHaveLength(3);
});

test('a Pod whose labels no longer match is released and replaced', () => {
  const cluster = simulatedCluster();
  deployed(cluster);
  cluster.clock.advance(1_000);
  const name = pods(cluster)[0]?.metadata.name ?? '';

  cluster.access.patch('pods', 'demo', name, { metadata: { labels: { app: 'debugged' } } });
  cluster.clock.advance(1_000);

  expect(pods(cluster)).toHaveLength(4);
  expect(cluster.access.get('pods', 'demo', name)?.metadata).not.toHaveProperty('ownerReferences');
});

test('the first condition of a Deployment is Progressing with the reason NewReplicaSetCreated, as recorded', () => {
  const cluster = simulatedCluster();

  deployed(cluster);
  cluster.clock.advance(0);

  const first = cluster.events
    .filter(({ resource }) => resource === DEPLOYMENTS)
    .map(({ object }) => (object as Deployment).status?.conditions ?? [])
    .find((conditions) => conditions.length > 0);
  expect(first?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
    'Progressing NewReplicaSetCreated',
  ]);
});

test('scaling a Deployment changes its ReplicaSet and keeps the Pods that are still wanted', () => {
  const cluster = simulatedCluster();
  deployed(cluster);
  cluster.clock.advance(1_000);
  const before = pods(cluster).map((pod) => pod.metadata.uid);

  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', { spec: { replicas: 5 } });
  cluster.clock.advance(1_000);
  const grown = pods(cluster).map((pod) => pod.metadata.uid);
  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', { spec: { replicas: 1 } });
  cluster.clock.advance(1_000);

  expect(grown).toHaveLength(5);
  expect(grown).toEqual(expect.arrayContaining(before));
  expect(pods(cluster)).toHaveLength(1);
  expect(replicaSets(cluster)).toHaveLength(1);
  expect(webapp(cluster).status).toMatchObject({ replicas: 1, availableReplicas: 1 });
});

test('scaling down removes the Pods that are not ready first', () => {
  const cluster = simulatedCluster();
  deployed(cluster);
  cluster.clock.advance(1_000);
  const names = pods(cluster).map((pod) => pod.metadata.name);
  const [first = '', second = '', third = ''] = names;
  for (const name of [first, third]) {
    const conditions = [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: 'False' },
    ];
    cluster.access.patch('pods', 'demo', name, { status: { conditions } }, 'status');
  }

  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', { spec: { replicas: 1 } });
  cluster.clock.advance(1_000);

  expect(pods(cluster).map((pod) => pod.metadata.name)).toEqual([second]);
});

test('a paused Deployment scales but does not roll out a new template', () => {
  const cluster = simulatedCluster();
  deployed(cluster);
  cluster.clock.advance(1_000);
  const { spec } = restart('2026-11-21T06:30:00Z') as { spec: object };

  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', {
    spec: { ...spec, paused: true, replicas: 4 },
  });
  cluster.clock.advance(1_000);

  expect(replicaSets(cluster)).toHaveLength(1);
  expect(pods(cluster)).toHaveLength(4);
  expect(conditionOf(webapp(cluster), 'Progressing')).toMatchObject({
    status: 'Unknown',
    reason: 'DeploymentPaused',
  });

  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', { spec: { paused: null } });
  cluster.clock.advance(10_000);

  expect(replicaSets(cluster)).toHaveLength(2);
  expect(conditionOf(webapp(cluster), 'Progressing')).toMatchObject({
    status: 'True',
    reason: 'NewReplicaSetAvailable',
  });
});

test('scaling in the middle of a rollout keeps the proportions of the ReplicaSets', () => {
  const cluster = simulatedCluster({ podReadyMs: 3_600_000 });
  const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
  deployed(cluster, { replicas: 10, strategy: { type: 'RollingUpdate', rollingUpdate } });
  cluster.clock.advance(3_600_000);
  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(1_000);
  const before = replicaSets(cluster).map((set) => set.spec.replicas);

  cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', { spec: { replicas: 15 } });
  cluster.clock.advance(1_000);

  // The example of the Kubernetes documentation of Deployments ("Proportional scaling").
  expect(before.toSorted()).toEqual([5, 8]);
  expect(
    replicaSets(cluster)
      .map((set) => set.spec.replicas)
      .toSorted(),
  ).toEqual([11, 7]);
});

test('a rollout that misses progressDeadlineSeconds reports ProgressDeadlineExceeded', () => {
  const cluster = simulatedCluster({ podReadyMs: 3_600_000 });
  deployed(cluster, { progressDeadlineSeconds: 60 });

  cluster.clock.advance(59_000);
  const before = conditionOf(webapp(cluster), 'Progressing');
  cluster.clock.advance(2_000);

  expect(before).toMatchObject({ status: 'True' });
  expect(conditionOf(webapp(cluster), 'Progressing')).toMatchObject({
    status: 'False',
    reason: 'ProgressDeadlineExceeded',
  });
});

test('a ready Pod counts as available only after minReadySeconds', () => {
  const cluster = simulatedCluster({ podReadyMs: 0 });
  deployed(cluster, { minReadySeconds: 10 });

  cluster.clock.advance(9_000);
  const before = webapp(cluster).status;
  cluster.clock.advance(2_000);

  expect(before).toMatchObject({ readyReplicas: 3, unavailableReplicas: 3 });
  expect(webapp(cluster).status).toMatchObject({ availableReplicas: 3 });
});

test('old ReplicaSets beyond revisionHistoryLimit are deleted', () => {
  const cluster = simulatedCluster();
  deployed(cluster, { revisionHistoryLimit: 1 });
  cluster.clock.advance(1_000);

  for (const minute of ['31', '32', '33']) {
    cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', restart(`2026-11-21T06:${minute}:00Z`));
    cluster.clock.advance(10_000);
  }

  expect(replicaSets(cluster)).toHaveLength(2);
  expect(
    replicaSets(cluster)
      .map((set) => set.spec.replicas)
      .toSorted(),
  ).toEqual([0, 3]);
});

test('after its rollout, a Deployment causes no timer and no write', () => {
  const cluster = simulatedCluster();
  deployed(cluster);
  cluster.clock.advance(10_000);
  const before = cluster.events.length;

  cluster.clock.advance(24 * 3_600_000);

  expect(cluster.clock.pending).toBe(0);
  expect(cluster.events.length).toBe(before);
});

test('controllers complete a rollout that began before they started, and leave no timer after close()', () => {
  const first = simulatedCluster();
  deployed(first);
  first.clock.advance(100);
  first.close();

  expect(first.clock.pending).toBe(0);
  const again = simulatedCluster({}, (access) => {
    access.create(DEPLOYMENTS, workload('Deployment', 'webapp', { replicas: 2 }));
  });
  again.clock.advance(1_000);

  expect(pods(again).filter(isReady)).toHaveLength(2);
});

/** A merge patch that makes the Deployment use another image. */
function image(tag: string): object {
  return { spec: { template: { spec: { containers: [{ name: 'app', image: `nginx:${tag}` }] } } } };
}

test('a ReplicaSet that is used again lists its earlier revisions in an annotation', () => {
  const cluster = simulatedCluster();
  deployed(cluster);
  const annotationsOf = (tag: string): Readonly<Record<string, string>> | undefined =>
    replicaSets(cluster).find(
      ({ spec }) => spec.template.spec.containers[0]?.image === `nginx:${tag}`,
    )?.metadata.annotations;
  const roll = (tag: string): void => {
    cluster.access.patch(DEPLOYMENTS, 'demo', 'webapp', image(tag));
    cluster.clock.advance(5_000);
  };

  for (const tag of ['1.27', '1.28', '1.27', '1.29', '1.27']) roll(tag);

  expect(annotationsOf('1.27')).toMatchObject({
    'deployment.kubernetes.io/revision': '5',
    'deployment.kubernetes.io/revision-history': '1,3',
  });
  expect(annotationsOf('1.28')).not.toHaveProperty('deployment.kubernetes.io/revision-history');
});

test('a revision history of more than 2,000 characters loses its oldest revisions', () => {
  const set = {
    metadata: {
      annotations: {
        'deployment.kubernetes.io/revision': '2048',
        'deployment.kubernetes.io/revision-history': `7,${'1234,'.repeat(399)}99`,
      },
    },
  } as unknown as ReplicaSet;

  const { 'deployment.kubernetes.io/revision-history': history = '' } = revisionAnnotations(
    set,
    2_049,
  );

  expect(history.length).toBeLessThanOrEqual(2_000);
  expect(history).toBe(`${'1234,'.repeat(398)}99,2048`);
});
