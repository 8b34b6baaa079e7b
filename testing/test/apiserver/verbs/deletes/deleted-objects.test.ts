/** What a deletion is answered with: `ReturnDeletedObject` in pkg/registry of Kubernetes. */
import { expect, test } from 'vitest';
import { startCluster } from '../../support/cluster.ts';

const CORE = '/api/v1/namespaces/default';
const STORAGE = '/apis/storage.k8s.io/v1/storageclasses';

test.each([
  ['Service', `${CORE}/services`, { spec: { ports: [{ port: 9 }] } }],
  ['ServiceAccount', `${CORE}/serviceaccounts`, {}],
  ['ResourceQuota', `${CORE}/resourcequotas`, { spec: { hard: { secrets: '4' } } }],
  ['StorageClass', STORAGE, { provisioner: 'disk.example/p' }],
])('the deletion of a %s returns the object as it was, without a deletionTimestamp', async (kind, path, fields) => {
  const { send } = await startCluster();
  const apiVersion = path === STORAGE ? 'storage.k8s.io/v1' : 'v1';
  await send('POST', path, { apiVersion, kind, metadata: { name: 'gone' }, ...fields });
  const { body: stored } = await send('GET', `${path}/gone`);

  const tried = await send('DELETE', `${path}/gone?dryRun=All`);
  const done = await send('DELETE', `${path}/gone`);

  expect([tried.status, tried.body]).toEqual([200, stored]);
  // The answer has the resourceVersion of the deletion.
  const resourceVersion = expect.stringMatching(/^\d+$/);
  const gone = { ...stored, metadata: { ...stored.metadata, resourceVersion } };
  expect([done.status, done.body]).toEqual([200, gone]);
  expect(stored.metadata).not.toHaveProperty('deletionTimestamp');
  expect((await send('GET', `${path}/gone`)).status).toBe(404);
});

test.each([
  ['ConfigMap', `${CORE}/configmaps`],
  ['Secret', `${CORE}/secrets`],
])('the deletion of a %s returns only a Status', async (kind, path) => {
  const { send } = await startCluster();
  await send('POST', path, { apiVersion: 'v1', kind, metadata: { name: 'gone' } });

  const { body } = await send('DELETE', `${path}/gone`);

  expect(body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'gone' } });
});

test('the deletion of a Service with a finalizer returns the Service marked for deletion', async () => {
  const { send } = await startCluster();
  const metadata = { name: 'kept', finalizers: ['mill.example/brake'] };
  await send('POST', `${CORE}/services`, {
    ...{ apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 9 }] } },
  });

  const { body } = await send('DELETE', `${CORE}/services/kept`);

  expect(body).toMatchObject({ kind: 'Service', metadata: { deletionGracePeriodSeconds: 0 } });
});
