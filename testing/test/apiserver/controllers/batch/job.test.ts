import { expect, test } from 'vitest';
import { isActive, type Pod } from '../../../../src/apiserver/controllers/pods/pod.ts';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { podTemplate, type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';

const JOBS = 'jobs.batch';

function clusterWith(spec: object): SimulatedCluster {
  const cluster = simulatedCluster({ podReadyMs: 100, podRunMs: 100 });
  const template = podTemplate('task') as { spec: object };
  cluster.access.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'task', namespace: 'demo' },
    spec: {
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
      ...spec,
    },
  } as StoredObject);
  return cluster;
}

function job({ access }: SimulatedCluster): StoredObject | undefined {
  return access.get(JOBS, 'demo', 'task');
}

function pods({ access }: SimulatedCluster): readonly Pod[] {
  return access.list('pods', 'demo') as readonly Pod[];
}

test('a Job makes as many Pods at a time as it may, until enough have succeeded', () => {
  const cluster = clusterWith({ completions: 3, parallelism: 2 });

  cluster.clock.advance(0);
  const first = pods(cluster).length;
  cluster.clock.advance(1_000);

  expect(first).toBe(2);
  expect(pods(cluster).map(({ status }) => status?.phase)).toEqual([
    'Succeeded',
    'Succeeded',
    'Succeeded',
  ]);
  expect(job(cluster)?.status).toMatchObject({
    succeeded: 3,
    ready: 0,
    startTime: '2026-11-21T06:29:57Z',
    completionTime: '2026-11-21T06:29:57Z',
    conditions: [
      { type: 'SuccessCriteriaMet', status: 'True' },
      { type: 'Complete', status: 'True', reason: 'CompletionsReached' },
    ],
  });
  expect(job(cluster)?.status).not.toHaveProperty('active');
  expect(cluster.clock.pending).toBe(0);
});

test('a Pod that fails is replaced until the limit is passed', () => {
  const cluster = clusterWith({ completions: 1, parallelism: 1, backoffLimit: 1 });

  for (let attempt = 0; attempt < 3; attempt++) {
    cluster.clock.advance(0);
    for (const { metadata } of pods(cluster).filter(isActive))
      cluster.access.patch(
        'pods',
        'demo',
        metadata.name,
        { status: { phase: 'Failed' } },
        'status',
      );
  }
  cluster.clock.advance(1_000);

  expect(pods(cluster)).toHaveLength(2);
  expect(job(cluster)?.status).toMatchObject({
    failed: 2,
    conditions: [
      { type: 'FailureTarget', status: 'True' },
      { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' },
    ],
  });
});

test('a suspended Job has no Pods until it is resumed', () => {
  const cluster = clusterWith({ completions: 1, parallelism: 1, suspend: true });
  cluster.clock.advance(1_000);
  const before = { pods: pods(cluster), status: job(cluster)?.status };

  cluster.access.patch(JOBS, 'demo', 'task', { spec: { suspend: false } });
  cluster.clock.advance(1_000);

  expect(before).toMatchObject({ pods: [], status: { conditions: [{ type: 'Suspended' }] } });
  expect(job(cluster)?.status).toMatchObject({ succeeded: 1 });
});

test('a Job that is over goes after its time to live, with its Pods', () => {
  const cluster = clusterWith({ completions: 1, parallelism: 1, ttlSecondsAfterFinished: 60 });

  cluster.clock.advance(59_000);
  const before = job(cluster);
  cluster.clock.advance(2_000);

  expect(before).toBeDefined();
  expect(job(cluster)).toBeUndefined();
  expect(pods(cluster)).toEqual([]);
});
