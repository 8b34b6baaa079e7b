import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../support/validated.ts';

const CONFIG_MAP = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm', namespace: 'default' },
  data: { k: 'v' },
};
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'default' },
  data: { k: 'dg==' },
};
const FIXED = 'Forbidden: field is immutable when `immutable` is set';

const CONFIG_MAPS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'a key with a blank',
    { data: { 'a b': '' } },
    [
      `data[a b]: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    ],
  ],
  [
    'a key that begins with two dots',
    { data: { '..x': '' } },
    [`data[..x]: Invalid value: "..x": must not start with '..'`],
  ],
  [
    'the same key in data and binaryData',
    { binaryData: { k: 'dg==' } },
    ['data[k]: Invalid value: "k": duplicate of key present in binaryData'],
  ],
  [
    'data above 1 MiB',
    { data: { k: 'x'.repeat(1_048_577) } },
    ['[]: Too long: may not be more than 1048576 bytes'],
  ],
];

describe('[F-12] validation of a ConfigMap', () => {
  test.each(
    CONFIG_MAPS,
  )('a ConfigMap gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(CONFIG_MAP, changes))).toEqual(expected);
  });
});

const SECRETS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'decoded data above 1 MiB',
    { data: { k: Buffer.alloc(1_048_577).toString('base64') } },
    ['data: Too long: may not be more than 1048576 bytes'],
  ],
  [
    'decoded data of exactly 1 MiB',
    { data: { k: Buffer.alloc(1_048_576).toString('base64') } },
    [],
  ],
  [
    'a TLS Secret without certificate and key',
    { type: 'kubernetes.io/tls' },
    ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  ],
  [
    'a basic-auth Secret without user and password',
    { type: 'kubernetes.io/basic-auth' },
    ['data[username]: Required value', 'data[password]: Required value'],
  ],
  [
    'a service account token without the account',
    { type: 'kubernetes.io/service-account-token' },
    ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ],
  [
    'a dockerconfigjson that is not JSON',
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'eA==' } },
    [
      expect.stringContaining(
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>"',
      ),
    ],
  ],
];

describe('[F-12] validation of a Secret', () => {
  test.each(
    SECRETS,
  )('a Secret gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(SECRET, changes))).toEqual(expected);
  });

  test('the type of a Secret is immutable', () => {
    const other = changedBy(SECRET, { type: 'mine/x' });

    expect(problemsOf(other, SECRET)).toEqual([
      'type: Invalid value: "mine/x": field is immutable',
    ]);
  });
});

describe.each([CONFIG_MAP, SECRET])('[F-12] an immutable $kind', (object) => {
  const before = changedBy(object, { immutable: true });

  test.each<Row>([
    ['keeps its data', { immutable: true, 'data.k': 'dw==' }, [`data: ${FIXED}`]],
    ['gets no new keys', { immutable: true, 'data.l': 'dw==' }, [`data: ${FIXED}`]],
    ['stays immutable', {}, [`immutable: ${FIXED}`]],
    ['may be labelled', { immutable: true, 'metadata.labels': { a: 'b' } }, []],
  ])('an immutable object %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(object, changes), before)).toEqual(expected);
  });
});
