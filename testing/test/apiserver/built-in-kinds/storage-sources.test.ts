/** What claims are filled from, volumes inside of attachments, and containers without names. */
import { describe, expect, test } from 'vitest';
import { startCluster } from '../support/cluster.ts';

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';

function claim(spec: object): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'disk' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  };
}

const FOREIGN = { apiGroup: 'fill.test', kind: 'Backup', name: 'b' };
const SNAPSHOT = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
const ANOTHER = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'c' };

describe('the data source of a new claim', () => {
  test.each([
    [
      'a snapshot in dataSource has it in both fields',
      { dataSource: SNAPSHOT },
      SNAPSHOT,
      SNAPSHOT,
    ],
    [
      'a claim in dataSourceRef has it in both fields',
      { dataSourceRef: ANOTHER },
      ANOTHER,
      ANOTHER,
    ],
    ['a foreign kind in dataSource loses it', { dataSource: FOREIGN }, undefined, undefined],
    [
      'a snapshot of another group loses it',
      { dataSource: { ...SNAPSHOT, apiGroup: 'fill.test' } },
      undefined,
      undefined,
    ],
    [
      'a foreign kind in dataSourceRef has it in both fields',
      { dataSourceRef: FOREIGN },
      FOREIGN,
      FOREIGN,
    ],
    [
      'a foreign kind in both fields keeps it',
      { dataSource: FOREIGN, dataSourceRef: FOREIGN },
      FOREIGN,
      FOREIGN,
    ],
  ])('a new claim with %s', async (_what, spec, source, reference) => {
    const { send } = await startCluster();

    const { status, body } = await send('POST', CLAIMS, claim(spec));

    expect(status).toBe(201);
    expect([body.spec.dataSource, body.spec.dataSourceRef]).toEqual([source, reference]);
  });

  test('a data source in another namespace is kept only in dataSourceRef', async () => {
    const { send } = await startCluster();
    const dataSourceRef = { ...FOREIGN, namespace: 'archive' };

    const { body } = await send('POST', CLAIMS, claim({ dataSourceRef }));

    expect(body.spec.dataSource).toBeUndefined();
    expect(body.spec.dataSourceRef).toEqual(dataSourceRef);
  });
});

test('an update that omits dataSourceRef keeps the data source, even a data source of an unknown kind', async () => {
  const { send } = await startCluster();
  const { body: made } = await send('POST', CLAIMS, claim({ dataSourceRef: FOREIGN }));
  const { dataSourceRef: _, ...spec } = made.spec;

  const { status, body } = await send('PUT', `${CLAIMS}/disk`, {
    ...made,
    metadata: { ...made.metadata, labels: { seen: 'yes' } },
    spec,
  });

  expect(status).toBe(200);
  expect([body.spec.dataSource, body.spec.dataSourceRef]).toEqual([FOREIGN, FOREIGN]);
});

test('a claim without a data source cannot later get a data source that the API server does not know', async () => {
  const { send } = await startCluster();
  await send('POST', CLAIMS, claim({}));

  const { status, body } = await send('PATCH', `${CLAIMS}/disk`, { spec: { dataSource: FOREIGN } });

  expect([status, body.spec.dataSource]).toEqual([200, undefined]);
});

test('the data source in a volumeClaimTemplate is stored unchanged', async () => {
  const { send } = await startCluster();
  const { body } = await send('POST', '/apis/apps/v1/namespaces/default/statefulsets', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
      volumeClaimTemplates: [claim({ dataSource: FOREIGN })],
    },
  });

  const [template] = body.spec.volumeClaimTemplates;
  expect([template.spec.dataSource, template.spec.dataSourceRef]).toEqual([FOREIGN, undefined]);
  expect(template.spec.volumeMode).toBe('Filesystem');
});

test('the inline volume of an attachment gets only the defaults of its volume source', async () => {
  const { send } = await startCluster();
  const { status, body } = await send('POST', '/apis/storage.k8s.io/v1/volumeattachments', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'a' },
    spec: {
      attacher: 'disks.test',
      nodeName: 'n',
      source: {
        inlineVolumeSpec: {
          accessModes: ['ReadWriteOnce'],
          capacity: {},
          csi: { driver: 'disks.test', volumeHandle: 'h' },
        },
      },
    },
  });

  expect(status).toBe(201);
  expect(body.spec.source.inlineVolumeSpec).toEqual({
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'disks.test', volumeHandle: 'h' },
  });
});

test('an inline volume with an unsupported source is refused after its defaults are set', async () => {
  const { send } = await startCluster();
  const { body } = await send('POST', '/apis/storage.k8s.io/v1/volumeattachments?dryRun=All', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: 'a' },
    spec: {
      attacher: 'disks.test',
      nodeName: 'n',
      source: {
        inlineVolumeSpec: {
          accessModes: ['ReadWriteOnce'],
          iscsi: { targetPortal: '1.2.3.4:3260', iqn: 'iqn.2001-04.test:d', lun: 0 },
        },
      },
    },
  });

  expect(body.details.causes).toContainEqual({
    reason: 'FieldValueRequired',
    message: 'Required value: has to be specified in the context of inline volumes',
    field: 'spec.source.inlineVolumeSpec.csi',
  });
  expect(body.message).not.toContain('iscsiInterface');
});

describe('containers without names', () => {
  const podOf = (spec: object): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec,
  });
  const nameless = { image: 'i' };

  test.each([
    ['two containers', { containers: [nameless, nameless] }, ['containers[1]']],
    [
      'three containers',
      { containers: [nameless, nameless, nameless] },
      ['containers[1]', 'containers[2]'],
    ],
    [
      'a container and an init container',
      { containers: [nameless], initContainers: [nameless] },
      ['initContainers[0]'],
    ],
    [
      'two init containers beside a named container',
      { containers: [{ name: 'c', image: 'i' }], initContainers: [nameless, nameless] },
      [],
    ],
  ])('containers without names cause errors about a missing name and about a duplicate name: %s', async (_what, spec, repeated) => {
    const { send } = await startCluster();

    const { status, body } = await send('POST', '/api/v1/namespaces/default/pods', podOf(spec));

    const causes = body.details.causes.filter(
      ({ reason }: { reason: string }) => reason === 'FieldValueDuplicate',
    );
    expect(status).toBe(422);
    expect(causes).toEqual(
      repeated.map((at) => ({
        reason: 'FieldValueDuplicate',
        message: 'Duplicate value: ""',
        field: `spec.${at}.name`,
      })),
    );
  });
});
