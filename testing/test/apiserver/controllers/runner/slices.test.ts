/** What controllers do in one turn of the event loop, however much there is to do. */
import { expect, test } from 'vitest';
import { Slice } from '../../../../src/apiserver/controllers/runner/slice.ts';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { FakeClock } from '../../../../src/time/fake-clock.ts';
import { type SimulatedCluster, simulatedCluster, workload } from '../simulated-cluster.ts';

const SLICE = 50;

/**
 * Lets all be done that is due, with another alarm that wants every turn.
 *
 * @returns how many objects of `resource` were changed between two of those turns, at most.
 */
function mostInOneTurn(
  { access, clock }: SimulatedCluster,
  resource: string,
  isDone: () => boolean,
): number {
  let changes = 0;
  let most = 0;
  let turns = 0;
  const end = access.subscribe(resource, ({ type, object }) => {
    // A deletion is two events of some Pods: it is asked for, and carried out.
    const isHalf = type === 'MODIFIED' && object.metadata.deletionTimestamp !== undefined;
    if (!isHalf) changes++;
  });
  const look = (): void => {
    most = Math.max(most, changes);
    changes = 0;
    if (!isDone() && ++turns < 10_000) clock.schedule(0, look);
  };
  clock.schedule(0, look);
  clock.advance(0);
  end();
  expect(isDone()).toBe(true);
  return most;
}

function count({ access }: SimulatedCluster, resource: string): number {
  return access.list(resource, 'demo').length;
}

function job(name: string, spec: object): object {
  const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'demo' },
    spec: { template, ...spec },
  };
}

test.each([
  ['replicaSet', 'replicasets.apps', workload('ReplicaSet', 'w', { replicas: 170 })],
  [
    'statefulSet',
    'statefulsets.apps',
    workload('StatefulSet', 'w', {
      replicas: 170,
      podManagementPolicy: 'Parallel',
      serviceName: 's',
    }),
  ],
  ['job', 'jobs.batch', job('w', { parallelism: 170, completions: 170 })],
] as const)('[found 6] the controller %s creates and removes the Pods of %s in slices', (only, resource, object) => {
  const cluster = simulatedCluster({ only: [only] });
  const { access } = cluster;
  access.create(resource, object as never);
  const makes = mostInOneTurn(cluster, 'pods', () => count(cluster, 'pods') === 170);

  const less = only === 'job' ? { spec: { suspend: true } } : { spec: { replicas: 0 } };
  access.patch(resource, 'demo', 'w', less);
  const isActive = (pod: { metadata: { deletionTimestamp?: string } }): boolean =>
    pod.metadata.deletionTimestamp === undefined;
  const takes = mostInOneTurn(cluster, 'pods', () => !access.list('pods', 'demo').some(isActive));

  expect([makes, takes]).toEqual([SLICE, SLICE]);
});

test('[found 6] a DaemonSet creates Pods on many nodes in slices', () => {
  const cluster = simulatedCluster({ only: ['daemonSet'] });
  for (let at = 0; at < 120; at++) {
    const metadata = { name: `node-${at}` };
    cluster.access.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata });
  }
  cluster.access.create('daemonsets.apps', workload('DaemonSet', 'w', {}));

  expect(mostInOneTurn(cluster, 'pods', () => count(cluster, 'pods') === 120)).toBe(SLICE);
});

function configMaps(cluster: SimulatedCluster, number: number, metadata: object = {}): void {
  for (let at = 0; at < number; at++) {
    const named = { name: `c-${at}`, namespace: 'demo', ...metadata };
    cluster.access.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: named });
  }
}

test('[found 6] a terminating namespace is emptied in slices', () => {
  const cluster = simulatedCluster({ only: ['namespace'] });
  configMaps(cluster, 130);
  cluster.access.delete('namespaces', undefined, 'demo');

  expect(mostInOneTurn(cluster, 'configmaps', () => count(cluster, 'configmaps') === 0)).toBe(
    SLICE,
  );
});

test.each([
  'Background',
  'Foreground',
  'Orphan',
] as const)('[found 6] the garbage collector handles many dependents in slices with policy %s', (propagationPolicy) => {
  const cluster = simulatedCluster({ only: ['garbageCollector'] });
  const { access } = cluster;
  const owner = access.create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'owner', namespace: 'demo' },
  });
  const reference = { apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: owner.metadata.uid };
  configMaps(cluster, 130, { ownerReferences: [reference] });

  access.delete('secrets', 'demo', 'owner', { propagationPolicy });
  const isDone = (): boolean =>
    propagationPolicy === 'Orphan'
      ? access.list('configmaps', 'demo').every(({ metadata }) => !metadata.ownerReferences)
      : count(cluster, 'configmaps') === 0;

  const most = mostInOneTurn(cluster, 'configmaps', isDone);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(SLICE);
  cluster.clock.advance(0);
  expect(access.get('secrets', 'demo', 'owner')).toBeUndefined();
});

test('[found 6] a controller handles many due keys in slices', () => {
  const cluster = simulatedCluster({ only: ['scheduler'] }, (access) => {
    for (let at = 0; at < 180; at++) {
      const metadata = { name: `p-${at}`, namespace: 'demo' };
      const spec = { containers: [{ name: 'c', image: 'i' }] };
      access.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata, spec } as never);
    }
  });
  const { access } = cluster;
  const isPlaced = (pod: StoredObject): boolean =>
    (pod.spec as { nodeName?: string }).nodeName !== undefined;

  const most = mostInOneTurn(cluster, 'pods', () => access.list('pods', 'demo').every(isPlaced));

  expect(most).toBe(SLICE);
});

test('[found 6] a slice ends early when its steps take long', () => {
  const clock = new FakeClock();
  const slice = new Slice(clock);
  const done: number[] = [];

  const isDone = slice.forEach([1, 2, 3, 4], (item) => {
    done.push(item);
    clock.advance(8);
  });

  expect(isDone).toBe(false);
  expect(done).toEqual([1, 2]);
  expect(slice.isOver).toBe(true);
});

test('[found 6] a slice always runs at least one step, however long it takes, and throws the error of a step', () => {
  const clock = new FakeClock();
  const slice = new Slice(clock);
  const fail = (): never => {
    clock.advance(1_000);
    throw new Error('no');
  };

  expect(() => slice.step(fail)).toThrow('no');
  expect(slice.isOver).toBe(true);
});

test('[found 6] Pods that cannot change any more cause no further work for their controllers', () => {
  const cluster = simulatedCluster({ only: ['statefulSet', 'daemonSet'] });
  const { access, clock } = cluster;
  const spec = { replicas: 120, podManagementPolicy: 'Parallel', serviceName: 's' };
  access.create('statefulsets.apps', workload('StatefulSet', 'never-ready', spec));
  for (let at = 0; at < 60; at++) {
    const metadata = { name: `node-${at}` };
    access.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata });
  }
  const held = { metadata: { labels: { app: 'held' }, finalizers: ['a.example/b'] } };
  const template = {
    ...(workload('DaemonSet', 'held', {}).spec as { template: object }).template,
    ...held,
  };
  access.create('daemonsets.apps', workload('DaemonSet', 'held', { template }));
  clock.advance(0);

  // None of the nodes takes the daemon any more, and its Pods stay.
  access.patch('daemonsets.apps', 'demo', 'held', {
    spec: { template: { spec: { nodeSelector: { no: 'node' } } } },
  });
  clock.advance(0);

  const before = clock.scheduled;
  clock.advance(1_000);
  expect(count(cluster, 'pods')).toBe(180);
  expect(clock.scheduled - before).toBeLessThan(10);
});
