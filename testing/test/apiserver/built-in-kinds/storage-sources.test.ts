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

describe('a new claim', () => {
  test.each([
    ['a snapshot in the older field has it in both', { dataSource: SNAPSHOT }, SNAPSHOT, SNAPSHOT],
    ['a claim in the newer field has it in both', { dataSourceRef: ANOTHER }, ANOTHER, ANOTHER],
    ['another kind in the older field has none', { dataSource: FOREIGN }, undefined, undefined],
    [
      'a snapshot of another group has none',
      { dataSource: { ...SNAPSHOT, apiGroup: 'fill.test' } },
      undefined,
      undefined,
    ],
    [
      'another kind in the newer field has it in both',
      { dataSourceRef: FOREIGN },
      FOREIGN,
      FOREIGN,
    ],
    [
      'another kind in both fields keeps it',
      { dataSource: FOREIGN, dataSourceRef: FOREIGN },
      FOREIGN,
      FOREIGN,
    ],
  ])('with %s', async (_what, spec, source, reference) => {
    const { send } = await startCluster();

    const { status, body } = await send('POST', CLAIMS, claim(spec));

    expect(status).toBe(201);
    expect([body.spec.dataSource, body.spec.dataSourceRef]).toEqual([source, reference]);
  });

  test('of another namespace has it in the newer field alone', async () => {
    const { send } = await startCluster();
    const dataSourceRef = { ...FOREIGN, namespace: 'archive' };

    const { body } = await send('POST', CLAIMS, claim({ dataSourceRef }));

    expect(body.spec.dataSource).toBeUndefined();
    expect(body.spec.dataSourceRef).toEqual(dataSourceRef);
  });
});

test('an older client may leave out the newer field, also of a foreign source', async () => {
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

test('a claim without a source gets no foreign one later', async () => {
  const { send } = await startCluster();
  await send('POST', CLAIMS, claim({}));

  const { status, body } = await send('PATCH', `${CLAIMS}/disk`, { spec: { dataSource: FOREIGN } });

  expect([status, body.spec.dataSource]).toEqual([200, undefined]);
});

test('the template of a claim stays as it was written', async () => {
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

test('the volume inside of an attachment has the defaults of what it is made of, and no others', async () => {
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

test('an inline volume of another source is refused with its defaults in place', async () => {
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
    ['two of them', { containers: [nameless, nameless] }, ['containers[1]']],
    [
      'three of them',
      { containers: [nameless, nameless, nameless] },
      ['containers[1]', 'containers[2]'],
    ],
    [
      'one, and an init container',
      { containers: [nameless], initContainers: [nameless] },
      ['initContainers[0]'],
    ],
    [
      'two init containers beside one with a name',
      { containers: [{ name: 'c', image: 'i' }], initContainers: [nameless, nameless] },
      [],
    ],
  ])('%s: the same name is told beside the missing one', async (_what, spec, repeated) => {
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
