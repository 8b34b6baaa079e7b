/** What Jobs do about failed Pods: back-off, policies, limits for each index. Pods fail by their status. */
import { expect, test } from 'vitest';
import { isActive, type Pod } from '../../../../src/apiserver/controllers/pods/pod.ts';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { podTemplate, type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';

const JOBS = 'jobs.batch';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const FAILURES = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** A cluster with one Job, whose Pods run until a test ends them. */
function clusterWith(spec: object): SimulatedCluster {
  const cluster = simulatedCluster({ podReadyMs: 0, podStopMs: 0, podRunMs: 360_000_000 });
  const template = podTemplate('crop') as { spec: object };
  const initContainers = [{ name: 'first', image: 'i' }];
  cluster.access.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'crop', namespace: 'demo' },
    spec: {
      template: {
        ...template,
        spec: { ...template.spec, initContainers, restartPolicy: 'Never' },
      },
      ...spec,
    },
  } as StoredObject);
  cluster.clock.advance(0);
  return cluster;
}

function pods({ access }: SimulatedCluster): readonly Pod[] {
  return access.list('pods', 'demo') as readonly Pod[];
}

function active(cluster: SimulatedCluster): readonly Pod[] {
  return pods(cluster).filter(isActive);
}

function activeIndexes(cluster: SimulatedCluster): readonly string[] {
  return active(cluster)
    .map(({ metadata }) => metadata.annotations?.[INDEX] ?? '')
    .toSorted();
}

function podOf(cluster: SimulatedCluster, index: number): Pod {
  const found = active(cluster).find(
    ({ metadata }) => metadata.annotations?.[INDEX] === String(index),
  );
  if (found === undefined) throw new Error(`index ${index} has no Pod`);
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads into a status that it asserts about
function status({ access }: SimulatedCluster): any {
  return access.get(JOBS, 'demo', 'crop')?.status;
}

function conditions(cluster: SimulatedCluster): readonly string[] {
  return (status(cluster).conditions ?? []).map(
    (one: Record<string, string>) => `${one.type} ${one.reason}: ${one.message}`,
  );
}

/** Ends a Pod now, as the kubelet reports it. */
function end(
  cluster: SimulatedCluster,
  pod: Pod | undefined,
  exitCode: number,
  more: object = {},
): void {
  if (pod === undefined) throw new Error('no Pod');
  const finishedAt = new Date(cluster.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
  const state = { terminated: { exitCode, finishedAt, startedAt: finishedAt } };
  cluster.access.patch(
    'pods',
    'demo',
    pod.metadata.name,
    {
      status: {
        phase,
        containerStatuses: [
          { name: 'app', image: 'i', imageID: '', ready: false, restartCount: 0, state },
        ],
        ...more,
      },
    },
    'status',
  );
  cluster.clock.advance(0);
}

function eventsOf({ access }: SimulatedCluster, reason: string): readonly string[] {
  return access
    .list('events', 'demo')
    .filter((event) => event.reason === reason)
    .map(({ type, message }) => `${type} ${message}`);
}

test('a failed Pod of a Job is replaced after 10 s, then 20 s, then 40 s, and at most 10 min', () => {
  const cluster = clusterWith({ completions: 1, backoffLimit: 100 });
  const waits: number[] = [];

  for (let failure = 0; failure < 9; failure++) {
    end(cluster, active(cluster)[0], 3);
    let seconds = 0;
    for (; active(cluster).length === 0; seconds += 5) cluster.clock.advance(5_000);
    waits.push(seconds);
  }

  expect(waits).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
  expect(status(cluster)).toMatchObject({ active: 1, failed: 9 });
});

test('while failed Pods wait for replacement, a Job with a ready Pod keeps its status, as in Kubernetes', () => {
  const cluster = clusterWith({ completions: 5, parallelism: 3 });

  end(cluster, active(cluster)[0], 3);

  expect(active(cluster)).toHaveLength(2);
  expect(status(cluster)).toMatchObject({ active: 3, ready: 3 });
  expect(status(cluster)).not.toHaveProperty('failed');
  cluster.clock.advance(10_000);
  expect(status(cluster)).toMatchObject({ active: 3, failed: 1 });
});

test('while failed Pods wait for replacement, a Job without a ready Pod reports no active Pod', () => {
  const cluster = clusterWith({ completions: 5, parallelism: 1 });

  end(cluster, active(cluster)[0], 3);

  expect(status(cluster)).toMatchObject({ failed: 1, ready: 0 });
  expect(status(cluster)).not.toHaveProperty('active');
});

test('a succeeded Pod resets the back-off of its Job', () => {
  const cluster = clusterWith({ completions: 3, parallelism: 2, backoffLimit: 9 });
  end(cluster, active(cluster)[0], 3);
  cluster.clock.advance(5_000);

  end(cluster, active(cluster)[0], 0);

  expect(active(cluster)).toHaveLength(2);
  cluster.clock.advance(60_000);
  end(cluster, active(cluster)[0], 3);
  cluster.clock.advance(9_000);
  const before = active(cluster).length;
  cluster.clock.advance(1_000);
  expect([before, active(cluster).length]).toEqual([1, 2]);
});

test('each index of a Job has a separate limit and back-off, and the Pods of an index carry its failure count', () => {
  const cluster = clusterWith({
    completions: 3,
    parallelism: 3,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 1,
  });
  const first = podOf(cluster, 1);

  end(cluster, first, 3);
  const waiting = { active: activeIndexes(cluster), status: status(cluster) };
  cluster.clock.advance(10_000);
  const second = podOf(cluster, 1);
  end(cluster, second, 3);
  const failed = { active: activeIndexes(cluster), status: status(cluster) };
  end(cluster, podOf(cluster, 0), 0);
  end(cluster, podOf(cluster, 2), 0);
  cluster.clock.advance(1_000);

  expect(first.metadata.annotations).toMatchObject({ [FAILURES]: '0' });
  expect(second.metadata.annotations).toMatchObject({ [FAILURES]: '1' });
  expect(waiting).toMatchObject({ active: ['0', '2'], status: { failedIndexes: '' } });
  expect(failed).toMatchObject({ active: ['0', '2'], status: { failedIndexes: '1', failed: 2 } });
  expect(status(cluster)).toMatchObject({ completedIndexes: '0,2', succeeded: 2, failed: 2 });
  expect(conditions(cluster)).toEqual([
    'FailureTarget FailedIndexes: Job has failed indexes',
    'Failed FailedIndexes: Job has failed indexes',
  ]);
  expect(eventsOf(cluster, 'FailedIndexes')).toEqual(['Warning Job has failed indexes']);
  expect(pods(cluster).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
});

test('a failed Pod of an index keeps its finalizer until its replacement exists', () => {
  const cluster = clusterWith({
    completions: 2,
    parallelism: 2,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 5,
  });
  const failed = podOf(cluster, 0);
  const finalizers = (): unknown =>
    pods(cluster).find(({ metadata }) => metadata.uid === failed.metadata.uid)?.metadata.finalizers;

  end(cluster, failed, 3);
  const [during, counted] = [finalizers(), status(cluster).failed];
  cluster.clock.advance(10_000);

  expect([during, counted]).toEqual([['batch.kubernetes.io/job-tracking'], undefined]);
  expect([finalizers(), status(cluster).failed]).toEqual([undefined, 1]);
});

test('a Job with more failed indexes than maxFailedIndexes fails, and its other Pods are deleted', () => {
  const cluster = clusterWith({
    completions: 6,
    parallelism: 4,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 0,
    maxFailedIndexes: 1,
  });

  end(cluster, podOf(cluster, 0), 3);
  const before = conditions(cluster);
  end(cluster, podOf(cluster, 3), 3);
  cluster.clock.advance(1_000);

  expect(before).toEqual([]);
  expect(active(cluster)).toEqual([]);
  expect(status(cluster)).toMatchObject({ failedIndexes: '0,3' });
  const why =
    'MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes';
  expect(conditions(cluster)).toEqual([`FailureTarget ${why}`, `Failed ${why}`]);
});

test('a success policy ends a Job, and its remaining Pods are deleted without being counted', () => {
  const cluster = clusterWith({
    completions: 8,
    parallelism: 6,
    completionMode: 'Indexed',
    successPolicy: {
      rules: [{ succeededIndexes: '6-7' }, { succeededIndexes: '0-2,5', succeededCount: 2 }],
    },
  });

  end(cluster, podOf(cluster, 3), 0);
  end(cluster, podOf(cluster, 5), 0);
  const before = conditions(cluster);
  end(cluster, podOf(cluster, 1), 0);
  cluster.clock.advance(60_000);

  expect(before).toEqual([]);
  expect(conditions(cluster)).toEqual([
    'SuccessCriteriaMet SuccessPolicy: Matched rules at index 1',
    'Complete SuccessPolicy: Matched rules at index 1',
  ]);
  expect(status(cluster)).toMatchObject({
    completedIndexes: '1,3,5',
    succeeded: 3,
    terminating: 0,
  });
  expect(status(cluster)).not.toHaveProperty('failed');
  expect(active(cluster)).toEqual([]);
  expect(eventsOf(cluster, 'Completed')).toEqual(['Normal Job completed']);
});

test('a success policy without indexes counts any succeeded index', () => {
  const cluster = clusterWith({
    completions: 5,
    parallelism: 5,
    completionMode: 'Indexed',
    successPolicy: { rules: [{ succeededCount: 2 }] },
  });

  end(cluster, podOf(cluster, 4), 0);
  end(cluster, podOf(cluster, 0), 0);
  cluster.clock.advance(60_000);

  expect(conditions(cluster).at(-1)).toBe('Complete SuccessPolicy: Matched rules at index 0');
});

const POLICY = {
  rules: [
    { action: 'FailJob', onExitCodes: { containerName: 'first', operator: 'In', values: [3, 42] } },
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    { action: 'FailJob', onExitCodes: { operator: 'NotIn', values: [3, 7] } },
    { action: 'Count', onExitCodes: { operator: 'In', values: [3] } },
  ],
};

test('a podFailurePolicy makes the Job fail at once, and the message contains the Pod and the rule', () => {
  const cluster = clusterWith({ completions: 2, parallelism: 2, podFailurePolicy: POLICY });
  const [pod] = active(cluster);

  end(cluster, pod, 42);
  cluster.clock.advance(1_000);

  const why = `PodFailurePolicy: Container app for pod demo/${pod?.metadata.name} failed with exit code 42 matching FailJob rule at index 2`;
  expect(conditions(cluster)).toEqual([`FailureTarget ${why}`, `Failed ${why}`]);
  expect(status(cluster)).toMatchObject({ failed: 2 });
});

test('a failure that the podFailurePolicy ignores is not counted, and the Pod is replaced', () => {
  const cluster = clusterWith({ completions: 1, backoffLimit: 0, podFailurePolicy: POLICY });

  end(cluster, active(cluster)[0], 42, {
    conditions: [{ type: 'DisruptionTarget', status: 'True' }],
  });
  cluster.clock.advance(10_000);

  expect(active(cluster)).toHaveLength(1);
  expect(status(cluster)).not.toHaveProperty('failed');
  end(cluster, active(cluster)[0], 3);
  cluster.clock.advance(1_000);
  expect(conditions(cluster).at(-1)).toMatch(/^Failed BackoffLimitExceeded: /);
});

test('a Pod condition that matches the podFailurePolicy makes the Job fail', () => {
  const rules = [{ action: 'FailJob', onPodConditions: [{ type: 'ConfigIssue', status: 'True' }] }];
  const cluster = clusterWith({ completions: 1, podFailurePolicy: { rules } });
  const [pod] = active(cluster);

  end(cluster, pod, 1, { conditions: [{ type: 'ConfigIssue', status: 'True' }] });
  cluster.clock.advance(1_000);

  expect(conditions(cluster).at(-1)).toBe(
    `Failed PodFailurePolicy: Pod demo/${pod?.metadata.name} has condition ConfigIssue matching FailJob rule at index 0`,
  );
});

test('a podFailurePolicy can make one index fail without a second attempt, and ignore a failure of another index', () => {
  const rules = [
    { action: 'FailIndex', onExitCodes: { operator: 'In', values: [9] } },
    { action: 'Ignore', onExitCodes: { operator: 'In', values: [5] } },
  ];
  const cluster = clusterWith({
    completions: 3,
    parallelism: 3,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 4,
    podFailurePolicy: { rules },
  });

  end(cluster, podOf(cluster, 0), 9);
  end(cluster, podOf(cluster, 2), 5);
  const once = activeIndexes(cluster);
  cluster.clock.advance(10_000);

  expect(once).toEqual(['1']);
  expect(activeIndexes(cluster)).toEqual(['1', '2']);
  expect(status(cluster)).toMatchObject({ failedIndexes: '0', failed: 1 });
  expect(podOf(cluster, 2).metadata.annotations).toMatchObject({ [FAILURES]: '0', [IGNORED]: '1' });
});

test('with podReplacementPolicy Failed, a deleted Pod is replaced only after it has ended', () => {
  const template = podTemplate('crop') as { spec: object };
  const spec = {
    ...template.spec,
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 600,
  };
  const cluster = simulatedCluster({ podReadyMs: 0, podStopMs: 30_000, podRunMs: 360_000_000 });
  cluster.access.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'crop', namespace: 'demo' },
    spec: { completions: 1, podReplacementPolicy: 'Failed', template: { ...template, spec } },
  } as StoredObject);
  cluster.clock.advance(0);

  cluster.access.delete('pods', 'demo', active(cluster)[0]?.metadata.name ?? '');
  cluster.clock.advance(20_000);
  const going = { active: active(cluster).length, terminating: status(cluster).terminating };
  cluster.clock.advance(60_000);

  expect(going).toEqual({ active: 0, terminating: 1 });
  expect(active(cluster)).toHaveLength(1);
});
