/** What every namespace has as soon as controllers run. */
import { expect, test } from 'vitest';
import { simulatedCluster } from '../simulated-cluster.ts';

test('every namespace, even one that is created later, gets a ServiceAccount and the cluster certificate', () => {
  const { access, clock } = simulatedCluster();
  clock.advance(0);

  access.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late' } });
  clock.advance(0);

  for (const namespace of ['demo', 'late']) {
    expect(access.get('serviceaccounts', namespace, 'default')).toBeDefined();
    expect(access.get('configmaps', namespace, 'kube-root-ca.crt')).toMatchObject({
      metadata: {
        managedFields: [{ manager: 'kube-controller-manager', operation: 'Update' }],
        annotations: { 'kubernetes.io/description': expect.stringContaining('CA bundle') },
      },
      data: { 'ca.crt': expect.stringContaining('BEGIN CERTIFICATE') },
    });
  }
});

test('a deleted ServiceAccount and an overwritten cluster certificate are restored', () => {
  const { access, clock } = simulatedCluster();
  clock.advance(0);
  const before = access.get('configmaps', 'demo', 'kube-root-ca.crt')?.data;

  access.delete('serviceaccounts', 'demo', 'default');
  access.patch('configmaps', 'demo', 'kube-root-ca.crt', { data: { 'ca.crt': 'mine' } });
  clock.advance(0);

  expect(access.get('serviceaccounts', 'demo', 'default')).toBeDefined();
  expect(access.get('configmaps', 'demo', 'kube-root-ca.crt')?.data).toEqual(before);
});

test('a terminating namespace loses its default objects, and they are not created again', () => {
  const { access, clock } = simulatedCluster();
  clock.advance(0);

  access.delete('namespaces', undefined, 'demo');
  clock.advance(60_000);

  expect(access.get('namespaces', undefined, 'demo')).toBeUndefined();
  expect(access.list('serviceaccounts', 'demo')).toEqual([]);
  expect(access.list('configmaps', 'demo')).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('the service account controller can run alone, without the certificate controller', () => {
  const { access, clock } = simulatedCluster({ only: ['serviceAccount'] });

  clock.advance(0);

  expect(access.list('serviceaccounts', 'demo')).toHaveLength(1);
  expect(access.list('configmaps', 'demo')).toEqual([]);
});
