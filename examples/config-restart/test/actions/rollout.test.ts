import {
  configMaps,
  daemonSets,
  deployments,
  pods,
  replicaSets,
  statefulSets,
} from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { stampKey } from '../../actions/rollout.ts';
import { FakeCluster, failure } from '../support/fake-cluster.ts';
import { FakeOperator } from '../support/fake-operator.ts';
import {
  ownerOf,
  podNames,
  podTemplate,
  podUids,
  putConfigMap,
  putDeployment,
  putPod,
  putSet,
  replacePods,
  restartsOf,
} from '../support/workloads.ts';

/** A cluster with a watched ConfigMap; the selector matches every Pod that has a label `app`. */
async function watched(): Promise<{ cluster: FakeCluster; operator: FakeOperator }> {
  const cluster = new FakeCluster();
  const annotations = { 'k8spatterns.io/podDeleteSelector': 'app' };
  putConfigMap(cluster, 'config', 'one', { annotations });
  const operator = new FakeOperator(cluster);
  await operator.settle('config');
  return { cluster, operator };
}

function change(cluster: FakeCluster): void {
  cluster.edit(configMaps, 'config', { data: { message: 'two' } });
}

test.each([
  ['StatefulSet', statefulSets],
  ['DaemonSet', daemonSets],
])('a %s that is restarted replaces its Pods itself', async (_kind, resource) => {
  const { cluster, operator } = await watched();
  putSet(cluster, resource, 'db');
  const before = podUids(cluster);

  change(cluster);
  await operator.settle('config');

  expect(restartsOf(cluster, 'db', resource)).toBe(1);
  expect(podUids(cluster)).toEqual(before);
});

test.each([
  ['StatefulSet', statefulSets],
  ['DaemonSet', daemonSets],
])('Pods of a %s with the strategy OnDelete are evicted', async (_kind, resource) => {
  const { cluster, operator } = await watched();
  const owner = putSet(cluster, resource, 'db', 'OnDelete');
  const before = podUids(cluster);

  change(cluster);
  await operator.settle('config', () => replacePods(cluster, owner));

  expect(restartsOf(cluster, 'db', resource)).toBe(0);
  expect([...podUids(cluster)].filter((uid) => before.has(uid))).toEqual([]);
});

test('a Pod of an unknown owner is evicted', async () => {
  const { cluster, operator } = await watched();
  const owner = {
    apiVersion: 'x.example/v1',
    kind: 'Thing',
    name: 't',
    uid: 't',
    controller: true,
  };
  putPod(cluster, 'thing-0', { app: 'x' }, { owner });

  change(cluster);
  await operator.settle('config');

  expect(podNames(cluster)).toEqual([]);
});

test.each([
  ['its ReplicaSet is gone', () => replicaSets],
  ['its Deployment is gone', () => deployments],
])('if %s, a Pod is not evicted, because the garbage collector will delete it', async (_what, resource) => {
  const { cluster, operator } = await watched();
  putDeployment(cluster, 'webapp');
  const before = podUids(cluster);
  for (const { metadata } of cluster.all(resource())) cluster.remove(resource(), metadata.name);

  change(cluster);
  await operator.settle('config');

  expect(podUids(cluster)).toEqual(before);
});

test('a Deployment that was deleted and created again is not restarted because of its predecessor', async () => {
  const { cluster, operator } = await watched();
  putDeployment(cluster, 'webapp');
  cluster.remove(deployments, 'webapp');
  const labels = { app: 'other' };
  cluster.put(deployments, {
    metadata: { name: 'webapp' },
    spec: { selector: { matchLabels: labels }, template: podTemplate(labels) },
  });

  change(cluster);
  await operator.settle('config');

  expect(restartsOf(cluster, 'webapp')).toBe(0);
});

test('a workload that changes during the restart is read again for the next attempt', async () => {
  const { cluster, operator } = await watched();
  putDeployment(cluster, 'webapp');
  let isFirst = true;
  cluster.fault = ({ verb, resource }) => {
    if (verb !== 'patch' || resource !== 'deployments.apps' || !isFirst) return;
    isFirst = false;
    cluster.edit(deployments, 'webapp', { spec: { replicas: 5 } });
  };

  change(cluster);
  await expect(operator.settle('config')).rejects.toThrow('Conflict');
  await operator.settle('config');

  expect(cluster.read(deployments, 'webapp')?.spec).toMatchObject({
    replicas: 5,
    template: { metadata: { annotations: { [stampKey('config')]: expect.any(String) } } },
  });
  expect(operator.reasons).toEqual(['PodsRestarted']);
});

test('if one workload cannot be restarted, the other workloads are still restarted', async () => {
  const { cluster, operator } = await watched();
  for (const name of ['a', 'b', 'c']) putDeployment(cluster, name);
  cluster.fault = ({ verb, name }) => {
    if (verb === 'patch' && name === 'b') throw failure(403, 'Forbidden');
  };

  change(cluster);
  await expect(operator.settle('config')).rejects.toThrow('Forbidden');
  await expect(operator.settle('config')).rejects.toThrow('Forbidden');
  const whileRefused = ['a', 'b', 'c'].map((name) => restartsOf(cluster, name));
  cluster.fault = () => {};
  await operator.settle('config');

  expect(whileRefused).toEqual([1, 0, 1]);
  expect(['a', 'b', 'c'].map((name) => restartsOf(cluster, name))).toEqual([1, 1, 1]);
});

test('annotations in the template are kept', async () => {
  const { cluster, operator } = await watched();
  putDeployment(cluster, 'webapp');
  const template = { metadata: { annotations: { theirs: 'kept' } } };
  cluster.edit(deployments, 'webapp', { spec: { template } });

  change(cluster);
  await operator.settle('config');

  expect(cluster.read(deployments, 'webapp')?.spec.template.metadata?.annotations).toMatchObject({
    theirs: 'kept',
    'kubectl.kubernetes.io/restartedAt': expect.any(String),
  });
});

test('a Pod that is already terminating does not restart its workload', async () => {
  const { cluster, operator } = await watched();
  putDeployment(cluster, 'webapp', { replicas: 1 });
  cluster.edit(pods, 'webapp-5d-0', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } });

  change(cluster);
  await operator.settle('config');

  expect(restartsOf(cluster, 'webapp')).toBe(0);
});

test('the annotation key is short enough for any ConfigMap, and different for each ConfigMap', () => {
  const long = 'a'.repeat(100);

  const keys = ['config', `${long}b`, `${long}c`, 'x'.repeat(63)].map(stampKey);

  expect(new Set(keys).size).toBe(4);
  expect(keys[0]).toBe('restart.chancery.dev/config');
  for (const key of keys)
    expect(key.split('/')[1]).toMatch(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/);
});

test('Pods of a ReplicaSet without a Deployment are evicted', async () => {
  const { cluster, operator } = await watched();
  const labels = { app: 'rs' };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template: podTemplate(labels) };
  const replicaSet = cluster.put(replicaSets, { metadata: { name: 'rs' }, spec });
  putPod(cluster, 'rs-0', { app: 'rs' }, { owner: ownerOf(replicaSet) });

  change(cluster);
  await operator.settle('config');

  expect(podNames(cluster)).toEqual([]);
});
