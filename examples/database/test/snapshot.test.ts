/** What is taken of volumes by their storage, before they go. */

import { consistently, eventually, FakeClock } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { PersistentVolumeClaim } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { conditionOf, type DbPlace, isReady, startDb } from './place.ts';

const orders = {
  apiVersion: 'example.dev/v1',
  kind: 'SampleDB',
  metadata: { name: 'orders' },
  spec: {
    image: 'postgres:17.1',
    replicas: 2,
    storage: { size: '1Gi', retain: 'Delete' },
    snapshotOnDelete: 'VolumeSnapshot',
  },
};

const claims = ({ env, namespace }: DbPlace) =>
  env.list<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim', namespace);

test('a VolumeSnapshot is taken of each volume, and no volume is deleted before its snapshot is ready', async () => {
  const clock = new FakeClock(Date.now());
  const place = await startDb({ clock, ownCluster: true });
  await place.env.apply([definition]);
  await place.apply([orders]);
  await place.until(isReady);
  const tell = async (claim: string, status: object) => {
    const found = await eventually(async () =>
      (await list(place)).find(({ metadata }) => metadata.name.startsWith(`${claim}-`)),
    );
    const [version, kind] = ['snapshot.storage.k8s.io/v1', 'VolumeSnapshot'];
    const { name } = found.metadata;
    await place.env.patch(version, kind, place.namespace, name, { status }, 'status');
  };

  await place.env.delete('example.dev/v1', 'SampleDB', place.namespace, 'orders');
  await tell('data-orders-0', { error: { message: 'x'.repeat(50_000) } });
  const failed = await eventually(async () => {
    clock.advance(1_000);
    const live = await place.db();
    return live && conditionOf(live, 'SnapshotFailed')?.status === 'True' && live;
  });
  await tell('data-orders-0', { readyToUse: true, error: null });
  await consistently(async () => (await claims(place)).length === 2);
  await tell('data-orders-1', { readyToUse: true });
  await eventually(async () => {
    clock.advance(1_000);
    return (await place.db()) === undefined;
  });

  expect(conditionOf(failed, 'SnapshotFailed')?.message).toHaveLength(1_000); // of 50,000
  expect(await claims(place)).toEqual([]);
  expect(await list(place)).toHaveLength(2);
});

/** As the snapshot controller's, as far as it matters here. */
const definition: KubernetesObject & { readonly spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'volumesnapshots.snapshot.storage.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
  },
  spec: {
    group: 'snapshot.storage.k8s.io',
    names: { plural: 'volumesnapshots', kind: 'VolumeSnapshot' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};
const list = ({ env, namespace }: DbPlace) =>
  env.list('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', namespace);
