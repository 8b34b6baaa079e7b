import { configMaps, pods, replicaSets } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { bookWatchers } from '../../front-ends/custom-resource.ts';
import { FakeCluster, failure } from '../support/fake-cluster.ts';
import { FakeOperator } from '../support/fake-operator.ts';
import {
  podNames,
  podUids,
  putConfigMap,
  putDeployment,
  replacePods,
} from '../support/workloads.ts';

/** A Deployment of three Pods whose ConfigMap has been seen and then changed. */
async function changedApp(): Promise<{
  cluster: FakeCluster;
  operator: FakeOperator;
  replace: () => void;
}> {
  const cluster = new FakeCluster();
  putDeployment(cluster, 'webapp');
  const annotations = {
    'k8spatterns.io/podDeleteSelector': 'app=webapp',
    'k8spatterns.io/restartStrategy': 'delete',
    'k8spatterns.io/debounceSeconds': '0',
  };
  putConfigMap(cluster, 'config', 'one', { annotations });
  const operator = new FakeOperator(cluster);
  await operator.settle('config');
  cluster.edit(configMaps, 'config', { data: { message: 'two' } });
  const replace = (): void => {
    for (const owner of cluster.all(replicaSets)) replacePods(cluster, owner);
  };
  return { cluster, operator, replace };
}

test('all Pods are deleted together, each Pod only once, with the log message of the original operator', async () => {
  const { cluster, operator, replace } = await changedApp();

  await operator.reconcile('config');
  const afterChange = podNames(cluster);
  replace();
  const replaced = podUids(cluster);
  await operator.settle('config');

  expect(afterChange).toEqual([]);
  expect(podUids(cluster)).toEqual(replaced);
  expect(operator.lines.map(({ message }) => message)).toEqual([
    'Modification detected',
    'was deleted successfully',
    'was deleted successfully',
    'was deleted successfully',
  ]);
});

test('if a process ends between the deletion of Pods and its record, the new Pods are not deleted', async () => {
  const { cluster, operator, replace } = await changedApp();
  let writes = 0;
  cluster.fault = ({ verb, name }) => {
    if (verb !== 'patch' || name !== 'config-restart-state') return;
    if (++writes === 2) throw failure(500, 'InternalError');
  };
  await expect(operator.settle('config')).rejects.toThrow('InternalError');
  replace();
  const replaced = podUids(cluster);

  cluster.fault = () => {};
  operator.restart();
  await operator.settle('config');

  expect(podUids(cluster)).toEqual(replaced);
});

test('if a Pod cannot be deleted, its deletion is retried, and the other Pods are deleted', async () => {
  const { cluster, operator, replace } = await changedApp();
  cluster.fault = ({ verb, name }) => {
    if (verb === 'delete' && name === 'webapp-5d-1') throw failure(403, 'Forbidden');
  };

  await expect(operator.settle('config')).rejects.toThrow('Forbidden');
  const left = podNames(cluster);
  replace();
  const [stubborn] = cluster.all(pods).filter(({ metadata }) => metadata.name === 'webapp-5d-1');
  const others = podUids(cluster).size - 1;
  cluster.fault = () => {};
  await operator.settle('config');

  expect(left).toEqual(['webapp-5d-1']);
  expect(podUids(cluster)).not.toContain(stubborn?.metadata.uid);
  expect(podUids(cluster).size).toBe(others);
  expect(operator.lines).toContainEqual(
    expect.objectContaining({ message: 'Could not delete pod' }),
  );
});

test('a Pod that disappears between the list and its deletion counts as deleted', async () => {
  const { cluster, operator } = await changedApp();
  cluster.fault = ({ verb, name }) => {
    if (verb === 'delete') cluster.remove(pods, name);
  };

  await operator.settle('config');

  expect(operator.reasons).toEqual(['PodsRestarted']);
});

test('a deleted Pod is not deleted again while another Pod is being evicted', async () => {
  const { cluster, operator, replace } = await changedApp();
  putDeployment(cluster, 'worker');
  const podSelector = { app: 'worker' };
  const spec = { configMap: 'config', podSelector, strategy: 'evict', debounceSeconds: 0 };
  cluster.put(bookWatchers, { metadata: { name: 'gentle' }, spec });

  const { requeueAfterMs } = await operator.reconcile('config');
  replace();
  const webapp = [...cluster.all(pods)].filter(({ metadata }) => metadata.labels?.app === 'webapp');
  await operator.settle('config', replace);

  expect(requeueAfterMs).toBe(1_000);
  expect([...podUids(cluster)]).toEqual(
    expect.arrayContaining(webapp.map(({ metadata }) => metadata.uid)),
  );
  const deletions = operator.lines.filter(({ message }) => message === 'was deleted successfully');
  expect(deletions).toHaveLength(3);
  expect(operator.events.map(({ note }) => note)).toEqual([
    expect.stringMatching(/^changed; deleted Pods webapp/),
    expect.stringMatching(/^changed; evicted Pods worker/),
  ]);
});
