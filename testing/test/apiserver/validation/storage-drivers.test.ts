import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../support/validated.ts';

const LABEL =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const DRIVER = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'disk.example.com' },
  spec: {},
};

const DRIVERS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'an unknown fsGroupPolicy',
    { 'spec.fsGroupPolicy': 'Always' },
    [
      'spec.fsGroupPolicy: Unsupported value: "Always": supported values: "File", "None", "ReadWriteOnceWithFSType"',
    ],
  ],
  [
    'an unknown volume lifecycle mode',
    { 'spec.volumeLifecycleModes': ['Persistent', 'Brief'] },
    [
      'spec.volumeLifecycleModes: Unsupported value: "Brief": supported values: "Persistent", "Ephemeral"',
    ],
  ],
  [
    'token requests with a duplicate audience and wrong durations',
    {
      'spec.tokenRequests': [
        { audience: 'a', expirationSeconds: 59 },
        { audience: 'a' },
        { audience: 'b', expirationSeconds: 4_294_967_297 },
      ],
    },
    [
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 59: may not specify a duration less than 10 minutes',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.tokenRequests[2].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
  ],
  [
    'a period that is too short',
    { 'spec.nodeAllocatableUpdatePeriodSeconds': 9 },
    [
      'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds',
    ],
  ],
];

describe('validation of a CSIDriver', () => {
  test.each(
    DRIVERS,
  )('a CSIDriver gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(DRIVER, changes))).toEqual(expected);
  });

  test('the attachRequired of a CSIDriver is immutable', () => {
    expect(problemsOf(changedBy(DRIVER, { 'spec.attachRequired': false }), DRIVER)).toEqual([
      'spec.attachedRequired: Invalid value: false: field is immutable',
    ]);
  });
});

const ATTACHMENT = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: 'a' },
  spec: { attacher: 'disk.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
};

const INLINE = {
  accessModes: ['ReadWriteOnce'],
  csi: { driver: 'disk.example.com', volumeHandle: 'h' },
};

const ATTACHMENTS: readonly Row[] = [
  ['nothing wrong', {}, []],
  ['nothing wrong, with an inline volume', { 'spec.source': { inlineVolumeSpec: INLINE } }, []],
  [
    'no source, no driver and no node',
    { spec: {} },
    [
      'spec.attacher: Required value',
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      `spec.nodeName: Invalid value: "": ${LABEL}`,
    ],
  ],
  [
    'two sources',
    { 'spec.source.inlineVolumeSpec': INLINE },
    [
      'spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ],
  ],
  [
    'forbidden fields of an inline volume',
    {
      'spec.source': {
        inlineVolumeSpec: { ...INLINE, storageClassName: 'fast', capacity: { storage: '1Gi' } },
      },
    },
    [
      'spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes',
    ],
  ],
];

describe('validation of a VolumeAttachment', () => {
  test.each(
    ATTACHMENTS,
  )('a VolumeAttachment gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(ATTACHMENT, changes))).toEqual(expected);
  });

  test('the spec of a VolumeAttachment is immutable', () => {
    expect(problemsOf(changedBy(ATTACHMENT, { 'spec.nodeName': 'm' }), ATTACHMENT)).toEqual([
      'spec: Invalid value: {"Attacher":"disk.example.com","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
    ]);
  });
});

const NODE = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name: 'n' },
  spec: { drivers: [{ name: 'a.example.com', nodeID: 'i' }] },
};

test('each driver of a CSINode needs a unique name and a nodeID', () => {
  const drivers = [
    { name: 'a.example.com', nodeID: '' },
    { name: 'a.example.com', nodeID: 'j', allocatable: { count: -1 } },
  ];

  expect(problemsOf(changedBy(NODE, { 'spec.drivers': drivers }))).toEqual([
    'spec.drivers[0].nodeID: Required value',
    'spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
    'spec.drivers[1].name: Duplicate value: "a.example.com"',
  ]);
});

const CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttributesClass',
  metadata: { name: 'c' },
  driverName: 'disk.example.com',
  parameters: { iops: '9' },
};

test('a VolumeAttributesClass needs parameters, which are immutable', () => {
  expect(problemsOf(changedBy(CLASS, { parameters: {} }))).toEqual([
    'parameters: Required value: must contain at least one key/value pair',
  ]);
  expect(problemsOf(changedBy(CLASS, { 'parameters.iops': '8' }), CLASS)).toEqual([
    'parameters: Forbidden: updates to parameters are forbidden.',
  ]);
});

const CAPACITY = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIStorageCapacity',
  metadata: { name: 'c', namespace: 'default' },
  storageClassName: 'fast',
  capacity: '1Gi',
};

test('a CSIStorageCapacity needs a valid immutable class and no negative capacity', () => {
  expect(problemsOf(changedBy(CAPACITY, { storageClassName: '', capacity: '-1' }))).toEqual([
    `storageClassName: Invalid value: "": ${LABEL}`,
    'capacity: Invalid value: "-1": must be greater than or equal to 0',
  ]);
  expect(problemsOf(changedBy(CAPACITY, { storageClassName: 'slow' }), CAPACITY)).toEqual([
    'storageClassName: Invalid value: "slow": field is immutable',
  ]);
});
