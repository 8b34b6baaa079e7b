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
    'no modes',
    { 'spec.accessModes': [] },
    ['spec.accessModes: Required value: at least 1 access mode is required'],
  ],
  [
    'an unknown mode',
    { 'spec.accessModes': ['Maybe'] },
    [
      'spec.accessModes: Unsupported value: "Maybe": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
  ],
  [
    'a mode that wants to be alone',
    { 'spec.accessModes': ['ReadWriteOncePod', 'ReadWriteOnce'] },
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  ['no size', { 'spec.resources': {} }, ['spec.resources[storage]: Required value']],
  [
    'nothing',
    { 'spec.resources.requests.storage': '0' },
    ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    'an unknown mode of volume',
    { 'spec.volumeMode': 'Tape' },
    ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
  ],
];

describe('[F-12] PersistentVolumeClaim', () => {
  test.each(CLAIMS)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(CLAIM, changes))).toEqual(expected);
  });
});

const BOUND = changedBy(CLAIM, {
  'spec.volumeName': 'v',
  status: { phase: 'Bound', capacity: { storage: '1Gi' } },
});

describe('[F-12] what may change in a claim', () => {
  test('nothing but its volume, once', () => {
    const given = changedBy(CLAIM, { 'spec.volumeName': 'v' });

    expect(problemsOf(given, CLAIM)).toEqual([]);
    expect(problemsOf(changedBy(given, { 'spec.volumeName': 'w' }), given)).toEqual([
      // The difference follows at once, without the names of two files.
      expect.stringContaining(`${IMMUTABLE}@@ -`),
    ]);
  });

  test('its size, when it is bound, and only up', () => {
    const grown = changedBy(BOUND, { 'spec.resources.requests.storage': '2Gi' });
    const shrunk = changedBy(BOUND, { 'spec.resources.requests.storage': '512Mi' });

    expect(problemsOf(grown, BOUND)).toEqual([]);
    expect(problemsOf(shrunk, BOUND)).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
  });

  test('not its size before', () => {
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
  ['no capacity', { 'spec.capacity': {} }, ['spec.capacity: Required value']],
];

describe('[F-12] PersistentVolume', () => {
  test.each(VOLUMES)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(VOLUME, changes))).toEqual(expected);
  });

  test('its source stays', () => {
    const moved = changedBy(VOLUME, { 'spec.hostPath.path': '/other' });

    expect(problemsOf(moved, VOLUME)).toEqual([
      expect.stringContaining(
        'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n',
      ),
    ]);
  });
});

test('[F-12] a StorageClass needs a provisioner, and keeps it', () => {
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
    'provisioner: Forbidden: updates to provisioner are forbidden.',
    'reclaimPolicy: Invalid value: "Retain": field is immutable',
  ]);
});
