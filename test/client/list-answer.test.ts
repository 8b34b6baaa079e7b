import { describe, expect, test } from 'vitest';
import { decodeList } from '../../operator/client/list-answer.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { type KubernetesObject, keyOf } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { recording } from '../support/recorded-stream.ts';

const websites = defineResource<KubernetesObject>({
  group: 'example.dev',
  version: 'v1',
  plural: 'websites',
  kind: 'Website',
  namespaced: true,
});
const list = (more: object): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMapList',
  metadata: { resourceVersion: '7' },
  items: [],
  ...more,
});

describe('the items of a list', () => {
  test('[L-9] items get the apiVersion and kind that the server omitted', () => {
    const items = [{ metadata: { name: 'a' }, data: { k: 'v' } }];

    const decoded = decodeList(list({ items }), configMaps);

    expect(decoded.items).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
    ]);
  });

  test('an answer with `items: null` is read as an empty list', () => {
    expect(decodeList(list({ items: null }), configMaps).items).toEqual([]);
  });

  test('a kind such as WebsiteCollection is accepted if each item has its apiVersion and kind', () => {
    const item = { apiVersion: 'example.dev/v1', kind: 'Website', metadata: { name: 'a' } };
    const answer = list({ apiVersion: 'example.dev/v1', kind: 'WebsiteCollection', items: [item] });

    expect(decodeList(answer, websites).items).toEqual([item]);
  });

  test.each([
    ['a Table', list({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })],
    ['metadata only', list({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' })],
    ['a Status', { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }],
    ['a list without `items`', { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {} }],
    ['items that are not a list', list({ items: {} })],
    ['another version', list({ apiVersion: 'v2' })],
    ['items of another kind', list({ items: [{ kind: 'Secret', metadata: { name: 'a' } }] })],
    [
      'unnamed items of another list',
      list({ kind: 'SecretList', items: [{ metadata: { name: 'a' } }] }),
    ],
    ['an item without a name', list({ items: [{ metadata: {} }] })],
    ['an item without metadata', list({ items: [{}] })],
    ['an item that is null', list({ items: [null] })],
  ])('[L-8] [L-11] decodeList refuses %s', (_, answer) => {
    expect(() => decodeList(answer, configMaps)).toThrow(
      expect.objectContaining({ code: 'DECODE', layer: 'protocol' }),
    );
  });
});

test('an empty or missing continue token is returned as undefined', () => {
  const tokens = [{}, { continue: '' }, { continue: 'abc' }].map(
    (metadata) => decodeList(list({ metadata }), configMaps).continueToken,
  );

  expect(tokens).toEqual([undefined, undefined, 'abc']);
});

test('every recorded list of ConfigMaps is decoded without an error', () => {
  const answers = recording('list-paging')
    .filter(({ response }) => response.status === 200 && response.body !== undefined)
    .map(({ response }) => JSON.parse(response.body ?? '') as Record<string, unknown>)
    .filter(({ kind }) => kind === 'ConfigMapList');

  const decoded = answers.map((answer) => decodeList(answer, configMaps));

  expect(decoded.length).toBeGreaterThan(5);
  for (const { items, resourceVersion } of decoded) {
    expect(resourceVersion).toMatch(/^\d+$/);
    for (const item of items) expect(keyOf(item)).toMatch(/^[\w-]+\/[\w.-]+$/);
  }
});
