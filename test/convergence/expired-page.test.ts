import { expect, test } from 'vitest';
import { listAll } from '../../operator/watch/list.ts';
import { expired, FakeCollection } from '../support/fake-collection.ts';

test('[T-5] a list that starts over drops the objects of its first page', async () => {
  const collection = new FakeCollection();
  for (const name of ['a', 'b', 'c', 'd']) collection.put(name);
  collection.betweenPages = () => {
    collection.remove('a');
    collection.failLists(expired());
  };

  const { items } = await listAll(collection, {
    consistency: { kind: 'latest' },
    pageSize: 3,
    signal: new AbortController().signal,
  });

  expect(items.map(({ metadata }) => metadata.name)).toEqual(['b', 'c', 'd']);
});
