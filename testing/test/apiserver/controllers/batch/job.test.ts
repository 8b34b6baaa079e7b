import { expect, test } from 'vitest';
import { isActive, type Pod } from '../../../../src/apiserver/controllers/pods/pod.ts';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { podTemplate, type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';

const JOBS = 'jobs.batch';

/** Longer than any of these tests. */
const FOR_EVER_MS = 3_600_000;

function clusterWith(spec: object, podRunMs = 100): SimulatedCluster {
  const cluster = simulatedCluster({ podReadyMs: 100, podStopMs: 100, podRunMs });
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

test('a Job runs up to parallelism Pods at a time until its completions are reached', () => {
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

test('a Job replaces failed Pods until the backoffLimit is exceeded', () => {
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
    cluster.clock.advance(10_000);
  }

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

test('a finished Job is deleted with its Pods after ttlSecondsAfterFinished', () => {
  const cluster = clusterWith({ completions: 1, parallelism: 1, ttlSecondsAfterFinished: 60 });

  cluster.clock.advance(59_000);
  const before = job(cluster);
  cluster.clock.advance(2_000);

  expect(before).toBeDefined();
  expect(job(cluster)).toBeUndefined();
  expect(pods(cluster)).toEqual([]);
});

test('succeeded Pods stay counted after somebody deletes them', () => {
  const cluster = clusterWith({ completions: 4, parallelism: 1, podReplacementPolicy: 'Failed' });
  for (let second = 0; second < 30; second++) {
    cluster.clock.advance(100);
    for (const { metadata, status } of pods(cluster)) {
      if (status?.phase === 'Succeeded') cluster.access.delete('pods', 'demo', metadata.name);
    }
  }

  expect(pods(cluster)).toEqual([]);
  expect(job(cluster)?.status).toMatchObject({ succeeded: 4, uncountedTerminatedPods: {} });
  const made = cluster.events.filter(
    ({ resource, type }) => resource === 'pods' && type === 'ADDED',
  );
  expect(made).toHaveLength(4);
});

test('a Pod of a Job has a finalizer until the Job has counted it', () => {
  const cluster = clusterWith({ completions: 1, parallelism: 1 });
  cluster.clock.advance(50);
  const [running] = pods(cluster);

  cluster.clock.advance(1_000);

  expect(running?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
  expect(pods(cluster)[0]?.metadata).not.toHaveProperty('finalizers');
  const statuses = cluster.events
    .filter(({ resource }) => resource === JOBS)
    .map(({ object }) => object.status as { readonly uncountedTerminatedPods?: object });
  expect(statuses).toContainEqual(
    expect.objectContaining({ uncountedTerminatedPods: { succeeded: [running?.metadata.uid] } }),
  );
});

test.each([
  'Background',
  'Foreground',
  'Orphan',
] as const)('no Pod keeps its finalizer when its Job is deleted with policy %s', (propagationPolicy) => {
  const cluster = clusterWith({ completions: 2, parallelism: 2 });
  cluster.clock.advance(50);

  cluster.access.delete(JOBS, 'demo', 'task', { propagationPolicy });
  cluster.clock.advance(60_000);

  expect(job(cluster)).toBeUndefined();
  expect(pods(cluster)).toHaveLength(propagationPolicy === 'Orphan' ? 2 : 0);
  expect(pods(cluster).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
});

test('when a running Pod of a Job is deleted, it counts as failed and is replaced', () => {
  const cluster = clusterWith({ completions: 1, parallelism: 1, backoffLimit: 1 });
  cluster.clock.advance(50);

  cluster.access.delete('pods', 'demo', pods(cluster)[0]?.metadata.name ?? '');
  cluster.clock.advance(20_000);

  expect(job(cluster)?.status).toMatchObject({ succeeded: 1, failed: 1 });
});

test('a Job that exceeds activeDeadlineSeconds is stopped, and reports the failure after its Pods are gone', () => {
  const cluster = clusterWith(
    {
      completions: 3,
      parallelism: 2,
      activeDeadlineSeconds: 7,
    },
    FOR_EVER_MS,
  );
  cluster.clock.advance(6_900);
  const before = job(cluster)?.status;

  cluster.clock.advance(60_000);

  expect(before).toMatchObject({ active: 2, ready: 2 });
  expect(before).not.toHaveProperty('conditions');
  const message = 'Job was active longer than specified deadline';
  const said = { status: 'True', reason: 'DeadlineExceeded', message };
  expect(job(cluster)?.status).toMatchObject({
    failed: 2,
    ready: 0,
    terminating: 0,
    conditions: [
      { type: 'FailureTarget', ...said },
      { type: 'Failed', ...said },
    ],
  });
  expect(job(cluster)?.status).not.toHaveProperty('completionTime');
  expect(reasons(cluster)).toContain('Warning DeadlineExceeded');
});

test('a suspended Job loses its Pods without counting them, and gets a new start time when it is resumed', () => {
  const cluster = clusterWith({ completions: 1, parallelism: 1 }, FOR_EVER_MS);
  cluster.clock.advance(1_000);
  cluster.access.patch(JOBS, 'demo', 'task', { spec: { suspend: true } });
  cluster.clock.advance(60_000);
  const suspended = { pods: pods(cluster), status: job(cluster)?.status as object };

  cluster.access.patch(JOBS, 'demo', 'task', { spec: { suspend: false } });
  cluster.clock.advance(500);

  expect(suspended.pods).toEqual([]);
  expect(suspended.status).toMatchObject({
    conditions: [
      { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' },
    ],
  });
  expect(suspended.status).not.toHaveProperty('failed');
  expect(suspended.status).not.toHaveProperty('startTime');
  expect(job(cluster)?.status).toMatchObject({
    active: 1,
    startTime: '2026-11-21T06:30:58Z',
    conditions: [
      { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
    ],
  });
  expect(reasons(cluster)).toEqual(expect.arrayContaining(['Normal Suspended', 'Normal Resumed']));
});

test('a Job without completions ends after one Pod has succeeded and all its other Pods have ended', () => {
  const cluster = clusterWith({ parallelism: 3 });

  cluster.clock.advance(5_000);

  expect(job(cluster)?.status).toMatchObject({
    succeeded: 3,
    conditions: [
      { type: 'SuccessCriteriaMet' },
      { type: 'Complete', reason: 'CompletionsReached' },
    ],
  });
});

test('each Pod of an indexed Job has an index, and the status lists the completed indexes', () => {
  const cluster = clusterWith({ completionMode: 'Indexed', completions: 5, parallelism: 2 });
  cluster.clock.advance(50);
  const first = pods(cluster).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

  cluster.clock.advance(5_000);

  const [zero] = first;
  expect(first.map(({ metadata }) => metadata.name)).toEqual([
    expect.stringMatching(/^task-0-\w{5}$/),
    expect.stringMatching(/^task-1-\w{5}$/),
  ]);
  expect(zero?.metadata.annotations).toMatchObject({
    'batch.kubernetes.io/job-completion-index': '0',
  });
  expect(zero?.metadata.labels).toMatchObject({ 'batch.kubernetes.io/job-completion-index': '0' });
  expect(zero?.spec).toMatchObject({
    hostname: 'task-0',
    containers: [{ env: [{ name: 'JOB_COMPLETION_INDEX' }] }],
  });
  expect(job(cluster)?.status).toMatchObject({
    succeeded: 5,
    completedIndexes: '0-4',
    conditions: [{ type: 'SuccessCriteriaMet' }, { type: 'Complete' }],
  });
});

test('an index whose Pod has failed gets a new Pod', () => {
  const spec = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
  const cluster = clusterWith(spec, 15_000);
  cluster.clock.advance(50);
  const [, middle] = pods(cluster).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const failed = { status: { phase: 'Failed' } };
  cluster.access.patch('pods', 'demo', middle?.metadata.name ?? '', failed, 'status');
  cluster.clock.advance(0);
  cluster.clock.advance(10_000);
  const names = pods(cluster)
    .filter(isActive)
    .map(({ metadata }) => metadata.name.slice(0, 'task-1'.length));

  cluster.clock.advance(60_000);

  expect(names.toSorted()).toEqual(['task-0', 'task-1', 'task-2']);
  expect(job(cluster)?.status).toMatchObject({ failed: 1, succeeded: 3, completedIndexes: '0-2' });
});

test('a Job with managedBy for another controller is ignored', () => {
  const cluster = clusterWith({ completions: 1, managedBy: 'example.com/queue' });

  cluster.clock.advance(5_000);

  expect(pods(cluster)).toEqual([]);
  expect(job(cluster)?.status ?? {}).toEqual({});
});

function reasons({ access }: SimulatedCluster): readonly string[] {
  return access.list('events', 'demo').map((event) => {
    const { type, reason } = event as unknown as Record<string, string>;
    return `${type} ${reason}`;
  });
}
