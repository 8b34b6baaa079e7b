import { expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const CORE = '/api/v1/namespaces/default';
const CLAIM = `${CORE}/persistentvolumeclaims/data`;
const CLASSES = '/apis/storage.k8s.io/v1/volumeattributesclasses';

async function addClaim({ send }: TestCluster, more: object = {}): Promise<void> {
  const resources = { requests: { storage: '1Gi' } };
  const spec = { accessModes: ['ReadWriteOnce'], resources, ...more };
  await send('POST', `${CORE}/persistentvolumeclaims`, { metadata: { name: 'data' }, spec });
}

async function addPod({ send }: TestCluster, nodeName: string | undefined): Promise<void> {
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  const containers = [{ name: 'c', image: 'i' }];
  const pod = { metadata: { name: 'user' }, spec: { nodeName, volumes, containers } };
  await send('POST', `${CORE}/pods`, pod);
}

async function addVolume({ send }: TestCluster): Promise<void> {
  const spec = {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    hostPath: { path: '/data' },
  };
  await send('POST', '/api/v1/persistentvolumes', { metadata: { name: 'disk' }, spec });
}

async function finalizersAt({ send }: TestCluster, path: string): Promise<readonly string[]> {
  const { body } = await send('GET', path);
  return body.metadata.finalizers;
}

test('claims, volumes and VolumeAttributesClasses get a protection finalizer, and keep their other finalizers', async () => {
  const cluster = await startCluster();
  await addClaim(cluster);
  await addVolume(cluster);
  await cluster.send('POST', CLASSES, {
    metadata: { name: 'fast', finalizers: ['example.com/mine'] },
    driverName: 'disk.example.com',
    parameters: { iops: '100' },
  });

  expect(await finalizersAt(cluster, CLAIM)).toEqual(['kubernetes.io/pvc-protection']);
  expect(await finalizersAt(cluster, '/api/v1/persistentvolumes/disk')).toEqual([
    'kubernetes.io/pv-protection',
  ]);
  expect(await finalizersAt(cluster, `${CLASSES}/fast`)).toEqual([
    'example.com/mine',
    'kubernetes.io/vac-protection',
  ]);
});

test('a claim that no scheduled Pod uses is deleted at once', async () => {
  const cluster = await startCluster();
  await addClaim(cluster);
  await addPod(cluster, undefined);

  const { status, body } = await cluster.send('DELETE', CLAIM);

  expect([status, body.metadata.deletionTimestamp]).toEqual([200, expect.any(String)]);
  expect((await cluster.send('GET', CLAIM)).status).toBe(404);
});

test('a deleted claim stays while a Pod on a node uses it', async () => {
  const cluster = await startCluster();
  await addClaim(cluster);
  await addPod(cluster, 'node-a');
  await cluster.send('DELETE', CLAIM);
  const meanwhile = await cluster.send('GET', CLAIM);

  await cluster.send('DELETE', `${CORE}/pods/user`, { gracePeriodSeconds: 0 });

  expect(meanwhile.body.metadata).toMatchObject({
    deletionTimestamp: expect.any(String),
    finalizers: ['kubernetes.io/pvc-protection'],
  });
  expect((await cluster.send('GET', CLAIM)).status).toBe(404);
});

test('a deleted volume stays while it is bound', async () => {
  const cluster = await startCluster();
  await addVolume(cluster);
  const path = '/api/v1/persistentvolumes/disk';
  await cluster.send('PATCH', `${path}/status`, { status: { phase: 'Bound' } });
  await cluster.send('DELETE', path);
  const meanwhile = await cluster.send('GET', path);

  await cluster.send('PATCH', `${path}/status`, { status: { phase: 'Released' } });

  expect(meanwhile.status).toBe(200);
  expect((await cluster.send('GET', path)).status).toBe(404);
});

test('a deleted VolumeAttributesClass stays while a claim refers to it', async () => {
  const cluster = await startCluster();
  const parameters = { iops: '100' };
  const driverName = 'disk.example.com';
  await cluster.send('POST', CLASSES, { metadata: { name: 'fast' }, driverName, parameters });
  await addClaim(cluster, { volumeAttributesClassName: 'fast' });
  await cluster.send('DELETE', `${CLASSES}/fast`);
  const meanwhile = await cluster.send('GET', `${CLASSES}/fast`);

  await cluster.send('DELETE', CLAIM);

  expect(meanwhile.status).toBe(200);
  expect((await cluster.send('GET', `${CLASSES}/fast`)).status).toBe(404);
});
