/** Objects that parse themselves when a mapping or an index function reads them. */

import { inspect, isDeepStrictEqual } from 'node:util';
import { settle } from '@chancery/testing';
import { expect, test, vi } from 'vitest';
import { Entry } from '../../operator/model/entry.ts';
import { objectKey } from '../../operator/model/object.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { textEntry } from '../support/text-entry.ts';
import { start } from './started-informer.ts';

const thing = {
  apiVersion: 'example.dev/v1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'demo', uid: 'u', resourceVersion: '1', labels: { app: 'x' } },
  value: 7,
} as unknown as Thing;

/** How often the whole text is parsed from now on. */
function countParses(): () => number {
  const parse = vi.spyOn(JSON, 'parse');
  return () => parse.mock.calls.filter(([text]) => String(text).includes('"value"')).length;
}

test('[C-4] no object is parsed before a field is read, and metadata is read without the object', () => {
  const parses = countParses();

  const { metadata } = textEntry(thing).lazy();

  expect(metadata.labels).toEqual({ app: 'x' });
  expect(parses()).toBe(0);
});

test('[C-4] a lazy object is parsed once, even if its entry releases it in between', () => {
  const entry = textEntry(thing);
  const lazy = entry.lazy();
  const parses = countParses();

  const first = lazy.value;
  entry.release();
  const second = { ...lazy };

  expect([first, second, lazy.metadata.name]).toEqual([7, thing, 'a']);
  expect(parses()).toBe(1);
});

test('[C-4] a lazy object looks like the parsed object to every inspection', () => {
  const lazy = textEntry(thing).lazy();

  expect(isDeepStrictEqual(lazy, thing)).toBe(true);
  expect(JSON.stringify(lazy)).toBe(JSON.stringify({ ...lazy }));
  expect(Object.keys(lazy).sort()).toEqual(Object.keys(thing).sort());
  expect(['value' in lazy, 'other' in lazy]).toEqual([true, false]);
  expect(structuredClone({ ...lazy })).toEqual(thing);
  expect(inspect(lazy)).toBe(inspect(JSON.parse(JSON.stringify(lazy))));
  expect(lazy).toBeInstanceOf(Object);
});

test('[C-4] a lazy object cannot be changed', () => {
  const lazy = textEntry(thing).lazy() as { value?: number };

  const refusal = new TypeError(
    'a cached object is read-only, copy one to change it: { ...object }',
  );
  expect(() => {
    lazy.value = 8;
  }).toThrow(refusal);
  expect(() => {
    delete lazy.value;
  }).toThrow(refusal);
  expect(() => Object.defineProperty(lazy, 'value', { value: 8 })).toThrow(refusal);
  expect(lazy.value).toBe(7);
});

test('[C-4] an object that is already parsed is returned as it is', () => {
  expect(Entry.of(thing).lazy()).toBe(thing);
});

test('[C-4] an index function that reads only metadata parses no object, in a list or a watch', async () => {
  const collection = new FakeCollection();
  const { informer, run } = start(collection);
  informer.addIndex('app', ({ metadata }) => [metadata.labels?.app ?? '']);
  collection.put('a', 1, { labels: { app: 'x' } });
  const parses = countParses();

  void run();
  await settle();
  collection.put('b', 2, { labels: { app: 'x' } });
  await settle();
  const parsed = parses();

  expect(parsed).toBe(0);
  expect(informer.store.byIndex('app', 'x').map(({ value }) => value)).toEqual([1, 2]);
});

test('[C-4] an index function may return names, and a store finds an object by name or key', async () => {
  const collection = new FakeCollection();
  const { informer, run } = start(collection);
  informer.addIndex('next', ({ metadata, value }) => [
    { namespace: metadata.namespace, name: `n${value}` },
  ]);
  collection.put('a', 1);
  collection.put('b', 2);
  void run();
  await settle();
  const { store } = informer;

  const found = [
    store.byIndex('next', { namespace: 'demo', name: 'n1' }),
    store.byIndex('next', objectKey('demo', 'n2')),
    store.byIndex('next', { name: 'n1' }),
  ].map((objects) => objects.map(({ metadata }) => metadata.name));

  expect(found).toEqual([['a'], ['b'], []]);
  expect(store.get({ namespace: 'demo', name: 'b' })).toBe(store.get(objectKey('demo', 'b')));
  expect(store.get({ name: 'b' })).toBeUndefined();
});
