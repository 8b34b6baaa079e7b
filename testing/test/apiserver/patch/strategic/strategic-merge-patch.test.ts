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
  return applyStrategicMergePatch(podWith(spec), podWith(patch), POD).merged.spec;
}

const TWO_CONTAINERS = {
  containers: [
    { name: 'a', image: 'one', env: [{ name: 'X', value: '1' }] },
    { name: 'b', image: 'two' },
  ],
};

test('a strategic patch merges list items with the same key, and keeps the order of the list', () => {
  const spec = patchedSpec(TWO_CONTAINERS, { containers: [{ name: 'b', image: 'three' }] });

  expect(spec).toEqual({
    containers: [TWO_CONTAINERS.containers[0], { name: 'b', image: 'three' }],
  });
});

test('a strategic patch puts new items in front of existing items that it does not contain', () => {
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

test('a strategic patch modifies neither the document nor the patch', () => {
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
    'orders a list that it also changes',
    {
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }, { name: 'a' }],
      containers: [{ name: 'c' }],
    },
    ['b', 'c', 'a'],
  ],
  [
    'puts new items that its order does not contain behind existing items',
    { '$setElementOrder/containers': [], containers: [{ name: 'c' }] },
    ['a', 'b', 'c'],
  ],
  [
    'puts the replacement of a deleted item behind the remaining items',
    {
      '$setElementOrder/containers': [{ name: 'c' }],
      containers: [{ name: 'a', $patch: 'delete' }, { name: 'c' }],
    },
    ['b', 'c'],
  ],
  ['removes a list', { containers: null }, undefined],
])('a strategic patch %s', (_what, patch, names) => {
  const spec = patchedSpec(TWO_CONTAINERS, patch) as { containers?: { name: string }[] };

  expect(spec.containers?.map((container) => container.name)).toEqual(names);
});

test.each([
  ['volumeMounts', 'mountPath'],
  ['ports', 'containerPort'],
  ['env', 'name'],
  ['volumeDevices', 'devicePath'],
])('the list %s of a container is merged by %s', (list, key) => {
  const container = (items: unknown): JsonObject => ({
    containers: [{ name: 'a', [list]: items }],
  });

  const spec = patchedSpec(
    container([{ [key]: 1, note: 'old' }, { [key]: 2 }]),
    container([{ [key]: 1, note: 'new' }]),
  );

  expect(spec).toEqual(container([{ [key]: 1, note: 'new' }, { [key]: 2 }]));
});

test('a strategic patch replaces a list without a merge key', () => {
  const spec = patchedSpec(
    { tolerations: [{ key: 'a' }], hostAliases: [{ ip: '10.0.0.1', hostnames: ['a'] }] },
    { tolerations: [{ key: 'b' }], hostAliases: [{ ip: '10.0.0.1', hostnames: ['b'] }] },
  );

  expect(spec).toEqual({
    tolerations: [{ key: 'b' }],
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['b'] }],
  });
});

test('a strategic patch merges finalizers as a set, and removes those that a directive lists', () => {
  const document = { metadata: { finalizers: ['x/1', 'x/2'] } };
  const patch = {
    metadata: {
      finalizers: ['x/3', 'x/2'],
      '$deleteFromPrimitiveList/finalizers': ['x/1'],
    },
  };

  const { merged: patched } = applyStrategicMergePatch(document, patch, CONFIG_MAP);

  expect(patched).toEqual({ metadata: { finalizers: ['x/3', 'x/2'] } });
});

test('a strategic patch with $retainKeys keeps only the listed keys of a map', () => {
  const document = {
    spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
  };
  const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };

  const { merged: patched } = applyStrategicMergePatch(document, patch, DEPLOYMENT);

  expect(patched).toEqual({ spec: { strategy: { type: 'Recreate' } } });
});

test.each([
  ['replace', { b: '2' }],
  ['delete', {}],
])('a map with the directive $patch: %s becomes %j', (directive, expected) => {
  const { merged: patched } = applyStrategicMergePatch(
    { data: { a: '1' } },
    { data: { $patch: directive, b: '2' } },
    CONFIG_MAP,
  );

  expect(patched).toEqual({ data: expected });
});

const LISTS = {
  data: { a: '1' },
  metadata: { finalizers: ['a'], ownerReferences: [{ uid: 'u' }] },
};

test.each([
  [{ data: { $retainKeys: 'a' } }, 'invalid patch format of retainKeys'],
  [{ data: { $retainKeys: ['a'], b: '2' } }, 'invalid patch format of retainKeys'],
  [{ metadata: { $deleteFromPrimitiveList: ['a'] } }, 'invalid patch format of primitive list'],
  [{ metadata: { $setElementOrder: ['a'] } }, 'invalid patch format of setElementOrder list'],
])('the malformed directive %j is answered 400', (patch, message) => {
  expect(() => applyStrategicMergePatch(LISTS, patch, CONFIG_MAP)).toThrow(
    expect.objectContaining({ message: `400 BadRequest: ${message}` }),
  );
});

test.each([
  [{ data: { $patch: 'bend' } }, 'unknown patch type: bend in map: map[$patch:bend]'],
  [{ data: { $patch: 7, b: [] } }, 'unknown patch type: %!s(int64=7) in map: map[$patch:7 b:[]]'],
  [{ data: { $patch: 'merge' } }, 'unknown patch type: merge in map: map[$patch:merge]'],
  [
    { metadata: { ownerReferences: [{ uid: 'u', $patch: 'merge' }] } },
    'merging lists cannot yet be specified in the patch',
  ],
  [
    { metadata: { ownerReferences: [{ name: 'x', blockOwnerDeletion: null }] } },
    'map: map[blockOwnerDeletion:<nil> name:x] does not contain declared merge key: uid',
  ],
  [
    { metadata: { ownerReferences: ['x'] } },
    'list element types are not identical: [[map[uid:u]] [x]]',
  ],
  [
    { metadata: { '$setElementOrder/finalizers': 'a' } },
    'expected a []interface {}, but received a string',
  ],
  [
    { metadata: { '$setElementOrder/names': ['a'] } },
    'unable to find api field in struct ObjectMeta for the json field "names"',
  ],
  [
    { data: { '$setElementOrder/names': ['a'] } },
    'merging an object in json but data type is not struct, instead is: map',
  ],
  [
    { '$setElementOrder/metadata': ['a'] },
    'expected a []interface {}, but received a map[string]interface {}',
  ],
  [
    { metadata: { '$setElementOrder/finalizers': ['a'], finalizers: ['b'] } },
    "The order in patch list:\n[b]\n doesn't match $setElementOrder list:\n[a]\n",
  ],
])('the strategic patch %j cannot be merged and is answered 500, as in Kubernetes', (patch, message) => {
  expect(() => applyStrategicMergePatch(LISTS, patch, CONFIG_MAP)).toThrow(
    expect.objectContaining({ status: 500, message: `500: ${message}` }),
  );
});

test('an item with a directive may be missing in the order list, unless it follows the last ordered item', () => {
  const order = { '$setElementOrder/containers': [{ name: 'b' }] };
  const gone = { name: 'a', $patch: 'delete' };
  const odd = { name: 'a', $patch: 'bend' };
  const patch = (...containers: JsonObject[]) =>
    patchedSpec(TWO_CONTAINERS, { ...order, containers });

  expect(patch({ name: 'b' }, gone)).toEqual({ containers: [{ name: 'b', image: 'two' }] });
  expect(() => patch(odd, { name: 'b' })).toThrow(/unknown patch type: bend/);
  expect(() => patch({ name: 'b' }, odd)).toThrow(/The order in patch list/);
});

test('a strategic patch with a list of lists is answered 422', () => {
  const patch = { metadata: { finalizers: [['b']] } };

  expect(() =>
    applyStrategicMergePatch({ metadata: { finalizers: [] } }, patch, CONFIG_MAP),
  ).toThrow(expect.objectContaining({ status: 422, details: {} }));
});

test('an error quotes the patch without the directives and nulls that the merge has already processed', () => {
  const patch = { data: { $retainKeys: ['b'], b: '2' }, metadata: { labels: { x: null, y: '1' } } };

  const { patch: left } = applyStrategicMergePatch(LISTS, patch, CONFIG_MAP);

  expect(left).toEqual({ data: { b: '2' }, metadata: { labels: { y: '1' } } });
});

test('a strategic patch adds a new list item unchanged, including its nulls', () => {
  const spec = patchedSpec(TWO_CONTAINERS, { containers: [{ name: 'c', image: null }] });

  expect(spec).toMatchObject({
    containers: [{ name: 'c', image: null }, { name: 'a' }, { name: 'b' }],
  });
});

test('a strategic patch with more than 1,000 levels is refused', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(1_001)}1${'}'.repeat(1_001)}`);

  expect(() => applyStrategicMergePatch({}, deep, CONFIG_MAP)).toThrow(
    expect.objectContaining({ status: 400 }),
  );
});

test('a map that replaces another map keeps its nulls', () => {
  const { merged: patched } = applyStrategicMergePatch(
    { spec: { strategy: { type: 'Recreate' } } },
    { spec: { strategy: { $patch: 'replace', type: null, rollingUpdate: { maxSurge: null } } } },
    DEPLOYMENT,
  );

  expect(patched).toEqual({
    spec: { strategy: { type: null, rollingUpdate: { maxSurge: null } } },
  });
});

test('a new map from a strategic patch contains no directive and no null', () => {
  const { merged: patched } = applyStrategicMergePatch(
    {},
    {
      spec: { strategy: { type: 'Recreate', rollingUpdate: null, selector: { $patch: 'delete' } } },
    },
    DEPLOYMENT,
  );

  expect(patched).toEqual({ spec: { strategy: { type: 'Recreate' } } });
});
