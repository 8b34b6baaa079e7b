import { controllerOf, type Workload } from 'chancery';
import { configMaps, type Pod, pods, replicaSets } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { isReady } from '../../pod-state.ts';
import { dataOf, FakeCluster, failure } from '../support/fake-cluster.ts';
import { FakeOperator } from '../support/fake-operator.ts';
import {
  podNames,
  podUids,
  putConfigMap,
  putDeployment,
  putPod,
  replacePods,
} from '../support/workloads.ts';

interface App {
  readonly cluster: FakeCluster;
  readonly operator: FakeOperator;
  readonly replicaSet: Workload;
  readonly before: ReadonlySet<string | undefined>;
}

/** A Deployment of three Pods whose ConfigMap has been seen and then changed. */
async function changedApp(options: { ready?: boolean } = {}): Promise<App> {
  const cluster = new FakeCluster();
  putDeployment(cluster, 'webapp', options);
  const annotations = {
    'k8spatterns.io/podDeleteSelector': 'app',
    'k8spatterns.io/restartStrategy': 'evict',
    'k8spatterns.io/debounceSeconds': '0',
  };
  putConfigMap(cluster, 'config', 'one', { annotations });
  const operator = new FakeOperator(cluster);
  await operator.settle('config');
  change(cluster, 'two');
  const [replicaSet] = cluster.all(replicaSets);
  if (replicaSet === undefined) throw new Error('no ReplicaSet');
  return { cluster, operator, replicaSet, before: podUids(cluster) };
}

function change(cluster: FakeCluster, value: string): void {
  cluster.edit(configMaps, 'config', { data: { message: value } });
}

function oldOnes({ cluster, before }: App): readonly (string | undefined)[] {
  return [...podUids(cluster)].filter((uid) => before.has(uid));
}

test('the next Pod is evicted only after the replacement of the previous one is Ready', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;

  for (let step = 0; step < 5; step++) {
    await operator.reconcile('config');
    replacePods(cluster, replicaSet, false);
  }
  const whileNotReady = oldOnes(app).length;
  const fresh = cluster.all(pods).find((pod) => !isReady(pod));
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  if (fresh) cluster.edit(pods, fresh.metadata.name, { status });
  await operator.reconcile('config');

  expect(whileNotReady).toBe(2);
  expect(oldOnes(app)).toHaveLength(1);
});

test('Pods that are not Ready are evicted first and without waiting, so that corrected content takes effect soon', async () => {
  const app = await changedApp({ ready: false });

  await app.operator.settle('config');

  expect(oldOnes(app)).toEqual([]);
});

test('a Pod that is not Ready does not block the eviction of Ready Pods', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  const status = { conditions: [{ type: 'Ready', status: 'False' }] };
  cluster.edit(pods, 'webapp-5d-0', { status });

  await operator.settle('config', () => replacePods(cluster, replicaSet));

  expect(oldOnes(app)).toEqual([]);
});

test('a Pod that terminates slowly is not evicted again', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  for (const name of podNames(cluster)) cluster.edit(pods, name, { spec: { nodeName: 'node' } });
  const leaving = (): readonly Pod[] =>
    cluster.all(pods).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);

  await operator.reconcile('config');
  const status = { conditions: [{ type: 'Ready', status: 'False' }] };
  for (const { metadata } of leaving()) cluster.edit(pods, metadata.name, { status });
  replacePods(cluster, replicaSet);
  await operator.reconcile('config');

  expect(leaving()).toHaveLength(2);
});

test('a terminating Pod does not count as Ready', async () => {
  const app = await changedApp();
  const { cluster, operator } = app;
  for (const { metadata } of cluster.all(pods)) {
    cluster.edit(pods, metadata.name, { spec: { nodeName: 'node' } });
  }

  await operator.reconcile('config');
  await operator.reconcile('config');

  const leaving = cluster.all(pods).filter(({ metadata }) => metadata.deletionTimestamp);
  expect(leaving).toHaveLength(1);
});

test.each([
  ['gives a retry time', { retryAfterSeconds: 10 }, 10_000],
  ['gives no retry time', {}, 5_000],
])('a disruption budget that %s is respected', async (_what, refusal, requeueAfterMs) => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  cluster.budget = () => refusal;

  const result = await operator.reconcile('config');
  const whileRefused = oldOnes(app).length;
  cluster.budget = () => undefined;
  await operator.settle('config', () => replacePods(cluster, replicaSet));

  expect(result).toEqual({ requeueAfterMs });
  expect(whileRefused).toBe(3);
  expect(oldOnes(app)).toEqual([]);
});

test('a new process continues the evictions of the last process, and evicts no new Pod', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  await operator.reconcile('config');
  replacePods(cluster, replicaSet);
  const [firstNew] = [...podUids(cluster)].filter((uid) => !app.before.has(uid));

  operator.restart();
  await operator.settle('config', () => replacePods(cluster, replicaSet));

  expect(oldOnes(app)).toEqual([]);
  expect([...podUids(cluster)]).toContain(firstNew);
});

test('after an edit during the evictions, all Pods are evicted again, even Pods that were already replaced', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  await operator.reconcile('config');
  replacePods(cluster, replicaSet);
  const midway = podUids(cluster);

  change(cluster, 'three');
  await operator.settle('config', () => replacePods(cluster, replicaSet));
  replacePods(cluster, replicaSet);

  expect([...podUids(cluster)].filter((uid) => midway.has(uid))).toEqual([]);
});

test('if the first content is restored during the evictions, all Pods are evicted again', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  await operator.reconcile('config');
  replacePods(cluster, replicaSet);
  const midway = podUids(cluster);

  change(cluster, 'one');
  await operator.settle('config', () => replacePods(cluster, replicaSet));
  replacePods(cluster, replicaSet);

  expect([...podUids(cluster)].filter((uid) => midway.has(uid))).toEqual([]);
});

test('during evictions, the record lists the Pods by uid, and it gets the new content only after the evictions', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  const entry = (): Record<string, unknown> =>
    JSON.parse(dataOf(cluster, 'config-restart-state')?.config ?? '');
  const first = entry();

  await operator.reconcile('config');
  const during = entry();
  await operator.settle('config', () => replacePods(cluster, replicaSet));

  expect(during).toMatchObject({ hash: first.hash, pending: { delete: {}, restarts: 1 } });
  expect(Object.keys((during.pending as { evict: object }).evict)).toEqual([...app.before]);
  expect(entry()).toEqual({
    ...first,
    hash: expect.not.stringMatching(String(first.hash)),
    restarts: 1,
  });
});

test('a new Pod with the name of an old Pod is not evicted in its place', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  cluster.budget = () => ({});
  await operator.reconcile('config');
  for (const name of podNames(cluster)) cluster.remove(pods, name);
  replacePods(cluster, replicaSet);
  cluster.budget = () => undefined;
  const replaced = podUids(cluster);

  await operator.settle('config');

  expect(podUids(cluster)).toEqual(replaced);
});

test('a Pod that disappears between the list and its eviction counts as evicted', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  cluster.fault = ({ resource, name }) => {
    if (resource === 'pods/eviction') cluster.remove(pods, name);
  };

  await operator.settle('config', () => replacePods(cluster, replicaSet));

  expect(oldOnes(app)).toEqual([]);
});

test('the evictions stop if the ConfigMap is deleted meanwhile, because new Pods could not start', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  await operator.reconcile('config');
  replacePods(cluster, replicaSet);

  cluster.remove(configMaps, 'config');
  await operator.settle('config', () => replacePods(cluster, replicaSet));

  expect(oldOnes(app)).toHaveLength(2);
});

test('the evictions do not wait for Pods of an owner that was scaled down', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  await operator.reconcile('config');

  const scaled = cluster.edit(replicaSets, replicaSet.metadata.name, { spec: { replicas: 2 } });
  await operator.settle('config', () => replacePods(cluster, scaled));

  expect(oldOnes(app)).toEqual([]);
});

test('for an owner without a replica count, the operator waits for as many Ready Pods as before', async () => {
  const app = await changedApp();
  const { cluster, operator } = app;
  const owner = {
    apiVersion: 'x.example/v1',
    kind: 'Thing',
    name: 't',
    uid: 't',
    controller: true,
  };
  const labels = { app: 'thing' };
  for (const { metadata } of cluster.all(pods)) cluster.remove(pods, metadata.name);
  for (const name of ['thing-0', 'thing-1']) putPod(cluster, name, labels, { owner });
  const things = (): readonly Pod[] =>
    cluster.all(pods).filter((pod) => controllerOf(pod)?.uid === 't');

  await operator.reconcile('config');
  await operator.reconcile('config');
  const whileMissing = things().length;
  putPod(cluster, 'thing-2', labels, { owner });
  await operator.reconcile('config');

  expect(whileMissing).toBe(1);
  expect(things().map(({ metadata }) => metadata.name)).toEqual(['thing-2']);
});

test('evictions of different owners do not wait for each other', async () => {
  const app = await changedApp();
  const { cluster, operator } = app;
  putDeployment(cluster, 'worker');

  await operator.reconcile('config');

  expect(podNames(cluster)).toHaveLength(4);
});

test('a failed eviction is retried', async () => {
  const app = await changedApp();
  const { cluster, operator, replicaSet } = app;
  cluster.fault = ({ resource }) => {
    if (resource === 'pods/eviction') throw failure(500, 'InternalError');
  };
  await expect(operator.settle('config')).rejects.toThrow('InternalError');

  cluster.fault = () => {};
  await operator.settle('config', () => replacePods(cluster, replicaSet));

  expect(oldOnes(app)).toEqual([]);
});
