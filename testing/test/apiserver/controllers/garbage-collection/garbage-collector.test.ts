/** The recorded ways of deleting an owner, one dependent each. */
import { expect, test } from 'vitest';
import { controllerReference } from '../../../../src/apiserver/controllers/pods/pod-template.ts';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { type SimulatedCluster, simulatedCluster, workload } from '../simulated-cluster.ts';

const CONFIG_MAPS = 'configmaps';

function configMap(
  { access }: SimulatedCluster,
  name: string,
  metadata: object = {},
): StoredObject {
  return access.create(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'demo', ...metadata },
  });
}

function ownedBy(...owners: readonly StoredObject[]): object {
  return { ownerReferences: owners.map((owner) => ({ ...controllerReference(owner) })) };
}

function get({ access }: SimulatedCluster, name: string): StoredObject | undefined {
  return access.get(CONFIG_MAPS, 'demo', name);
}

/** What became of the ConfigMaps, in order: `DELETED child`. */
function story({ events }: SimulatedCluster, from: number): readonly string[] {
  return events
    .slice(from)
    .filter(({ resource }) => resource === CONFIG_MAPS)
    .map(({ type, object }) => `${type} ${object.metadata.name}`);
}

function parentAndChild(cluster: SimulatedCluster): number {
  const parent = configMap(cluster, 'parent');
  configMap(cluster, 'child', ownedBy(parent));
  cluster.clock.advance(0);
  return cluster.events.length;
}

test('[F-7] with policy Background, the owner is deleted first, and its dependent afterwards', () => {
  const cluster = simulatedCluster();
  const from = parentAndChild(cluster);

  cluster.access.delete(CONFIG_MAPS, 'demo', 'parent', { propagationPolicy: 'Background' });
  cluster.clock.advance(0);

  expect(story(cluster, from)).toEqual(['DELETED parent', 'DELETED child']);
});

test('[F-7] with policy Foreground, the owner waits for the dependent that blocks its deletion', () => {
  const cluster = simulatedCluster();
  const from = parentAndChild(cluster);

  cluster.access.delete(CONFIG_MAPS, 'demo', 'parent', { propagationPolicy: 'Foreground' });
  const waiting = get(cluster, 'parent')?.metadata;
  cluster.clock.advance(0);

  expect(waiting?.finalizers).toEqual(['foregroundDeletion']);
  expect(story(cluster, from)).toEqual(['MODIFIED parent', 'DELETED child', 'DELETED parent']);
});

test('with policy Foreground, the owner does not wait for a dependent without blockOwnerDeletion', () => {
  const cluster = simulatedCluster();
  const parent = configMap(cluster, 'parent');
  const reference = { ...controllerReference(parent), blockOwnerDeletion: false };
  configMap(cluster, 'child', { ownerReferences: [reference], finalizers: ['x/hold'] });

  cluster.access.delete(CONFIG_MAPS, 'demo', 'parent', { propagationPolicy: 'Foreground' });
  cluster.clock.advance(0);

  expect(get(cluster, 'parent')).toBeUndefined();
  expect(get(cluster, 'child')?.metadata.deletionTimestamp).toBeDefined();
});

test('[F-7] with policy Orphan, the dependent loses its owner reference before the owner is deleted', () => {
  const cluster = simulatedCluster();
  const from = parentAndChild(cluster);

  cluster.access.delete(CONFIG_MAPS, 'demo', 'parent', { propagationPolicy: 'Orphan' });
  cluster.clock.advance(0);

  expect(story(cluster, from)).toEqual(['MODIFIED parent', 'MODIFIED child', 'DELETED parent']);
  expect(get(cluster, 'child')?.metadata).not.toHaveProperty('ownerReferences');
});

test('an object whose owner does not exist is deleted', () => {
  const cluster = simulatedCluster();
  const ghost = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: '1111' };

  configMap(cluster, 'child', { ownerReferences: [ghost] });
  cluster.clock.advance(0);

  expect(get(cluster, 'child')).toBeUndefined();
});

test("an object is deleted if the object with its owner's name has another uid", () => {
  const cluster = simulatedCluster();
  parentAndChild(cluster);
  cluster.access.delete(CONFIG_MAPS, 'demo', 'parent', { propagationPolicy: 'Orphan' });
  configMap(cluster, 'other');

  configMap(cluster, 'impostor', {
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: '1111' }],
  });
  cluster.clock.advance(0);

  expect(get(cluster, 'impostor')).toBeUndefined();
  expect(get(cluster, 'other')).toBeDefined();
});

test('an object with an owner of a kind that is not served is kept', () => {
  const cluster = simulatedCluster();
  const reference = { apiVersion: 'example.dev/v1', kind: 'Website', name: 'w', uid: '1111' };

  configMap(cluster, 'child', { ownerReferences: [reference] });
  cluster.clock.advance(1_000);

  expect(get(cluster, 'child')).toBeDefined();
});

test('a dependent of two owners loses the reference to the deleted owner, and is deleted when the last owner is deleted', () => {
  const cluster = simulatedCluster();
  const [one, two] = [configMap(cluster, 'one'), configMap(cluster, 'two')];
  const references = [
    { ...controllerReference(one) },
    { ...controllerReference(two), controller: false },
  ];
  configMap(cluster, 'child', { ownerReferences: references });

  cluster.access.delete(CONFIG_MAPS, 'demo', 'one');
  cluster.clock.advance(0);

  expect(get(cluster, 'child')?.metadata.ownerReferences).toMatchObject([{ name: 'two' }]);

  cluster.access.delete(CONFIG_MAPS, 'demo', 'two');
  cluster.clock.advance(0);

  expect(get(cluster, 'child')).toBeUndefined();
});

test('an object is deleted if its owner is missing when the controllers start', () => {
  const cluster = simulatedCluster({}, (access) => {
    const ghost = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: '1111' };
    const metadata = { name: 'child', namespace: 'demo', ownerReferences: [ghost] };
    access.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  });

  cluster.clock.advance(0);

  expect(get(cluster, 'child')).toBeUndefined();
});

test('a Deployment deleted with policy Foreground disappears after its ReplicaSet and Pods', () => {
  const cluster = simulatedCluster({ podStopMs: 300 });
  cluster.access.create('deployments.apps', workload('Deployment', 'webapp', { replicas: 2 }));
  cluster.clock.advance(1_000);
  const from = cluster.events.length;

  cluster.access.delete('deployments.apps', 'demo', 'webapp', { propagationPolicy: 'Foreground' });
  cluster.clock.advance(299);
  const held = cluster.access.get('deployments.apps', 'demo', 'webapp');
  cluster.clock.advance(1);

  expect(held?.metadata.finalizers).toEqual(['foregroundDeletion']);
  const gone = cluster.events.slice(from).filter(({ type }) => type === 'DELETED');
  expect(gone.map(({ object }) => object.kind)).toEqual(['Pod', 'Pod', 'ReplicaSet', 'Deployment']);
  cluster.clock.advance(30_000); // the server itself looks once more when the grace period ends
  expect(cluster.clock.pending).toBe(0);
});

test('a new ReplicaSet adopts the Pods that its deleted predecessor orphaned', () => {
  const cluster = simulatedCluster();
  cluster.access.create('replicasets.apps', workload('ReplicaSet', 'webapp', { replicas: 2 }));
  cluster.clock.advance(1_000);
  const before = cluster.access.list('pods', 'demo').map(({ metadata }) => metadata.uid);

  cluster.access.delete('replicasets.apps', 'demo', 'webapp', { propagationPolicy: 'Orphan' });
  cluster.clock.advance(0);
  const set = workload('ReplicaSet', 'webapp', { replicas: 2 });
  const { uid } = cluster.access.create('replicasets.apps', set).metadata;
  cluster.clock.advance(1_000);

  const pods = cluster.access.list('pods', 'demo');
  expect(pods.map(({ metadata }) => metadata.uid)).toEqual(before);
  expect(pods.every(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid)).toBe(true);
});

test('[F-7] an object with an owner in another namespace is deleted, and an Event gives the reason', () => {
  const cluster = simulatedCluster();
  cluster.access.create('namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'other' },
  });
  const owner = cluster.access.create(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'owner', namespace: 'other' },
  });

  configMap(cluster, 'child', ownedBy(owner));
  cluster.clock.advance(0);

  expect(get(cluster, 'child')).toBeUndefined();
  expect(cluster.access.get(CONFIG_MAPS, 'other', 'owner')).toBeDefined();
  const { uid } = owner.metadata;
  expect(cluster.access.list('events', 'demo')).toMatchObject([
    {
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [v1/ConfigMap, namespace: demo, name: owner, uid: ${uid}] does not exist in namespace "demo"`,
      source: { component: 'garbage-collector-controller' },
    },
  ]);
});

test('[F-7] no Event reports an owner that no longer exists', () => {
  const cluster = simulatedCluster();
  const ghost = { ...configMap(cluster, 'ghost') };
  cluster.access.delete(CONFIG_MAPS, 'demo', 'ghost');

  configMap(cluster, 'child', ownedBy(ghost));
  cluster.clock.advance(0);

  expect(get(cluster, 'child')).toBeUndefined();
  expect(cluster.access.list('events', 'demo')).toEqual([]);
});

test('[F-7] the deletion of two objects that own each other does not deadlock', () => {
  const cluster = simulatedCluster();
  const first = configMap(cluster, 'first');
  const second = configMap(cluster, 'second', ownedBy(first));
  cluster.access.patch(CONFIG_MAPS, 'demo', 'first', { metadata: ownedBy(second) });
  cluster.clock.advance(0);

  cluster.access.delete(CONFIG_MAPS, 'demo', 'first', { propagationPolicy: 'Foreground' });
  cluster.clock.advance(60_000);

  expect(get(cluster, 'first')).toBeUndefined();
  expect(get(cluster, 'second')).toBeUndefined();
  expect(cluster.clock.pending).toBe(0);
});
