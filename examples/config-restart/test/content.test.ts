import type { ConfigMap } from 'chancery/kubernetes';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentOf } from '../content.ts';

function configMap(data: object, binaryData: object = {}): ConfigMap {
  const metadata = { name: 'config', namespace: 'default' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data, binaryData } as ConfigMap;
}

const record = fc.dictionary(fc.stringMatching(/^[-._a-zA-Z0-9]{1,20}$/), fc.string(), {
  maxKeys: 4,
});

test('the order of keys does not change the digest', () => {
  fc.assert(
    fc.property(record, (data) => {
      const reversed = Object.fromEntries(Object.entries(data).reverse());

      expect(contentOf(configMap(reversed))).toEqual(contentOf(configMap(data)));
    }),
  );
});

test('two ConfigMaps have the same digest only if they have the same content', () => {
  fc.assert(
    fc.property(record, record, record, record, (data, binary, otherData, otherBinary) => {
      const sorted = (each: object): string => JSON.stringify(Object.entries(each).sort());
      const isSame = sorted(data) === sorted(otherData) && sorted(binary) === sorted(otherBinary);

      const a = contentOf(configMap(data, binary)).hash;
      const b = contentOf(configMap(otherData, otherBinary)).hash;

      expect(a === b).toBe(isSame);
    }),
  );
});

test.each([
  [configMap({ a: 'b=c' }), configMap({ 'a=b': 'c' })],
  [configMap({ a: '1,b:2' }), configMap({ a: '1', b: '2' })],
  [configMap({ a: 'eA==' }), configMap({}, { a: 'eA==' })],
])('similar contents have different digests', (one, other) => {
  expect(contentOf(one).hash).not.toBe(contentOf(other).hash);
});

test('missing data and empty data have the same digest', () => {
  const { data: _, binaryData: __, ...bare } = configMap({});

  expect(contentOf(bare)).toEqual(contentOf(configMap({})));
});
