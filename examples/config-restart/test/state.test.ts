// What is remembered in the cluster, for how long, and what happens when it is lost or damaged.

import { configMaps, replicaSets } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { bookWatchers } from '../front-ends/custom-resource.ts';
import { dataOf, FakeCluster, failure } from './support/fake-cluster.ts';
import { FakeOperator } from './support/fake-operator.ts';
import { putConfigMap, putDeployment, replacePods, restartsOf } from './support/workloads.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const annotations = { 'k8spatterns.io/podDeleteSelector': 'app=webapp' };

/** A watched ConfigMap `config` that the operator has seen. */
async function watchedApp(): Promise<{ cluster: FakeCluster; operator: FakeOperator }> {
  const cluster = new FakeCluster();
  putDeployment(cluster, 'webapp');
  putConfigMap(cluster, 'config', 'one', { annotations });
  const operator = new FakeOperator(cluster);
  await operator.settle('config');
  return { cluster, operator };
}

function remembered(cluster: FakeCluster): Record<string, string> {
  return { ...dataOf(cluster, 'config-restart-state') };
}

test('the state contains only digests, and never the content', async () => {
  const { cluster } = await watchedApp();

  expect(JSON.parse(remembered(cluster).config ?? '')).toEqual({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    restarts: 0,
    frontEnds: ['annotation'],
  });
});

test.each([
  ['other', 1],
  ['one', 0],
])('a ConfigMap recreated with the content %j restarts %i times', async (value, restarts) => {
  const { cluster, operator } = await watchedApp();

  cluster.remove(configMaps, 'config');
  await operator.settle('config');
  operator.clock.advance(DAY_MS - 60_000);
  putConfigMap(cluster, 'config', value, { annotations });
  await operator.settle('config');

  expect(restartsOf(cluster, 'webapp')).toBe(restarts);
  expect(JSON.parse(remembered(cluster).config ?? '')).not.toHaveProperty('missingSince');
});

test('a ConfigMap recreated after more than a day counts as new', async () => {
  const { cluster, operator } = await watchedApp();

  cluster.remove(configMaps, 'config');
  await operator.settle('config');
  operator.clock.advance(DAY_MS + 1);
  putConfigMap(cluster, 'config', 'other', { annotations });
  await operator.settle('config');

  expect(restartsOf(cluster, 'webapp')).toBe(0);
});

test('the next write removes the entries of ConfigMaps that were deleted long ago, and keeps other entries', async () => {
  const { cluster, operator } = await watchedApp();
  putConfigMap(cluster, 'gone', 'one', { annotations });
  await operator.settle('gone');
  cluster.remove(configMaps, 'gone');
  await operator.settle('gone');
  operator.clock.advance(DAY_MS + 1);

  putConfigMap(cluster, 'third', 'one', { annotations });
  await operator.settle('third');

  expect(Object.keys(remembered(cluster)).sort()).toEqual(['config', 'third']);
});

test('a ConfigMap that is no longer watched is removed from the state, even by a new process', async () => {
  const { cluster, operator } = await watchedApp();

  putConfigMap(cluster, 'config', 'one');
  operator.restart();
  await operator.settle('config');

  expect(remembered(cluster)).toEqual({});
});

test('a deleted ConfigMap stays in the state even if only a custom resource watches it', async () => {
  const { cluster, operator } = await watchedApp();
  putConfigMap(cluster, 'config', 'one');
  const spec = { configMap: 'config', podSelector: { app: 'webapp' } };
  cluster.put(bookWatchers, { metadata: { name: 'watcher' }, spec });
  await operator.settle('config');

  cluster.remove(configMaps, 'config');
  operator.restart();
  await operator.settle('config');
  putConfigMap(cluster, 'config', 'other');
  await operator.settle('config');

  expect(restartsOf(cluster, 'webapp')).toBe(1);
});

test.each([
  '{',
  '{}',
  '"text"',
  '{"hash":"x","restarts":0,"frontEnds":[],"missingSince":"?"}',
])('with the damaged entry %s, the ConfigMap is treated as if it were new', async (entry) => {
  const { cluster, operator } = await watchedApp();

  cluster.edit(configMaps, 'config-restart-state', { data: { config: entry } });
  cluster.edit(configMaps, 'config', { data: { message: 'two' } });
  await operator.settle('config');
  const afterDamage = restartsOf(cluster, 'webapp');
  cluster.edit(configMaps, 'config', { data: { message: 'three' } });
  await operator.settle('config');

  expect(afterDamage).toBe(0);
  expect(restartsOf(cluster, 'webapp')).toBe(1);
  expect(operator.lines).toContainEqual(
    expect.objectContaining({ message: 'state entry is damaged and ignored' }),
  );
});

test('after the state was deleted, all ConfigMaps are treated as if they were new', async () => {
  const { cluster, operator } = await watchedApp();

  cluster.remove(configMaps, 'config-restart-state');
  await operator.settle('config');

  expect(restartsOf(cluster, 'webapp')).toBe(0);
  expect(Object.keys(remembered(cluster))).toEqual(['config']);
});

test('if a process ends after a restart and before it is recorded, there is no second restart', async () => {
  const { cluster, operator } = await watchedApp();
  cluster.fault = ({ verb, name }) => {
    if (verb === 'patch' && name === 'config-restart-state') throw failure(500, 'InternalError');
  };
  cluster.edit(configMaps, 'config', { data: { message: 'two' } });
  await expect(operator.settle('config')).rejects.toThrow('InternalError');

  cluster.fault = () => {};
  operator.restart();
  await operator.settle('config');

  expect(restartsOf(cluster, 'webapp')).toBe(1);
});

test('a return to older content causes a restart, although the template already had the stamp of that content', async () => {
  const { cluster, operator } = await watchedApp();

  for (const value of ['two', 'one', 'two']) {
    cluster.edit(configMaps, 'config', { data: { message: value } });
    await operator.settle('config');
  }

  expect(restartsOf(cluster, 'webapp')).toBe(3);
});

test('a stamp in a template does not count as a restart if Pods were evicted afterwards', async () => {
  const { cluster, operator } = await watchedApp();
  const steps = [
    ['two', 'rollout'],
    ['three', 'evict'],
    ['two', 'rollout'],
  ];

  for (const [message, strategy] of steps) {
    const restart = { 'k8spatterns.io/restartStrategy': strategy };
    cluster.edit(configMaps, 'config', { data: { message }, metadata: { annotations: restart } });
    await operator.settle('config', () => {
      for (const owner of cluster.all(replicaSets)) replacePods(cluster, owner);
    });
  }

  expect(restartsOf(cluster, 'webapp')).toBe(2);
});

test('a ConfigMap deleted during the wait restarts nothing', async () => {
  const { cluster, operator } = await watchedApp();
  const edited = cluster.edit(configMaps, 'config', { data: { message: 'two' } });
  await operator.reconcile('config');
  operator.clock.advance(1_000);

  cluster.remove(configMaps, 'config');
  await operator.reconcile('config', edited);

  expect(restartsOf(cluster, 'webapp')).toBe(0);
});

test('a ConfigMap that is not watched causes no request', async () => {
  const { cluster, operator } = await watchedApp();
  putConfigMap(cluster, 'plain', 'one');
  cluster.fault = () => {
    throw failure(500, 'InternalError');
  };

  const result = await operator.reconcile('plain');

  expect(result).toEqual({});
});
