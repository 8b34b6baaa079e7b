import { FakeClock, settle } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type TransformObserver, transformed } from '../../operator/client/source.ts';
import { dropManagedFields, type Transform } from '../../operator/model/entry.ts';
import { type KubernetesObject, objectKey } from '../../operator/model/object.ts';
import { byOwner } from '../../operator/store/indices.ts';
import { Informer } from '../../operator/store/informer.ts';
import { expired, FakeCollection, type Thing } from '../support/fake-collection.ts';
import { listener } from './started-informer.ts';

const FACTS = { code: 'USER_CODE', layer: 'user-code' };
const TYPED = expect.objectContaining({
  ...FACTS,
  context: expect.objectContaining({ key: 'demo/a' }),
});

async function run(
  collection: FakeCollection,
  transform: Transform<Thing>,
  failed: TransformObserver['failed'] = () => {},
) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const informer = new Informer(
    transformed(collection, transform, { failed, settled: () => {} }),
    { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
    { clock, relistIntervalMs: 0 },
  );
  const running = informer.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await settle();
  return { clock, informer };
}

test('[L-17] every object is transformed once, listed or watched, before the cache and handlers see it', async () => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  const calls: string[] = [];
  const { informer } = await run(collection, (thing) => {
    calls.push(`${thing.metadata.name}=${thing.value}`);
    return { ...thing, value: thing.value * 10 };
  });
  const told: string[] = [];
  informer.addHandler((changes) => {
    for (const change of changes) {
      const old = change.type === 'update' ? `${change.old.object.value}->` : '';
      told.push(`${change.type} ${old}${change.object.value}`);
    }
  });

  collection.bookmark();
  collection.put('a', 2);
  await settle();
  collection.remove('a');
  await settle();

  expect(calls).toEqual(['a=1', 'a=2', 'a=2']);
  expect(told).toEqual(['add 10', 'update 10->20', 'delete 20']);
});

test('a transform may change the object in place', async () => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  const { informer } = await run(collection, (thing) => Object.assign(thing, { value: 7 }));

  expect(informer.store.list()).toMatchObject([{ value: 7 }]);
});

const BROKEN: readonly [string, Transform<Thing>][] = [
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['returns nothing', () => undefined as unknown as Thing],
  ['renames', (thing) => ({ ...thing, metadata: { ...thing.metadata, name: 'other' } })],
  ['changes the uid', (thing) => ({ ...thing, metadata: { ...thing.metadata, uid: 'other' } })],
  [
    'drops the resourceVersion',
    (thing) => ({ ...thing, metadata: { name: 'a', namespace: 'demo', uid: 'uid-1' } }),
  ],
];

test.each(
  BROKEN,
)('[L-17] [attack A-1] if the transform of an object %s, only this object is withheld', async (_what, broken) => {
  const collection = new FakeCollection();
  collection.put('a', 1, { labels: { app: 'web' } });
  collection.put('b', 2);
  const failures: unknown[] = [];
  const { informer, clock } = await run(
    collection,
    (thing) => (thing.metadata.name === 'a' ? broken(thing) : thing),
    (key, error) => failures.push([key, error]),
  );
  const { told, handler } = listener();
  informer.addHandler(handler);
  const [lists, watch] = [collection.lists.length, collection.newestWatch];

  const events = ['a', 'b'].map((name) => {
    collection.loseNextEvent = true;
    return { type: 'MODIFIED', object: collection.put(name, 3) } as const;
  });
  watch.send(...events);
  await clock.advanceAndSettle(120_000);

  expect(told).toEqual(['add b=2 (initial)', 'update b=3']);
  expect(failures).toEqual(Array(2).fill(['demo/a', TYPED]));
  expect(informer.store.get(objectKey('demo', 'b'))).toMatchObject({ value: 3 });
  expect(() => informer.store.get(objectKey('demo', 'a'))).toThrow(expect.objectContaining(FACTS));
  expect(informer.status.health).toBe('healthy');
  expect([collection.lists.length, watch.ended]).toEqual([lists, false]);
});

test('[L-17] [attack A-1] every read that could include a withheld object fails, instead of omitting it', async () => {
  const collection = new FakeCollection();
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Thing', name: 'o', uid: 'owner' }];
  collection.put('a', 1, { labels: { app: 'web' }, ownerReferences });
  collection.put('b', 2, { labels: { app: 'shop' } });
  const { informer } = await run(collection, (thing) => {
    // In place, and half done.
    if (thing.value !== 1) return thing;
    Object.assign(thing, { metadata: { name: 'a' } });
    throw new Error('no ones');
  });
  informer.addIndex('owner', byOwner);
  const { store } = informer;

  expect(() => store.list()).toThrow(expect.objectContaining(FACTS));
  expect(() => store.list({ selector: 'app=web' })).toThrow(expect.objectContaining(FACTS));
  expect(() => store.byIndex('owner', 'owner')).toThrow(expect.objectContaining(FACTS));
  expect(store.list({ selector: 'app=shop' })).toMatchObject([{ value: 2 }]);
  expect(store.list({ namespace: 'other' })).toEqual([]);
  expect(informer.size().objects).toBe(2);
  expect(informer.size().bytes).toBeGreaterThan(0);
});

test('[L-17] [attack A-1] a withheld object is delivered when its next state can be transformed, and when it is deleted', async () => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  collection.put('b', 1);
  const { informer } = await run(collection, (thing) => {
    if (thing.value === 1) throw new Error('no ones');
    return thing;
  });
  const { told, handler } = listener();
  informer.addHandler(handler);

  collection.put('a', 2);
  await settle();
  collection.put('a', 1);
  collection.remove('a');
  collection.remove('b');
  await settle();

  expect(told).toEqual(['update a=2', 'delete? a=undefined', 'delete? b=undefined']);
  expect(informer.store.list()).toEqual([]);
});

test('[L-17] [attack A-1] a new list transforms a withheld object again', async () => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  let broken = true;
  const { clock, informer } = await run(collection, (thing) => {
    if (broken) throw new Error('not yet');
    return thing;
  });

  broken = false;
  collection.newestWatch.fail(expired());
  await clock.advanceAndSettle(5_000);

  expect(informer.store.list()).toMatchObject([{ value: 1 }]);
});

test('dropManagedFields drops managed fields, and nothing else', () => {
  const kept: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', labels: { app: 'web' } },
  };

  const dropped = dropManagedFields({
    ...kept,
    metadata: { ...kept.metadata, managedFields: [{ manager: 'kubectl' }] },
  });

  expect(dropped).toStrictEqual(kept);
  expect(dropManagedFields(kept)).toBe(kept);
});
