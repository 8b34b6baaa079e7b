import { expect, test } from 'vitest';
import {
  canonicalBuiltIn,
  canonicalCustom,
  storedBuiltIn,
} from '../../../src/apiserver/objects/canonical.ts';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';

test('a canonical custom object has sorted keys and no empty metadata fields', () => {
  const object = JSON.parse(
    '{"spec":{"b":[{"z":1,"a":null}],"__proto__":{"y":1,"x":2}},"metadata":{"name":"a","labels":{},"finalizers":[],"annotations":null},"kind":"Widget","apiVersion":"example.dev/v1"}',
  ) as StoredObject;

  expect(JSON.stringify(canonicalCustom(object))).toBe(
    '{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"__proto__":{"x":2,"y":1},"b":[{"a":null,"z":1}]}}',
  );
});

test('a canonical built-in object begins with its kind', () => {
  const object = JSON.parse(
    '{"data":{"b":"2","a":"1"},"metadata":{"labels":{},"name":"a"},"apiVersion":"v1","kind":"ConfigMap"}',
  ) as StoredObject;

  expect(JSON.stringify(canonicalBuiltIn(object))).toBe(
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"a":"1","b":"2"}}',
  );
});

test('empty lists become null in kinds stored as protobuf, and stay empty lists in kinds stored as JSON', () => {
  const made = (kind: string, apiVersion: string, rest: object): StoredObject =>
    ({ apiVersion, kind, metadata: { name: 'a' }, ...rest }) as StoredObject;
  const slice = made('EndpointSlice', 'discovery.k8s.io/v1', {
    addressType: 'IPv6',
    endpoints: [{ addresses: [] }],
    ports: [],
  });
  const status = { conditions: [], storedVersions: [] };
  const definition = made('CustomResourceDefinition', 'apiextensions.k8s.io/v1', { status });

  expect(storedBuiltIn(slice)).toMatchObject({ endpoints: [{ addresses: null }], ports: null });
  expect(canonicalBuiltIn(slice)).toMatchObject({ endpoints: [{ addresses: [] }], ports: [] });
  expect(storedBuiltIn(definition)).toMatchObject({ status: { storedVersions: [] } });
});
