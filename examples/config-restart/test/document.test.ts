// A watcher in a ConfigMap: for a namespace where nobody may install definitions.

import type { Condition } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { customResources } from '../front-ends/custom-resource.ts';
import { dataOf, FakeCluster, failure } from './support/fake-cluster.ts';
import { FakeOperator } from './support/fake-operator.ts';
import { ownerOf, putConfigMap, putDeployment, restartsOf } from './support/workloads.ts';

const VALID = 'configMap: webapp-config\npodSelector:\n  app: webapp\n';

/** A cluster without any of the definitions. */
function app(): { cluster: FakeCluster; operator: FakeOperator } {
  const cluster = new FakeCluster();
  for (const resource of customResources) cluster.uninstall(resource);
  putDeployment(cluster, 'webapp');
  putConfigMap(cluster, 'webapp-config', 'one');
  return { cluster, operator: new FakeOperator(cluster) };
}

function putDocument(cluster: FakeCluster, spec?: string): ConfigMap {
  return cluster.put(configMaps, {
    metadata: { name: 'restart-webapp', labels: { 'chancery.dev/kind': 'ConfigWatcher' } },
    data: spec === undefined ? {} : { spec },
  });
}

/** As the runtime does it: the document's own key, and the one that its mapping names. */
async function settleAll(operator: FakeOperator): Promise<void> {
  for (const name of ['restart-webapp', 'webapp-config']) await operator.settle(name);
}

function conditionsOf(cluster: FakeCluster): readonly Condition[] {
  return JSON.parse(dataOf(cluster, 'restart-webapp-status')?.conditions ?? '[]');
}

test.each([
  ['YAML', VALID],
  ['JSON', '{"configMap":"webapp-config","podSelector":{"app":"webapp"}}'],
])('a document in %s restarts Pods, and its status is written into another ConfigMap', async (_form, spec) => {
  const { cluster, operator } = app();
  const document = putDocument(cluster, spec);
  await settleAll(operator);

  cluster.edit(configMaps, 'webapp-config', { data: { message: 'two' } });
  await settleAll(operator);

  expect(restartsOf(cluster, 'webapp')).toBe(1);
  expect(dataOf(cluster, 'restart-webapp-status')).toMatchObject({
    valid: 'true',
    message: 'waiting for changes',
    observedHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    lastRestartTime: '2030-01-01T00:00:01Z',
    lastRestartedPods: '["webapp-5d-0","webapp-5d-1","webapp-5d-2"]',
  });
  expect(conditionsOf(cluster).map(({ type, status }) => [type, status])).toEqual([
    ['ConfigMapFound', 'True'],
    ['SelectorValid', 'True'],
    ['Ready', 'True'],
  ]);
  expect(cluster.read(configMaps, 'restart-webapp-status')?.metadata.ownerReferences).toEqual([
    ownerOf(document),
  ]);
});

test.each([
  ['a ConfigMap without a document', undefined, 'InvalidSpec', 'data.spec is missing'],
  ['data that is not YAML', 'configMap: [', 'InvalidSpec', 'invalid YAML'],
  ['text only', 'webapp-config', 'InvalidSpec', 'mapping'],
  ['an unknown field', `${VALID}strateggy: evict\n`, 'InvalidSpec', 'unknown field strateggy'],
  [
    'a document without the name of a ConfigMap',
    'podSelector: {app: webapp}',
    'InvalidSpec',
    'configMap must name',
  ],
  [
    'a path in place of a name',
    VALID.replace('webapp-config', '../secrets/x'),
    'InvalidSpec',
    'configMap',
  ],
  [
    'the state of the operator itself',
    VALID.replace('webapp-config', 'config-restart-state'),
    'InvalidSpec',
    'other than',
  ],
  ['an empty selector', 'configMap: webapp-config\npodSelector: {}', 'EmptySelector', 'empty'],
  [
    'a number as the value of a label',
    VALID.replace('app: webapp', 'app: 1'),
    'InvalidSelector',
    'quotes',
  ],
  ['a bad strategy', `${VALID}strategy: gently\n`, 'InvalidSpec', 'rollout, evict, delete'],
])('%s is invalid, gets an Event and valid=false, and restarts nothing', async (_what, spec, reason, text) => {
  const { cluster, operator } = app();
  putDocument(cluster, spec);
  await settleAll(operator);

  cluster.edit(configMaps, 'webapp-config', { data: { message: 'two' } });
  await settleAll(operator);
  await operator.settle('config-restart-state');

  expect(restartsOf(cluster, 'webapp')).toBe(0);
  expect(operator.events).toMatchObject([{ type: 'Warning', reason }]);
  expect(dataOf(cluster, 'restart-webapp-status')).toMatchObject({
    valid: 'false',
    message: expect.stringContaining(text),
  });
});

test('a document that is corrected becomes valid, and takes effect from then on', async () => {
  const { cluster, operator } = app();
  putDocument(cluster, 'configMap: [');
  await settleAll(operator);

  putDocument(cluster, VALID);
  await settleAll(operator);
  cluster.edit(configMaps, 'webapp-config', { data: { message: 'two' } });
  await settleAll(operator);

  expect(dataOf(cluster, 'restart-webapp-status')).toMatchObject({ valid: 'true' });
  expect(restartsOf(cluster, 'webapp')).toBe(1);
});

test('a foreign ConfigMap with the name of the status is not overwritten', async () => {
  const { cluster, operator } = app();
  const theirs = putConfigMap(cluster, 'restart-webapp-status', 'precious');
  putDocument(cluster, VALID);

  await settleAll(operator);

  expect(cluster.read(configMaps, 'restart-webapp-status')).toEqual(theirs);
  expect(operator.reasons).toContain('StatusNotOwned');
});

test('a damaged status is written again', async () => {
  const { cluster, operator } = app();
  putDocument(cluster, VALID);
  await settleAll(operator);

  cluster.edit(configMaps, 'restart-webapp-status', { data: { conditions: '{', valid: 'x' } });
  await settleAll(operator);

  expect(dataOf(cluster, 'restart-webapp-status')?.valid).toBe('true');
  expect(conditionsOf(cluster)).toHaveLength(3);
});

test('without a change, nothing is written', async () => {
  const { cluster, operator } = app();
  putDocument(cluster, VALID);
  await settleAll(operator);
  const before = cluster.all(configMaps);

  operator.clock.advance(60_000);
  operator.restart();
  await settleAll(operator);

  expect(cluster.all(configMaps)).toEqual(before);
});

test("the operator's own ConfigMaps restart nothing, whatever their annotations", async () => {
  const { cluster, operator } = app();
  putDocument(cluster, VALID);
  await settleAll(operator);
  const own = ['config-restart-state', 'restart-webapp-status'];
  const annotations = { 'k8spatterns.io/podDeleteSelector': 'app=webapp' };
  for (const name of own) {
    cluster.edit(configMaps, name, { metadata: { annotations } });
    await operator.settle(name);
  }

  for (const name of own) {
    cluster.edit(configMaps, name, { data: { added: 'x' } });
    await operator.settle(name);
  }

  expect(restartsOf(cluster, 'webapp')).toBe(0);
});

test('a status that cannot be written does not delay a restart', async () => {
  const { cluster, operator } = app();
  putDocument(cluster, VALID);
  await settleAll(operator);
  cluster.fault = ({ verb, name }) => {
    if (verb !== 'get' && name === 'restart-webapp-status') throw failure(500, 'InternalError');
  };

  cluster.edit(configMaps, 'webapp-config', { data: { message: 'two' } });
  await expect(operator.settle('webapp-config')).rejects.toThrow('InternalError');
  const restarts = restartsOf(cluster, 'webapp');
  cluster.fault = () => {};
  await operator.settle('webapp-config');

  expect(restarts).toBe(1);
  expect(restartsOf(cluster, 'webapp')).toBe(1);
  expect(dataOf(cluster, 'restart-webapp-status')?.lastRestartTime).toBe('2030-01-01T00:00:01Z');
});
