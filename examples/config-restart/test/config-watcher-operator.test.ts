// The shell operator of the book's "Operator" pattern, defect by defect (OP…), for the
// ConfigWatcher of either group.

import type { Condition, Resource } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import {
  bookWatchers,
  configMonitors,
  repositoryWatchers,
  type WatcherObject,
} from '../front-ends/custom-resource.ts';
import type { WatcherStatus } from '../status.ts';
import { dataOf, FakeCluster, failure } from './support/fake-cluster.ts';
import { FakeOperator } from './support/fake-operator.ts';
import { podUids, putConfigMap, putDeployment, restartsOf } from './support/workloads.ts';

/** A ConfigMap, a Deployment `webapp`, and the operator. */
function app(): { cluster: FakeCluster; operator: FakeOperator } {
  const cluster = new FakeCluster();
  putDeployment(cluster, 'webapp');
  putConfigMap(cluster, 'webapp-config', 'one');
  return { cluster, operator: new FakeOperator(cluster) };
}

function putWatcher(
  cluster: FakeCluster,
  spec: unknown,
  name = 'watcher',
  resource: Resource<WatcherObject> = bookWatchers,
): void {
  cluster.put(resource, { metadata: { name }, spec });
}

async function change(cluster: FakeCluster, operator: FakeOperator, value = 'two'): Promise<void> {
  cluster.edit(configMaps, 'webapp-config', { data: { message: value } });
  await operator.settle('webapp-config');
}

function statusOf(cluster: FakeCluster, name = 'watcher', resource = bookWatchers): WatcherStatus {
  return cluster.read(resource, name)?.status ?? {};
}

function condition(cluster: FakeCluster, type: string, name = 'watcher'): Condition | undefined {
  return statusOf(cluster, name).conditions?.find((each) => each.type === type);
}

const valid = { configMap: 'webapp-config', podSelector: { app: 'webapp' } };

describe.each([
  ['OP1', 'an empty podSelector', { podSelector: {} }, 'EmptySelector'],
  ['OP1', 'an empty selector', { selector: { matchLabels: {} } }, 'EmptySelector'],
  ['OP2', 'no podSelector', {}, 'EmptySelector'],
  ['OP2', 'a podSelector of null', { podSelector: null }, 'EmptySelector'],
  ['OP7', 'an impossible label', { podSelector: { app: 'web app' } }, 'InvalidSelector'],
  ['OP7', 'a number as the value of a label', { podSelector: { app: 1 } }, 'InvalidSelector'],
  ['OP7', 'a list for a map', { podSelector: ['app'] }, 'InvalidSelector'],
  [
    'OP7',
    'an unknown operator',
    { selector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] } },
    'InvalidSelector',
  ],
])('%s: %s', (_id, _what, selector, reason) => {
  test('an invalid watcher restarts nothing, and its status and an Event report the mistake', async () => {
    const { cluster, operator } = app();
    const before = podUids(cluster);
    putWatcher(cluster, { configMap: 'webapp-config', strategy: 'delete', ...selector });
    await operator.settle('webapp-config');

    await change(cluster, operator);

    expect(podUids(cluster)).toEqual(before);
    expect(condition(cluster, 'SelectorValid')).toMatchObject({ status: 'False', reason });
    expect(condition(cluster, 'Ready')).toMatchObject({ status: 'False', reason });
    expect(operator.events).toMatchObject([{ type: 'Warning', reason }]);
    expect(operator.events[0]?.regarding.kind).toBe('ConfigWatcher');
  });
});

test('OP3: a watcher that is deleted between two reads restarts nothing', async () => {
  const { cluster, operator } = app();
  putWatcher(cluster, valid);
  await operator.settle('webapp-config');

  cluster.edit(configMaps, 'webapp-config', { data: { message: 'two' } });
  await operator.reconcile('webapp-config');
  cluster.remove(bookWatchers, 'watcher');
  await operator.settle('webapp-config');

  expect(restartsOf(cluster, 'webapp')).toBe(0);
});

describe('OP4: watchers that are created, edited or deleted', () => {
  test('a watcher that is created after a change restarts nothing, and reacts to the next change', async () => {
    const { cluster, operator } = app();
    cluster.edit(configMaps, 'webapp-config', { data: { message: 'two' } });
    await operator.settle('webapp-config');

    putWatcher(cluster, valid);
    await operator.settle('webapp-config');
    const afterCreation = restartsOf(cluster, 'webapp');
    await change(cluster, operator, 'three');

    expect(afterCreation).toBe(0);
    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });

  test('a watcher that is created again after a change restarts nothing', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);
    await operator.settle('webapp-config');
    cluster.remove(bookWatchers, 'watcher');
    await operator.settle('webapp-config');
    await change(cluster, operator);

    putWatcher(cluster, valid);
    await operator.settle('webapp-config');

    expect(restartsOf(cluster, 'webapp')).toBe(0);
  });

  test('an edited selector takes effect with the next change', async () => {
    const { cluster, operator } = app();
    putDeployment(cluster, 'worker');
    putWatcher(cluster, valid);
    await operator.settle('webapp-config');

    putWatcher(cluster, { ...valid, podSelector: { app: 'worker' } });
    await operator.settle('webapp-config');
    const afterEdit = restartsOf(cluster, 'worker');
    await change(cluster, operator);

    expect(afterEdit).toBe(0);
    expect([restartsOf(cluster, 'webapp'), restartsOf(cluster, 'worker')]).toEqual([0, 1]);
  });

  test('a change is handled only after the definitions were listed', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);
    putConfigMap(cluster, 'webapp-config', 'one', {
      annotations: { 'k8spatterns.io/podDeleteSelector': 'app=other' },
    });
    putDeployment(cluster, 'other');
    await operator.settle('webapp-config');

    cluster.uninstall(bookWatchers);
    operator.restart();
    cluster.edit(configMaps, 'webapp-config', { data: { message: 'two' } });
    let steps = 0;
    await operator.settle('webapp-config', () => {
      if (++steps === 3) cluster.install(bookWatchers);
    });

    expect([restartsOf(cluster, 'webapp'), restartsOf(cluster, 'other')]).toEqual([1, 1]);
  });

  test('if one definition is not installed, a change still takes effect for the other definitions', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);
    putConfigMap(cluster, 'webapp-config', 'one', {
      annotations: { 'k8spatterns.io/podDeleteSelector': 'app=other' },
    });
    putDeployment(cluster, 'other');
    await operator.settle('webapp-config');

    cluster.uninstall(bookWatchers);
    operator.restart();
    await change(cluster, operator);

    expect([restartsOf(cluster, 'webapp'), restartsOf(cluster, 'other')]).toEqual([0, 1]);
  });

  test('a change made while the operator is down is not lost, even if the new process has not listed the watchers yet', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);
    await operator.settle('webapp-config');

    cluster.uninstall(bookWatchers);
    operator.restart();
    cluster.edit(configMaps, 'webapp-config', { data: { message: 'two' } });
    const { requeueAfterMs } = await operator.reconcile('webapp-config');
    cluster.install(bookWatchers);
    await operator.settle('webapp-config');

    expect(requeueAfterMs).toBe(60_000);
    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });
});

describe('OP7: status and Events', () => {
  test('the status of a working watcher has the digest of the content that its Pods use', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);

    await operator.settle('webapp-config');

    const state = JSON.parse(dataOf(cluster, 'config-restart-state')?.['webapp-config'] ?? '');
    expect(statusOf(cluster)).toEqual({
      observedGeneration: 1,
      observedHash: state.hash,
      conditions: ['ConfigMapFound', 'SelectorValid', 'Ready'].map((type) =>
        expect.objectContaining({ type, status: 'True', observedGeneration: 1 }),
      ),
    });
  });

  test('the status reports a restart: its time, its Pods and its content', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);
    await operator.settle('webapp-config');
    const before = statusOf(cluster).observedHash;

    await change(cluster, operator);

    const after = statusOf(cluster);
    expect(after.observedHash).not.toBe(before);
    expect(after).toMatchObject({
      lastRestartTime: '2030-01-01T00:00:01Z',
      lastRestartedPods: ['webapp-5d-0', 'webapp-5d-1', 'webapp-5d-2'],
    });
  });

  test('the status lists at most fifty Pods', async () => {
    const { cluster, operator } = app();
    putDeployment(cluster, 'webapp', { replicas: 60 });
    putWatcher(cluster, valid);
    await operator.settle('webapp-config');

    await change(cluster, operator);

    expect(statusOf(cluster).lastRestartedPods).toHaveLength(50);
  });

  test('a missing ConfigMap is reported until it exists', async () => {
    const { cluster, operator } = app();
    cluster.remove(configMaps, 'webapp-config');
    putWatcher(cluster, valid);

    await operator.settle('webapp-config');
    const missing = [condition(cluster, 'ConfigMapFound'), condition(cluster, 'Ready')];
    putConfigMap(cluster, 'webapp-config', 'one');
    operator.clock.advance(5_000);
    await operator.settle('webapp-config');

    expect(missing).toMatchObject([
      { status: 'False', reason: 'NotFound' },
      { status: 'False', reason: 'ConfigMapNotFound' },
    ]);
    expect(condition(cluster, 'Ready')).toMatchObject({
      status: 'True',
      lastTransitionTime: '2030-01-01T00:00:05Z',
    });
  });

  test('a watcher without the name of a ConfigMap reports this mistake in its status', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, { podSelector: { app: 'webapp' } });

    await operator.settle('watcher');

    expect(condition(cluster, 'ConfigMapFound')).toMatchObject({ reason: 'NotNamed' });
    expect(condition(cluster, 'Ready')).toMatchObject({ reason: 'InvalidSpec' });
  });

  test('without a change, nothing is written', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);
    await operator.settle('webapp-config');
    const before = [...cluster.all(bookWatchers), ...cluster.all(configMaps)];

    operator.clock.advance(60_000);
    operator.restart();
    await operator.settle('webapp-config');

    expect([...cluster.all(bookWatchers), ...cluster.all(configMaps)]).toEqual(before);
  });

  test('there is no second write if the cache does not yet contain the last status', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);
    cluster.freezeCaches(bookWatchers);
    await operator.settle('webapp-config');
    const before = cluster.all(bookWatchers);

    operator.clock.advance(60_000);
    await operator.settle('webapp-config');

    expect(cluster.all(bookWatchers)).toEqual(before);
  });

  test('a status that is up to date causes no request', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);
    await operator.settle('webapp-config');
    cluster.fault = ({ resource }) => {
      if (resource.startsWith('configwatchers')) throw failure(500, 'InternalError');
    };

    await expect(operator.settle('webapp-config')).resolves.toBeUndefined();
  });

  test('a definition without status does not prevent a restart, and is logged once', async () => {
    const { cluster, operator } = app();
    cluster.dropStatusSubresource(bookWatchers);
    putWatcher(cluster, valid);
    await operator.settle('webapp-config');

    await change(cluster, operator);

    expect(restartsOf(cluster, 'webapp')).toBe(1);
    expect(
      operator.lines.filter(({ message }) => message.startsWith('status is not')),
    ).toHaveLength(1);
  });

  test('the status reports a failed restart, and later its success', async () => {
    const { cluster, operator } = app();
    putWatcher(cluster, valid);
    await operator.settle('webapp-config');
    cluster.fault = ({ verb, resource }) => {
      if (verb === 'patch' && resource === 'deployments.apps') throw failure(403, 'Forbidden');
    };

    await expect(change(cluster, operator)).rejects.toThrow('Forbidden');
    const failed = condition(cluster, 'Ready');
    cluster.fault = () => {};
    await operator.settle('webapp-config');

    expect(failed).toMatchObject({ status: 'False', reason: 'RestartFailed' });
    expect(operator.reasons).toEqual(['RestartFailed', 'PodsRestarted']);
    expect(condition(cluster, 'Ready')).toMatchObject({ status: 'True', reason: 'Watching' });
    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });

  test('a mistake is reported once, and again if it is repeated after a correction', async () => {
    const { cluster, operator } = app();
    for (const podSelector of [{}, {}, { app: 'webapp' }, {}]) {
      putWatcher(cluster, { configMap: 'webapp-config', podSelector });
      await operator.settle('webapp-config');
      await operator.settle('webapp-config');
    }

    expect(operator.reasons).toEqual(['EmptySelector', 'EmptySelector']);
  });

  test('a LabelSelector may use other operators than equality, and is combined with podSelector', async () => {
    const { cluster, operator } = app();
    putDeployment(cluster, 'edge', { labels: { app: 'webapp', tier: 'edge' } });
    putWatcher(cluster, {
      ...valid,
      selector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['edge', 'front'] }] },
    });
    await operator.settle('webapp-config');

    await change(cluster, operator);

    expect([restartsOf(cluster, 'webapp'), restartsOf(cluster, 'edge')]).toEqual([0, 1]);
  });
});

describe('OP8: overlapping watchers', () => {
  test('overlapping watchers restart each workload once', async () => {
    const { cluster, operator } = app();
    putDeployment(cluster, 'edge', { labels: { app: 'webapp', tier: 'edge' } });
    putWatcher(cluster, valid, 'all');
    putWatcher(cluster, { ...valid, podSelector: { tier: 'edge' } }, 'some');
    await operator.settle('webapp-config');

    await change(cluster, operator);
    await operator.settle('webapp-config');

    expect([restartsOf(cluster, 'webapp'), restartsOf(cluster, 'edge')]).toEqual([1, 1]);
    expect(statusOf(cluster, 'some').lastRestartedPods).toHaveLength(3);
    expect(statusOf(cluster, 'all').lastRestartedPods).toHaveLength(6);
  });

  test('of two overlapping watchers, only the watcher with `restartOn: any` reacts to a changed label', async () => {
    const { cluster, operator } = app();
    putDeployment(cluster, 'touchy');
    putWatcher(cluster, valid, 'calm');
    const podSelector = { app: 'touchy' };
    putWatcher(cluster, { ...valid, podSelector, restartOn: 'any' }, 'touchy');
    await operator.settle('webapp-config');

    cluster.edit(configMaps, 'webapp-config', { metadata: { labels: { touched: 'yes' } } });
    await operator.settle('webapp-config');

    expect([restartsOf(cluster, 'webapp'), restartsOf(cluster, 'touchy')]).toEqual([0, 1]);
  });

  test('if two watchers with different strategies select a Pod, the gentler strategy restarts it', async () => {
    const { cluster, operator } = app();
    const before = podUids(cluster);
    putWatcher(cluster, { ...valid, strategy: 'delete' }, 'rough');
    putWatcher(cluster, valid, 'gentle');
    await operator.settle('webapp-config');

    await change(cluster, operator);

    expect(podUids(cluster)).toEqual(before);
    expect(restartsOf(cluster, 'webapp')).toBe(1);
  });
});

test.each([
  ['k8spatterns.io', bookWatchers],
  ['k8spatterns.com', repositoryWatchers],
  ['magalix.com', configMonitors],
])('a watcher of the group %s restarts its Pods and reports the restart', async (_group, resource) => {
  const { cluster, operator } = app();
  putWatcher(cluster, valid, 'watcher', resource);
  await operator.settle('webapp-config');

  await change(cluster, operator);

  expect(restartsOf(cluster, 'webapp')).toBe(1);
  expect(statusOf(cluster, 'watcher', resource)).toMatchObject({
    observedHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    lastRestartedPods: expect.arrayContaining(['webapp-5d-0']),
  });
});
