// The shell controller of the book's "Controller" pattern, defect by defect (CW…): what it did to
// Pods and ConfigMaps, and what the reconciler does instead.

import { configMaps, deployments, pods, replicaSets, statefulSets } from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import { stampKey } from '../actions/rollout.ts';
import { dataOf, FakeCluster } from './support/fake-cluster.ts';
import { FakeOperator } from './support/fake-operator.ts';
import {
  ownerOf,
  podNames,
  podUids,
  putConfigMap,
  putDeployment,
  putPod,
  putSet,
  replacePods,
  restartsOf,
} from './support/workloads.ts';

const SELECTOR = 'k8spatterns.io/podDeleteSelector';
const STRATEGY = 'k8spatterns.io/restartStrategy';

/** An annotated ConfigMap that the operator has seen, and a Deployment of three Pods. */
async function watchedApp(
  annotations: Record<string, string> = { [SELECTOR]: 'app=webapp' },
  self: { podName?: string } = {},
): Promise<{ cluster: FakeCluster; operator: FakeOperator }> {
  const cluster = new FakeCluster();
  putDeployment(cluster, 'webapp');
  putConfigMap(cluster, 'annotated', 'one', { annotations });
  const operator = new FakeOperator(cluster, self);
  await operator.settle('annotated');
  return { cluster, operator };
}

function change(cluster: FakeCluster, value = 'two', name = 'annotated'): void {
  cluster.edit(configMaps, name, { data: { message: value } });
}

test('CW1: a ConfigMap without the annotation restarts nothing, even if it is reconciled after an annotated ConfigMap', async () => {
  const { cluster, operator } = await watchedApp();
  putConfigMap(cluster, 'plain', 'one');
  await operator.settle('plain');
  await operator.settle('annotated');

  change(cluster, 'two', 'plain');
  await operator.settle('plain');

  expect(restartsOf(cluster, 'webapp')).toBe(0);
  expect(operator.events).toEqual([]);
});

describe('CW2: only changes of the content restart a workload', () => {
  test.each([
    ['a label', { metadata: { labels: { touched: 'yes' } } }],
    ['an annotation', { metadata: { annotations: { touched: 'yes' } } }],
    ['the same data written again', { data: { message: 'one' } }],
  ])('a change of %s restarts nothing', async (_what, edit) => {
    const { cluster, operator } = await watchedApp();

    cluster.edit(configMaps, 'annotated', edit);
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(0);
  });

  test.each([
    ['a value', { data: { message: 'two' } }],
    ['a new key', { data: { more: 'x' } }],
    ['binary data', { binaryData: { blob: 'AAEC' } }],
  ])('a change of %s restarts the workload once', async (_what, edit) => {
    const { cluster, operator } = await watchedApp();

    cluster.edit(configMaps, 'annotated', edit);
    await operator.settle('annotated');
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });

  test('a change restarts exactly the Pods that match the whole selector', async () => {
    const { cluster, operator } = await watchedApp({
      [SELECTOR]: 'app=webapp,tier in (front,edge),!canary',
    });
    const app = 'webapp';
    putDeployment(cluster, 'front', { labels: { app, tier: 'front' } });
    putDeployment(cluster, 'back', { labels: { app, tier: 'back' } });
    putDeployment(cluster, 'canary', { labels: { app, tier: 'edge', canary: 'yes' } });

    change(cluster);
    await operator.settle('annotated');

    const restarted = cluster.all(deployments).filter(({ metadata }) => metadata.generation !== 1);
    expect(restarted.map(({ metadata }) => metadata.name)).toEqual(['front']);
  });

  test('with `restartOn: any`, a changed label restarts the workload once', async () => {
    const { cluster, operator } = await watchedApp({
      [SELECTOR]: 'app=webapp',
      'k8spatterns.io/restartOn': 'any',
    });

    cluster.edit(configMaps, 'annotated', { metadata: { labels: { touched: 'yes' } } });
    await operator.settle('annotated');
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });

  test.each([
    'kubectl.kubernetes.io/last-applied-configuration',
    'control-plane.alpha.kubernetes.io/leader',
    'restart.chancery.dev/anything',
    'k8spatterns.io/debounceSeconds',
  ])('with `restartOn: any`, a change of the annotation %s, which only programs write, restarts nothing', async (key) => {
    const { cluster, operator } = await watchedApp({
      [SELECTOR]: 'app=webapp',
      'k8spatterns.io/restartOn': 'any',
    });

    cluster.edit(configMaps, 'annotated', { metadata: { annotations: { [key]: '2' } } });
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(0);
  });

  test('with `restartOn: any`, the first comparison uses the metadata as they were when the option was set', async () => {
    const { cluster, operator } = await watchedApp();
    cluster.edit(configMaps, 'annotated', { metadata: { labels: { early: 'yes' } } });
    await operator.settle('annotated');

    cluster.edit(configMaps, 'annotated', {
      metadata: { annotations: { 'k8spatterns.io/restartOn': 'any' } },
    });
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(0);
  });
});

describe('CW3: changes that happen while the operator is down', () => {
  test('a change while the operator is down causes one restart when it is back', async () => {
    const { cluster, operator } = await watchedApp();

    change(cluster);
    operator.restart();
    await operator.settle('annotated');
    operator.restart();
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });

  test('a new process restarts nothing for unchanged content', async () => {
    const { cluster, operator } = await watchedApp();

    operator.restart();
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(0);
  });

  test('a process with an old cache does not repeat a restart', async () => {
    const { cluster, operator } = await watchedApp();
    const stale = cluster.read(configMaps, 'annotated');
    change(cluster);
    await operator.settle('annotated');

    operator.restart();
    await operator.reconcile('annotated', stale);
    operator.clock.advance(1_000);
    const recorded = dataOf(cluster, 'config-restart-state');
    await operator.reconcile('annotated', stale);

    expect(restartsOf(cluster, 'webapp')).toBe(1);
    expect(dataOf(cluster, 'config-restart-state')).toEqual(recorded);
  });
});

describe('CW7: a restart does not interrupt the service', () => {
  test('by default, the workload replaces its Pods itself, and no Pod is deleted', async () => {
    const { cluster, operator } = await watchedApp();
    const before = podUids(cluster);

    change(cluster);
    await operator.settle('annotated');

    expect(podUids(cluster)).toEqual(before);
    expect(cluster.read(deployments, 'webapp')?.spec.template.metadata?.annotations).toEqual({
      'kubectl.kubernetes.io/restartedAt': '2030-01-01T00:00:01Z',
      [stampKey('annotated')]: expect.stringMatching(/^[0-9a-f]{64}\.1$/),
    });
  });

  test('with the strategy `evict`, at most one Pod is missing at any time, and at the end all Pods are new', async () => {
    const { cluster, operator } = await watchedApp({
      [SELECTOR]: 'app=webapp',
      [STRATEGY]: 'evict',
    });
    const before = podUids(cluster);
    const [replicaSet] = cluster.all(replicaSets);
    if (replicaSet === undefined) throw new Error('no ReplicaSet');
    const counts: number[] = [];

    change(cluster);
    await operator.settle('annotated', () => {
      counts.push(cluster.all(pods).length);
      replacePods(cluster, replicaSet);
    });
    replacePods(cluster, replicaSet);

    expect(Math.min(...counts)).toBe(2);
    expect(podUids(cluster).size).toBe(3);
    expect([...podUids(cluster)].filter((uid) => before.has(uid))).toEqual([]);
    expect(restartsOf(cluster, 'webapp')).toBe(0);
  });
});

describe('CW8: some Pods are never deleted', () => {
  test('a Pod without an owner is not deleted, and a Warning Event mentions it', async () => {
    const { cluster, operator } = await watchedApp({
      [SELECTOR]: 'app=webapp',
      [STRATEGY]: 'delete',
    });
    putPod(cluster, 'lonely', { app: 'webapp' });

    change(cluster);
    await operator.settle('annotated');

    expect(podNames(cluster)).toEqual(['lonely']);
    expect(operator.events).toContainEqual(
      expect.objectContaining({
        type: 'Warning',
        reason: 'BarePod',
        note: expect.stringContaining('lonely'),
      }),
    );
  });

  test.each([
    'evict',
    'delete',
  ])('the strategy %s deletes neither finished Pods nor terminating Pods nor Pods of Jobs', async (strategy) => {
    const { cluster, operator } = await watchedApp({
      [SELECTOR]: 'app=batch',
      [STRATEGY]: strategy,
    });
    const owner = ownerOf(putSet(cluster, statefulSets, 'db'));
    const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'job', controller: true };
    putPod(cluster, 'succeeded', { app: 'batch' }, { owner, status: { phase: 'Succeeded' } });
    putPod(cluster, 'failed', { app: 'batch' }, { owner, status: { phase: 'Failed' } });
    putPod(cluster, 'of-job', { app: 'batch' }, { owner: job });
    putPod(cluster, 'leaving', { app: 'batch' }, { owner });
    const leaving = cluster.edit(pods, 'leaving', {
      metadata: { deletionTimestamp: '2029-12-31T23:59:59Z' },
    });

    change(cluster);
    await operator.settle('annotated');

    expect(podNames(cluster)).toEqual(
      expect.arrayContaining(['failed', 'leaving', 'of-job', 'succeeded']),
    );
    expect(cluster.read(pods, 'leaving')).toEqual(leaving);
  });

  test.each([
    'rollout',
    'evict',
    'delete',
  ])("the strategy %s does not restart the operator's own workload", async (strategy) => {
    const { cluster, operator } = await watchedApp(
      { [SELECTOR]: 'app', [STRATEGY]: strategy },
      { podName: 'operator-5d-0' },
    );
    putDeployment(cluster, 'operator', { replicas: 2 });
    const [webapp] = cluster.all(replicaSets);

    change(cluster);
    await operator.settle('annotated', () => webapp && replacePods(cluster, webapp));

    expect(restartsOf(cluster, 'operator')).toBe(0);
    expect(podNames(cluster)).toEqual(expect.arrayContaining(['operator-5d-0', 'operator-5d-1']));
  });

  test.each([
    ['in another namespace does not count as the operator itself', 'elsewhere', 1],
    ['counts as the operator itself if the namespace of the operator is unknown', undefined, 0],
  ])("a Pod with the name of the operator's Pod %s", async (_what, namespace, restarts) => {
    const cluster = new FakeCluster();
    putDeployment(cluster, 'webapp');
    putConfigMap(cluster, 'annotated', 'one', { annotations: { [SELECTOR]: 'app=webapp' } });
    const self = { namespace, podName: 'webapp-5d-0' };
    const operator = new FakeOperator(cluster, self);
    await operator.settle('annotated');

    change(cluster);
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(restarts);
  });
});

describe('CW9: quick edits are combined into one restart', () => {
  test('several quick edits cause one restart, after the last edit', async () => {
    const { cluster, operator } = await watchedApp();

    for (const value of ['two', 'three', 'four']) {
      change(cluster, value);
      await operator.reconcile('annotated');
      operator.clock.advance(500);
    }
    const duringEdits = restartsOf(cluster, 'webapp');
    await operator.settle('annotated');

    expect(duringEdits).toBe(0);
    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });

  test('endless edits delay a restart by at most ten times the wait', async () => {
    const { cluster, operator } = await watchedApp();

    for (let edit = 0; edit <= 20; edit++) {
      change(cluster, `edit ${edit}`);
      await operator.reconcile('annotated');
      operator.clock.advance(500);
    }

    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });

  test('with `restartOn: any`, edits of metadata count as edits', async () => {
    const { cluster, operator } = await watchedApp({
      [SELECTOR]: 'app=webapp',
      'k8spatterns.io/restartOn': 'any',
    });

    for (const touched of ['a', 'b', 'c']) {
      cluster.edit(configMaps, 'annotated', { metadata: { labels: { touched } } });
      await operator.reconcile('annotated');
      operator.clock.advance(500);
    }
    const duringEdits = restartsOf(cluster, 'webapp');
    await operator.settle('annotated');

    expect(duringEdits).toBe(0);
    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });

  test('edits that end with the first content restart nothing', async () => {
    const { cluster, operator } = await watchedApp();

    change(cluster, 'two');
    await operator.reconcile('annotated');
    change(cluster, 'one');
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(0);
  });

  test.each([
    ['0', undefined],
    ['30', 30_000],
  ])('debounceSeconds %s means a wait of %s ms', async (debounceSeconds, requeueAfterMs) => {
    const { cluster, operator } = await watchedApp({
      [SELECTOR]: 'app=webapp',
      'k8spatterns.io/debounceSeconds': debounceSeconds,
    });

    change(cluster);
    const result = await operator.reconcile('annotated');

    expect(result.requeueAfterMs).toBe(requeueAfterMs);
  });
});

describe('CW10: several ConfigMaps and several workloads can belong together', () => {
  test('two ConfigMaps restart the same workload, each of them when it changes', async () => {
    const { cluster, operator } = await watchedApp();
    putConfigMap(cluster, 'second', 'one', { annotations: { [SELECTOR]: 'app=webapp' } });
    await operator.settle('second');

    change(cluster);
    await operator.settle('annotated');
    change(cluster, 'two', 'second');
    await operator.settle('second');
    await operator.settle('annotated');

    expect(restartsOf(cluster, 'webapp')).toBe(2);
  });

  test('one ConfigMap restarts the workloads of two selectors, and an Event says that the selectors differ', async () => {
    const { cluster, operator } = await watchedApp({
      'k8spatterns.io/podDeleteSelector': 'app=webapp',
      'k8spatterns.com/podDeleteSelector': 'app=worker',
    });
    putDeployment(cluster, 'worker');

    change(cluster);
    await operator.settle('annotated');

    expect([restartsOf(cluster, 'webapp'), restartsOf(cluster, 'worker')]).toEqual([1, 1]);
    expect(operator.reasons.filter((reason) => reason === 'ConflictingSelectors')).toHaveLength(1);
  });

  test('two selectors with the same meaning count as one selector, without a warning', async () => {
    const { operator } = await watchedApp({
      'k8spatterns.io/podDeleteSelector': 'app=webapp,tier in (a,b)',
      'k8spatterns.com/podDeleteSelector': 'tier in (b, a), app == webapp',
    });

    expect(operator.events).toEqual([]);
  });
});

describe('CW13: mistakes of the user are reported', () => {
  test.each([
    ['app in (webapp', 'InvalidSelector'],
    ['app=web app', 'InvalidSelector'],
    ['', 'EmptySelector'],
    [' ', 'EmptySelector'],
  ])('the selector %j causes one Warning Event and no restart', async (selector, reason) => {
    const { cluster, operator } = await watchedApp({ [SELECTOR]: selector });

    change(cluster);
    await operator.settle('annotated');

    expect(operator.events).toMatchObject([{ type: 'Warning', reason }]);
    expect(restartsOf(cluster, 'webapp')).toBe(0);
  });

  test.each([
    [STRATEGY, 'restart'],
    ['k8spatterns.io/debounceSeconds', '301'],
    ['k8spatterns.io/debounceSeconds', '-1'],
    ['k8spatterns.io/debounceSeconds', 'soon'],
    ['k8spatterns.io/restartOn', 'everything'],
  ])('the annotation %s: %s causes a Warning Event and no restart', async (annotation, value) => {
    const { cluster, operator } = await watchedApp({
      [SELECTOR]: 'app=webapp',
      [annotation]: value,
    });

    change(cluster);
    await operator.settle('annotated');

    expect(operator.events).toMatchObject([
      { type: 'Warning', reason: 'InvalidSpec', note: expect.stringContaining(value) },
    ]);
    expect(restartsOf(cluster, 'webapp')).toBe(0);
  });

  test('a selector that matches nothing is reported when the ConfigMap changes', async () => {
    const { cluster, operator } = await watchedApp({ [SELECTOR]: 'app=nobody' });

    change(cluster);
    await operator.settle('annotated');

    expect(operator.reasons).toEqual(['NoMatchingPods']);
  });

  test('an Event reports a restart and mentions the workload', async () => {
    const { cluster, operator } = await watchedApp();

    change(cluster);
    await operator.settle('annotated');

    expect(operator.events).toMatchObject([
      { reason: 'PodsRestarted', note: 'changed; restarted Deployment/webapp' },
    ]);
  });
});
