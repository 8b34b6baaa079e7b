import { expect, test } from 'vitest';
import { simulatedCluster, workload } from '../simulated-cluster.ts';

test('[F-7] a deleted namespace disappears after everything in it', () => {
  const cluster = simulatedCluster({ podStopMs: 300 });
  cluster.access.create('deployments.apps', workload('Deployment', 'webapp', { replicas: 2 }));
  cluster.clock.advance(1_000);

  cluster.access.delete('namespaces', undefined, 'demo');
  cluster.clock.advance(299);
  const terminating = cluster.access.get('namespaces', undefined, 'demo');
  cluster.clock.advance(1);

  expect(terminating?.status).toMatchObject({
    phase: 'Terminating',
    conditions: [
      { type: 'NamespaceDeletionDiscoveryFailure', status: 'False' },
      { type: 'NamespaceDeletionGroupVersionParsingFailure', status: 'False' },
      { type: 'NamespaceDeletionContentFailure', status: 'False' },
      {
        type: 'NamespaceContentRemaining',
        status: 'True',
        message: 'Some resources are remaining: pods. has 2 resource instances',
      },
      { type: 'NamespaceFinalizersRemaining', status: 'False' },
    ],
  });
  expect(cluster.access.get('namespaces', undefined, 'demo')).toBeUndefined();
  expect(cluster.access.list('pods')).toEqual([]);
  expect(cluster.access.list('deployments.apps')).toEqual([]);
  cluster.clock.advance(30_000); // the server itself looks once more when the grace period ends
  expect(cluster.clock.pending).toBe(0);
});

test('[F-7] an object with a finalizer blocks its terminating namespace, and the status contains the finalizer', () => {
  const cluster = simulatedCluster();
  const metadata = { name: 'held', namespace: 'demo', finalizers: ['example.dev/hold'] };
  cluster.access.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata });

  cluster.access.delete('namespaces', undefined, 'demo');
  cluster.clock.advance(3_600_000);

  expect(cluster.access.get('namespaces', undefined, 'demo')?.status).toMatchObject({
    conditions: [
      {},
      {},
      {},
      { type: 'NamespaceContentRemaining', status: 'True' },
      {
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        message: expect.stringContaining('example.dev/hold in 1 resource instances'),
      },
    ],
  });
  expect(cluster.clock.pending).toBe(0);

  cluster.access.patch('configmaps', 'demo', 'held', { metadata: { finalizers: null } });
  cluster.clock.advance(0);

  expect(cluster.access.get('namespaces', undefined, 'demo')).toBeUndefined();
});

test('an empty namespace is deleted at once, and other namespaces stay', () => {
  const cluster = simulatedCluster();
  const metadata = { name: 'other' };
  cluster.access.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });

  cluster.access.delete('namespaces', undefined, 'demo');
  cluster.clock.advance(0);

  expect(cluster.access.list('namespaces').map((object) => object.metadata.name)).toEqual([
    'other',
  ]);
});

test('a terminating namespace deletes its Pods first, and nothing replaces them', () => {
  const cluster = simulatedCluster({ podStopMs: 300 });
  cluster.access.create('deployments.apps', workload('Deployment', 'webapp', { replicas: 2 }));
  cluster.clock.advance(1_000);
  const from = cluster.events.length;

  cluster.access.delete('namespaces', undefined, 'demo');
  cluster.clock.advance(60_000);

  const gone = cluster.events
    .slice(from)
    .filter(({ type, resource }) => type === 'DELETED' && resource !== 'events')
    .map(({ resource }) => resource);
  expect(gone.slice(0, 2)).toEqual(['pods', 'pods']);
  expect(gone.at(-1)).toBe('namespaces');
  expect(cluster.events.slice(from).map(({ type }) => type)).not.toContain('ADDED');
  // That nothing can be made is no failure of the ReplicaSet.
  expect(JSON.stringify(cluster.events.slice(from))).not.toContain('ReplicaFailure');
});
