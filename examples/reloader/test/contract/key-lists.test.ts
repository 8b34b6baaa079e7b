/** Keys that count for a workload. */
import { expect, test } from 'vitest';
import { hashOfConfigMap, hashOfSecret } from '../../contract/hash.ts';
import { KEYS, keyLists } from '../../contract/key-lists.ts';
import { refKey, refOfKey } from '../../contract/resource-type.ts';

const onWorkload = (text: string) =>
  keyLists({ annotations: { [KEYS]: text }, templateAnnotations: {} });
const APP = { type: 'CONFIGMAP', name: 'app' } as const;

test('[reloader R23] for a resource with listed keys, only these keys are used, sorted and without duplicates; for other resources, all keys', () => {
  const lists = onWorkload(
    'configmap/app/z.yaml, configmap/app/a,,secret/app/token,configmap/app/a',
  );

  expect(lists.of(APP)).toEqual(['a', 'z.yaml']);
  expect(lists.of({ type: 'SECRET', name: 'app' })).toEqual(['token']);
  expect(lists.of({ type: 'CONFIGMAP', name: 'other' })).toBeUndefined();
  expect(lists.of({ type: 'SECRETPROVIDERCLASS', name: 'app' })).toBeUndefined();
  expect(lists.problems).toEqual([]);
});

test('[reloader R23] the list of keys in the Pod template is used only if the metadata has no list', () => {
  const templateAnnotations = { [KEYS]: 'configmap/app/t' };

  expect(keyLists({ annotations: {}, templateAnnotations }).of(APP)).toEqual(['t']);
  const both = keyLists({ annotations: { [KEYS]: '' }, templateAnnotations });
  expect(both.of(APP)).toBeUndefined();
  expect(keyLists({ annotations: {}, templateAnnotations: {} }).of(APP)).toBeUndefined();
});

test.each([
  'configmap/app',
  'configmap/app/',
  'ConfigMap/app/a',
  'configmap/app/a/b',
  'secretproviderclass/app/a',
  'app/a',
  'configmap/app/a b',
])('[reloader R23] the entry %j is reported as a problem, and the other entries take effect', (entry) => {
  const lists = onWorkload(`${entry},configmap/app/kept`);

  expect(lists.of(APP)).toEqual(['kept']);
  expect(lists.problems).toEqual([
    {
      annotation: KEYS,
      message: `must have entries as configmap/NAME/KEY or secret/NAME/KEY, not ${JSON.stringify(entry)}`,
    },
  ]);
});

test('[reloader R23] a list has at most 256 entries, and the message shortens a long entry', () => {
  const many = Array.from({ length: 300 }, (_, at) => `configmap/app/k${at}`);

  const lists = onWorkload([...many, 'x'.repeat(5_000)].join(','));

  expect(lists.of(APP)).toHaveLength(256);
  expect(lists.problems).toHaveLength(1);
  expect(onWorkload('x'.repeat(5_000)).problems[0]?.message.length).toBeLessThan(200);
});

test('[reloader R23] the hash of some keys equals the hash of a resource that has only these keys', () => {
  const data = { a: '1', b: '2', c: '3' };
  const binaryData = { d: 'AP8Q' };

  expect(hashOfConfigMap({ data, binaryData }, ['a', 'd'])).toBe(
    hashOfConfigMap({ data: { a: '1' }, binaryData }),
  );
  expect(hashOfConfigMap({ data }, ['missing'])).toBe(hashOfConfigMap({}));
  expect(hashOfSecret({ data: { u: 'YQ==', p: 'Yg==' } }, ['p'])).toBe(
    hashOfSecret({ data: { p: 'Yg==' } }),
  );
});

test('[reloader R23] records of different keys have different names, and refer to the same resource', () => {
  const one = refKey({ ...APP, keys: ['a'] });
  const other = refKey({ ...APP, keys: ['a', 'b'] });

  expect(new Set([refKey(APP), one, other]).size).toBe(3);
  expect(refKey({ ...APP, keys: ['a'] })).toBe(one);
  expect([refKey(APP), one, other].map(refOfKey)).toEqual([APP, APP, APP]);
});
