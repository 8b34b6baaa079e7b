// The ConfigMonitor operator in Python, defect by defect (CM…).

import { configMaps, deployments } from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import { configMonitors } from '../front-ends/custom-resource.ts';
import { watcherMappings } from '../front-ends/front-ends.ts';
import type { WatcherStatus } from '../status.ts';
import { FakeCluster } from './support/fake-cluster.ts';
import { FakeOperator } from './support/fake-operator.ts';
import { podUids, putConfigMap, putDeployment, restartsOf } from './support/workloads.ts';

const NAMES = ['flaskapp-config', 'other-config', 'unrelated'];

/** Two monitors, three ConfigMaps, and three Deployments; all seen by the operator. */
async function monitoredApp(): Promise<{ cluster: FakeCluster; operator: FakeOperator }> {
  const cluster = new FakeCluster();
  putDeployment(cluster, 'web', { labels: { app: 'frontend', tier: 'web' } });
  putDeployment(cluster, 'api', { labels: { app: 'frontend', tier: 'api' } });
  putDeployment(cluster, 'db', { labels: { app: 'db' } });
  putMonitor(cluster, 'm1', {
    configmap: 'flaskapp-config',
    podSelector: { app: 'frontend', tier: 'web' },
  });
  putMonitor(cluster, 'm2', { configmap: 'other-config', podSelector: { app: 'db' } });
  const operator = new FakeOperator(cluster);
  for (const name of NAMES) {
    putConfigMap(cluster, name, 'one');
    await operator.settle(name);
  }
  return { cluster, operator };
}

function putMonitor(cluster: FakeCluster, name: string, spec: object): void {
  cluster.put(configMonitors, { metadata: { name }, spec });
}

async function change(cluster: FakeCluster, operator: FakeOperator, name: string): Promise<void> {
  cluster.edit(configMaps, name, { data: { message: 'two' } });
  for (const each of NAMES) await operator.settle(each);
}

function restarted(cluster: FakeCluster): readonly string[] {
  return cluster
    .all(deployments)
    .map(({ metadata }) => metadata.name)
    .filter((name) => restartsOf(cluster, name) > 0);
}

test.each([
  ['unrelated', []],
  ['other-config', ['db']],
  ['flaskapp-config', ['web']],
])('CM1: a change of %s restarts %j', async (name, expected) => {
  const { cluster, operator } = await monitoredApp();

  await change(cluster, operator, name);

  expect(restarted(cluster)).toEqual(expected);
});

test('CM2: every label of the selector must match', async () => {
  const { cluster, operator } = await monitoredApp();

  await change(cluster, operator, 'flaskapp-config');

  expect(restartsOf(cluster, 'api')).toBe(0);
});

test('CM3: Pods that two monitors select are restarted once', async () => {
  const { cluster, operator } = await monitoredApp();
  putMonitor(cluster, 'm3', { configmap: 'flaskapp-config', podSelector: { app: 'frontend' } });
  await operator.settle('flaskapp-config');

  await change(cluster, operator, 'flaskapp-config');

  expect([restartsOf(cluster, 'web'), restartsOf(cluster, 'api')]).toEqual([1, 1]);
});

test.each([
  [{}],
  [{ podSelector: {} }],
])('CM4: a monitor with the selector %j gets a condition, and other monitors still restart Pods', async (selector) => {
  const { cluster, operator } = await monitoredApp();
  putMonitor(cluster, 'broken', { configmap: 'flaskapp-config', ...selector });
  await operator.settle('flaskapp-config');

  await change(cluster, operator, 'flaskapp-config');

  const status = cluster.read(configMonitors, 'broken')?.status as WatcherStatus;
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: 'SelectorValid', status: 'False', reason: 'EmptySelector' }),
  );
  expect(restarted(cluster)).toEqual(['web']);
});

describe('CM9', () => {
  test('a label value that is invalid in Kubernetes is refused without a request', async () => {
    const { cluster, operator } = await monitoredApp();
    putMonitor(cluster, 'odd', { configmap: 'unrelated', podSelector: { app: 'a,tier=web' } });

    await operator.settle('unrelated');
    await change(cluster, operator, 'unrelated');

    expect(restarted(cluster)).toEqual([]);
    expect(operator.reasons).toEqual(['InvalidSelector']);
  });

  test('a change of metadata restarts nothing, and a change of content does not delete all Pods at once', async () => {
    const { cluster, operator } = await monitoredApp();
    const before = podUids(cluster);

    cluster.edit(configMaps, 'flaskapp-config', { metadata: { labels: { touched: 'yes' } } });
    await operator.settle('flaskapp-config');
    const afterTouch = restarted(cluster);
    await change(cluster, operator, 'flaskapp-config');

    expect(afterTouch).toEqual([]);
    expect(podUids(cluster)).toEqual(before);
  });
});

describe('CM10: a field can be spelled in two ways', () => {
  test.each([
    [{ configmap: 'unrelated' }],
    [{ configMap: 'unrelated' }],
    [{ configmap: 'unrelated', configMap: 'unrelated' }],
  ])('%j is accepted as the field for the ConfigMap of a monitor', async (names) => {
    const { cluster, operator } = await monitoredApp();
    putMonitor(cluster, 'm3', { ...names, podSelector: { app: 'db' } });
    await operator.settle('unrelated');

    await change(cluster, operator, 'unrelated');

    expect(restarted(cluster)).toEqual(['db']);
  });

  test('different values in the two spellings of a field are refused, and the log contains the monitor', async () => {
    const { cluster, operator } = await monitoredApp();
    const podSelector = { app: 'db' };
    putMonitor(cluster, 'm3', { configmap: 'unrelated', configMap: 'other-config', podSelector });

    await operator.settle('m3');
    await change(cluster, operator, 'unrelated');

    expect(restarted(cluster)).toEqual([]);
    expect(operator.reasons).toEqual(['InvalidSpec']);
  });

  test('a change of a monitor reconciles the ConfigMap that it refers to', async () => {
    const mapping = watcherMappings.find(
      ({ source }) => source.resource.plural === configMonitors.plural,
    );
    const cluster = new FakeCluster();
    putMonitor(cluster, 'm1', { configmap: 'flaskapp-config', podSelector: { app: 'db' } });
    putMonitor(cluster, 'm2', {});

    const store = () => expect.unreachable('the ConfigMap is named in the watcher');
    const keys = await Promise.all(
      cluster.all(configMonitors).map((object) => mapping?.map(object, { store })),
    );

    expect(keys).toEqual([['default/flaskapp-config'], ['default/m2']]);
  });
});
