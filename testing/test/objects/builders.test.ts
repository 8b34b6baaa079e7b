import { expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { configMap, customResource, secret } from '../../src/objects/config.ts';
import { ownerReference } from '../../src/objects/metadata.ts';
import {
  daemonSet,
  deployment,
  job,
  pod,
  service,
  statefulSet,
} from '../../src/objects/workloads.ts';

const namespace = 'default';

test.each([
  configMap('a', { namespace }),
  secret('a', { namespace, stringData: { k: 'v' } }),
  pod('a', { namespace }),
  deployment('a', { namespace }),
  statefulSet('a', { namespace }),
  daemonSet('a', { namespace }),
  job('a', { namespace }),
  service('a', { namespace }),
  customResource('v1', 'Namespace', 'a'),
])('[T-4] the server accepts a $kind built with only a name', async (object) => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());

  const created = server.create(object);

  expect(created).toMatchObject({ kind: object.kind, metadata: { name: 'a' } });
});

test('a builder puts metadata fields into metadata, and does not move other fields', () => {
  const labels = { app: 'a' };

  expect(configMap('a', { namespace, labels, data: { k: '1' } })).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace, labels },
    data: { k: '1' },
  });
  expect(
    customResource('example.com/v1', 'Thing', 'a', { finalizers: ['x/y'], spec: { n: 1 } }),
  ).toEqual({
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'a', finalizers: ['x/y'] },
    spec: { n: 1 },
  });
});

test('a built workload selects the Pods that it creates', () => {
  const { spec } = deployment('web', { replicas: 3, podLabels: { tier: 'front' } });

  expect(spec.replicas).toBe(3);
  expect(spec.selector.matchLabels).toEqual({ tier: 'front' });
  expect(spec.template.metadata.labels).toEqual({ tier: 'front' });
  expect(deployment('web').spec.selector.matchLabels).toEqual({ app: 'web' });
  expect(daemonSet('web').spec).not.toHaveProperty('replicas');
});

test('ownerReference returns a reference that marks the owner as the controller', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const owner = server.create(configMap('owner', { namespace }));

  expect(ownerReference(owner)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'owner',
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  });
});
