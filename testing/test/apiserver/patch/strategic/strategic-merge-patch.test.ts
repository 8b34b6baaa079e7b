import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/apiserver/objects/json-value.ts';
import { applyStrategicMergePatch } from '../../../../src/apiserver/patch/strategic/strategic-merge-patch.ts';

const POD = { apiVersion: 'v1', kind: 'Pod' };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };

function podWith(spec: JsonObject): JsonObject {
  return { spec };
}

function patchedSpec(spec: JsonObject, patch: JsonObject): unknown {
  return applyStrategicMergePatch(podWith(spec), podWith(patch), POD).spec;
}

const TWO_CONTAINERS = {
  containers: [
    { name: 'a', image: 'one', env: [{ name: 'X', value: '1' }] },
    { name: 'b', image: 'two' },
  ],
};

test('merges the item with the same merge key and keeps the order', () => {
  const spec = patchedSpec(TWO_CONTAINERS, { containers: [{ name: 'b', image: 'three' }] });

  expect(spec).toEqual({
    containers: [TWO_CONTAINERS.containers[0], { name: 'b', image: 'three' }],
  });
});

test('puts new items in front of those that the patch does not name', () => {
  const spec = patchedSpec(TWO_CONTAINERS, {
    containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }],
  });

  expect(spec).toMatchObject({
    containers: [
      {
        name: 'a',
        image: 'one',
        env: [
          { name: 'Y', value: '2' },
          { name: 'X', value: '1' },
        ],
      },
      { name: 'b' },
    ],
  });
});

test('changes neither the document nor the patch', () => {
  const document = podWith(TWO_CONTAINERS);
  const patch = podWith({ containers: [{ name: 'b', $patch: 'delete' }] });
  const before = JSON.stringify([document, patch]);

  applyStrategicMergePatch(document, patch, POD);

  expect(JSON.stringify([document, patch])).toBe(before);
});

test.each([
  ['deletes an item', { containers: [{ name: 'a', $patch: 'delete' }] }, ['b']],
  ['replaces a list', { containers: [{ $patch: 'replace' }, { name: 'c' }] }, ['c']],
  ['orders a list', { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }, ['b', 'a']],
  [
    'orders a list that it changes',
    {
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }, { name: 'a' }],
      containers: [{ name: 'c' }],
    },
    ['b', 'c', 'a'],
  ],
  ['removes a list', { containers: null }, undefined],
])('%s', (_what, patch, names) => {
  const spec = patchedSpec(TWO_CONTAINERS, patch) as { containers?: { name: string }[] };

  expect(spec.containers?.map((container) => container.name)).toEqual(names);
});

test.each([
  ['volumeMounts', 'mountPath'],
  ['ports', 'containerPort'],
  ['env', 'name'],
  ['volumeDevices', 'devicePath'],
])('%s of a container merge by %s', (list, key) => {
  const container = (items: unknown): JsonObject => ({
    containers: [{ name: 'a', [list]: items }],
  });

  const spec = patchedSpec(
    container([{ [key]: 1, note: 'old' }, { [key]: 2 }]),
    container([{ [key]: 1, note: 'new' }]),
  );

  expect(spec).toEqual(container([{ [key]: 1, note: 'new' }, { [key]: 2 }]));
});

test('replaces a list without a merge key', () => {
  const spec = patchedSpec(
    { tolerations: [{ key: 'a' }], hostAliases: [{ ip: '10.0.0.1', hostnames: ['a'] }] },
    { tolerations: [{ key: 'b' }], hostAliases: [{ ip: '10.0.0.1', hostnames: ['b'] }] },
  );

  expect(spec).toEqual({
    tolerations: [{ key: 'b' }],
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['b'] }],
  });
});

test('merges finalizers as a set, and takes out what a directive names', () => {
  const document = { metadata: { finalizers: ['x/1', 'x/2'] } };
  const patch = {
    metadata: {
      finalizers: ['x/3', 'x/2'],
      '$deleteFromPrimitiveList/finalizers': ['x/1'],
    },
  };

  const patched = applyStrategicMergePatch(document, patch, CONFIG_MAP);

  expect(patched).toEqual({ metadata: { finalizers: ['x/3', 'x/2'] } });
});

test('keeps only the retained keys of a map', () => {
  const document = {
    spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
  };
  const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };

  const patched = applyStrategicMergePatch(document, patch, DEPLOYMENT);

  expect(patched).toEqual({ spec: { strategy: { type: 'Recreate' } } });
});

test.each([
  ['replace', { b: '2' }],
  ['delete', {}],
  ['merge', { a: '1', b: '2' }],
])('a map with $patch: %s becomes %j', (directive, expected) => {
  const patched = applyStrategicMergePatch(
    { data: { a: '1' } },
    { data: { $patch: directive, b: '2' } },
    CONFIG_MAP,
  );

  expect(patched).toEqual({ data: expected });
});

test.each([
  ['an unknown directive', { data: { $patch: 'bend' } }],
  ['an item without its merge key', { metadata: { ownerReferences: [{ name: 'x' }] } }],
  ['retained keys that are no list', { data: { $retainKeys: 'a' } }],
  ['an order that is no list', { metadata: { '$setElementOrder/finalizers': 'a' } }],
])('%s is answered 400', (_what, patch) => {
  const document = { data: { a: '1' }, metadata: { finalizers: ['a'], ownerReferences: [] } };

  expect(() => applyStrategicMergePatch(document, patch, CONFIG_MAP)).toThrow(
    expect.objectContaining({ status: 400, reason: 'BadRequest' }),
  );
});

test('a map that replaces another has no nulls, however deep', () => {
  const patched = applyStrategicMergePatch(
    { spec: { strategy: { type: 'Recreate' } } },
    { spec: { strategy: { $patch: 'replace', type: null, rollingUpdate: { maxSurge: null } } } },
    DEPLOYMENT,
  );

  expect(patched).toEqual({ spec: { strategy: { rollingUpdate: {} } } });
});

test('leaves no directive and no null in a map that the document did not have', () => {
  const patched = applyStrategicMergePatch(
    {},
    { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate', rollingUpdate: null } } },
    DEPLOYMENT,
  );

  expect(patched).toEqual({ spec: { strategy: { type: 'Recreate' } } });
});
