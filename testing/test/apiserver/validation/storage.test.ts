import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../support/validated.ts';

const CLAIM = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const IMMUTABLE =
  'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';

const CLAIMS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'no access modes',
    { 'spec.accessModes': [] },
    ['spec.accessModes: Required value: at least 1 access mode is required'],
  ],
  [
    'an unknown access mode',
    { 'spec.accessModes': ['Maybe'] },
    [
      'spec.accessModes: Unsupported value: "Maybe": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
  ],
  [
    'ReadWriteOncePod beside another access mode',
    { 'spec.accessModes': ['ReadWriteOncePod', 'ReadWriteOnce'] },
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  ['no size', { 'spec.resources': {} }, ['spec.resources[storage]: Required value']],
  [
    'a size of 0',
    { 'spec.resources.requests.storage': '0' },
    ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    'an unknown volumeMode',
    { 'spec.volumeMode': 'Tape' },
    ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
  ],
];

describe('[F-12] validation of a PersistentVolumeClaim', () => {
  test.each(
    CLAIMS,
  )('a PersistentVolumeClaim gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(CLAIM, changes))).toEqual(expected);
  });
});

const BOUND = changedBy(CLAIM, {
  'spec.volumeName': 'v',
  status: { phase: 'Bound', capacity: { storage: '1Gi' } },
});

describe('[F-12] updates of a PersistentVolumeClaim', () => {
  test('the volume of a claim can be set once, and nothing else can change', () => {
    const given = changedBy(CLAIM, { 'spec.volumeName': 'v' });

    expect(problemsOf(given, CLAIM)).toEqual([]);
    expect(problemsOf(changedBy(given, { 'spec.volumeName': 'w' }), given)).toEqual([
      // The difference follows at once, without the names of two files.
      expect.stringContaining(`${IMMUTABLE}@@ -`),
    ]);
  });

  test('the size of a bound claim can grow but not shrink', () => {
    const grown = changedBy(BOUND, { 'spec.resources.requests.storage': '2Gi' });
    const shrunk = changedBy(BOUND, { 'spec.resources.requests.storage': '512Mi' });

    expect(problemsOf(grown, BOUND)).toEqual([]);
    expect(problemsOf(shrunk, BOUND)).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
  });

  test('the size of an unbound claim cannot change', () => {
    const grown = changedBy(CLAIM, { 'spec.resources.requests.storage': '2Gi' });

    expect(problemsOf(grown, CLAIM)).toEqual([expect.stringContaining(IMMUTABLE)]);
  });
});

const VOLUME = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    hostPath: { path: '/data' },
  },
};

const VOLUMES: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'no source',
    { 'spec.hostPath': undefined },
    ['spec: Required value: must specify a volume type'],
  ],
  [
    'two sources',
    { 'spec.nfs': { server: 's', path: '/' } },
    ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'no capacity',
    { 'spec.capacity': undefined },
    [
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
    ],
  ],
  [
    'a negative capacity',
    { 'spec.capacity.storage': '-2' },
    [
      'spec.capacity[storage]: Invalid value: -2: must be a valid resource quantity',
      'spec.capacity[storage]: Invalid value: "-2": must be greater than zero',
    ],
  ],
  [
    'a CSI driver without a name, and a Secret without a namespace',
    {
      'spec.hostPath': undefined,
      'spec.csi': { volumeHandle: 'h', nodePublishSecretRef: { name: 's' } },
    },
    ['spec.csi.driver: Required value', 'spec.csi.nodePublishSecretRef.namespace: Required value'],
  ],
  [
    'a local path with a parent directory, and no node affinity',
    { 'spec.hostPath': undefined, 'spec.local': { path: '/a/../b' } },
    [
      'spec.local.path: Invalid value: "/a/../b": must not contain \'..\'',
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ],
  ],
  [
    'a node affinity without terms',
    { 'spec.nodeAffinity': { required: { nodeSelectorTerms: [] } } },
    [
      'spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
  ],
  [
    'a node affinity with invalid expressions',
    {
      'spec.nodeAffinity': {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: 'zone', operator: 'In' }],
              matchFields: [{ key: 'metadata.uid', operator: 'Exists' }],
            },
          ],
        },
      },
    },
    [
      "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key',
    ],
  ],
  [
    'the root directory of a node with reclaim policy Recycle',
    { 'spec.hostPath.path': '/', 'spec.persistentVolumeReclaimPolicy': 'Recycle' },
    [
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
  ],
  [
    'an iSCSI target with an invalid name and a LUN above 255',
    { 'spec.hostPath': undefined, 'spec.iscsi': { targetPortal: 'p', iqn: 'x', lun: 256 } },
    [
      'spec.iscsi.iqn: Invalid value: "x": must be valid format',
      'spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
    ],
  ],
];

describe('[F-12] validation of a PersistentVolume', () => {
  test.each(
    VOLUMES,
  )('a PersistentVolume gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(VOLUME, changes))).toEqual(expected);
  });

  test('the source of a PersistentVolume is immutable', () => {
    const moved = changedBy(VOLUME, { 'spec.hostPath.path': '/other' });

    expect(problemsOf(moved, VOLUME)).toEqual([
      expect.stringContaining(
        'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n',
      ),
    ]);
  });
});

test('[F-12] a StorageClass needs a provisioner, which is immutable', () => {
  const storageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 's' },
    provisioner: 'a.b/c',
  };

  expect(problemsOf(changedBy(storageClass, { provisioner: '' }))).toEqual([
    'provisioner: Required value',
  ]);
  expect(
    problemsOf(
      changedBy(storageClass, { provisioner: 'd.e/f', reclaimPolicy: 'Retain' }),
      storageClass,
    ),
  ).toEqual([
    'provisioner: Invalid value: "d.e/f": field is immutable',
    'reclaimPolicy: Invalid value: "Retain": field is immutable',
  ]);
});
