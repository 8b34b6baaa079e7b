import { RecordingMeter, settle } from '@chancery/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import { Cache } from '../../operator/store/cache.ts';
import { byLabel, byNamespace, byOwner, Indices } from '../../operator/store/indices.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { start } from './started-informer.ts';

const byValue = ({ value }: Thing): string[] => [String(value)];
const names = (objects: readonly KubernetesObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name).sort();

describe('[C-4] built-in index functions', () => {
  const object = (metadata: Partial<ObjectMeta>): KubernetesObject => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'a', ...metadata },
  });
  const owner = (uid: string) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid });

  test('byNamespace indexes an object by its namespace', () => {
    expect(byNamespace(object({ namespace: 'demo' }))).toEqual(['demo']);
    expect(byNamespace(object({}))).toEqual([]);
  });

  test('byOwner indexes an object by the uid of each owner', () => {
    expect(byOwner(object({ ownerReferences: [owner('u1'), owner('u2')] }))).toEqual(['u1', 'u2']);
    expect(byOwner(object({}))).toEqual([]);
  });

  test('byLabel indexes an object by one label, and ignores inherited property names', () => {
    expect(byLabel('app')(object({ labels: { app: 'web' } }))).toEqual(['web']);
    expect(byLabel('app')(object({ labels: { tier: 'web' } }))).toEqual([]);
    expect(byLabel('app')(object({}))).toEqual([]);
    expect(byLabel('constructor')(object({ labels: {} }))).toEqual([]);
  });
});

test('[C-4] an index follows adds, updates, deletes and recreations', async () => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  const { informer, run } = start(collection);
  informer.addIndex('value', byValue);
  const under = (value: string): string[] => names(informer.store.byIndex('value', value));
  void run();
  await settle();

  const first = [under('1'), under('2')];
  collection.put('b', 2);
  collection.put('a', 2);
  await settle();
  const updated = [under('1'), under('2')];
  collection.remove('a');
  await settle();
  collection.loseNextEvent = true;
  collection.remove('b');
  collection.put('b', 3);
  await settle();

  expect(first).toEqual([['a'], []]);
  expect(updated).toEqual([[], ['a', 'b']]);
  expect([under('1'), under('2'), under('3')]).toEqual([[], [], ['b']]);
});

test('[C-4] an index always equals its function applied to every object', () => {
  const objectOf = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    uid: fc.constantFrom('u1', 'u2'),
    labels: fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('1', '2')),
  });
  const step = fc.record({
    type: fc.constantFrom('ADDED' as const, 'MODIFIED' as const, 'DELETED' as const),
    metadata: objectOf,
  });

  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const cache = new Cache();
      const indices = new Indices(() => {});
      const index = indices.add('labels', ({ metadata }) => Object.values(metadata.labels ?? {}));
      let version = 0;
      for (const { type, metadata } of steps) {
        const resourceVersion = String(++version);
        const object = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { ...metadata, resourceVersion },
        };
        indices.update(cache.apply({ type, entry: Entry.of(object) }));
      }

      for (const value of ['1', '2']) {
        const wanted = [...(cache.entries ?? [])].filter(([, { metadata }]) =>
          Object.values(metadata.labels ?? {}).includes(value),
        );
        expect([...index.keys(value)].sort()).toEqual(wanted.map(([key]) => key).sort());
      }
    }),
  );
});

test('[C-4] an index that is added later is filled slice by slice, and contains the changes that happen meanwhile', async () => {
  const collection = new FakeCollection();
  for (let number = 0; number < 2_500; number++) collection.put(`o${number}`, 1);
  const { clock, informer, run } = start(collection, { pageSize: 0 });
  void run();
  await informer.until(() => informer.synced, new AbortController().signal);

  let calls = 0;
  informer.addIndex('value', (thing) => {
    calls++;
    return byValue(thing);
  });
  const firstSlice = calls;
  const tooEarly = (): unknown => informer.store.byIndex('value', '1');
  expect(tooEarly).toThrow(
    expect.objectContaining({ code: 'NOT_SYNCED', message: expect.stringContaining('hasIndex') }),
  );
  collection.put('o0', 2); // indexed already
  collection.put('o2400', 2); // not indexed yet
  collection.remove('o2401');
  collection.put('new', 2);
  await settle();
  await clock.advanceAndSettle(0);
  await informer.until(() => informer.hasIndex('value'), AbortSignal.timeout(10_000));

  expect(firstSlice).toBe(1_000);
  expect(names(informer.store.byIndex('value', '2'))).toEqual(['new', 'o0', 'o2400']);
  expect(informer.store.byIndex('value', '1')).toHaveLength(2_497);
});

test('[C-4] an index function that throws hides its object from that index only, and is reported once', async () => {
  const meter = new RecordingMeter();
  const collection = new FakeCollection();
  collection.put('good', 1);
  collection.put('bad', 2);
  const { informer, run, indexErrors } = start(collection, { meter, name: 'things' });
  informer.addIndex('picky', ({ value }) => {
    if (value === 2) throw new Error('no twos');
    return ['all'];
  });
  informer.addIndex('value', byValue);
  void run();
  await settle();

  collection.put('worse', 2);
  await settle();

  expect(names(informer.store.byIndex('picky', 'all'))).toEqual(['good']);
  expect(names(informer.store.byIndex('value', '2'))).toEqual(['bad', 'worse']);
  expect(indexErrors).toEqual(['picky: Error: no twos']);
  expect(meter.value('chancery_index_errors_total', { resource: 'things' })).toBe(2);
});

test('[C-4] a second index of the same name is refused, and the error for a missing index contains its name', async () => {
  const { informer, run } = start();
  informer.addIndex('value', byValue);
  void run();
  await settle();

  expect(() => informer.addIndex('value', byValue)).toThrow(ConfigurationError);
  expect(() => informer.store.byIndex('owner', 'x')).toThrow(
    expect.objectContaining({ code: 'CONFIG', context: { index: 'owner', known: 'value' } }),
  );
});
