import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { configMaps } from '../../../../operator/model/kubernetes/resources.ts';
import { filteredSource } from '../../src/watch/filtered-source.ts';
import { readsOnlyMetadata } from '../../src/watch/reads-only-metadata.ts';
import type { Want } from '../../src/watch/watch-plan.ts';

const METADATA = [
  '.metadata',
  ' .metadata.labels ',
  '.metadata.labels["app"]',
  '.metadata.ownerReferences[].uid',
  '.metadata.labels?',
  '.kind',
  '.metadata.annotations | to_entries | map(.key)',
  '.metadata | {name, data: .data}',
  '{name: .metadata.name, "the kind": .kind}',
  '[.metadata.name, .metadata.uid] | join("/")',
];

const MORE = [
  '.',
  '.data',
  '.metadatas',
  '.metadata, .data',
  '.metadata.name as $n | .data[$n]',
  '.metadata.name // .data',
  '.metadata |= {} ',
  '.metadata.labels[.data.key]',
  '{metadata}',
  '{name: .metadata.name, data}',
  '{name: .metadata.name, size: (.data | length)}',
  '[.metadata.name, .data]',
  '{(.data.a): .metadata.name}',
  '"\\(.metadata.name)\\(.data)"',
  '.metadata + .data',
  '.metadata.name == .data.name',
  '.. | .metadata?',
  'def metadata: .data; metadata',
  '.metadata.name?//.data',
  '.kinds',
  '.kind, .data | length',
];

test('[hooks S6] filters that read only metadata are recognised', () => {
  expect(METADATA.filter((program) => !readsOnlyMetadata(program))).toEqual([]);
});

test('[hooks S6] a filter that may read more than metadata never counts as a filter that reads only metadata', () => {
  expect(MORE.filter(readsOnlyMetadata)).toEqual([]);
});

test('[hooks S6] only metadata is watched if no binding needs more', () => {
  const jq = { check: async () => {}, run: async () => [], close: async () => {} };
  const watchesMetadata = (...wants: Want[]) =>
    filteredSource(configMaps, { namespace: 'all', optional: false }, wants, {
      ...{ jq, clock: new FakeClock() },
      filterFailed: () => {},
      filterTook: () => {},
    }).source.metadataOnly === true;
  const small = { filter: '.metadata.labels', keepsFullObjects: false, labels: {} };

  expect(watchesMetadata(small)).toBe(true);
  expect(watchesMetadata(small, { ...small, filter: '.metadata.name' })).toBe(true);
  expect(watchesMetadata({ ...small, keepsFullObjects: true })).toBe(false);
  expect(watchesMetadata(small, { ...small, filter: '.data' })).toBe(false);
  expect(watchesMetadata(small, { keepsFullObjects: false, labels: {} })).toBe(false);
});
