import { expect, onTestFinished, test } from 'vitest';
import { ProtocolError } from '../../operator/core/errors.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { Informer } from '../../operator/store/informer.ts';
import { dropManagedFields, type Transform, transformed } from '../../operator/store/transform.ts';
import { FakeClock, settle } from '../../operator/testing/fake-clock.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';

async function run(collection: FakeCollection, transform: Transform<Thing>) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const informer = new Informer(
    transformed(collection, transform),
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
      const old = change.type === 'update' ? `${change.old.value}->` : '';
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

test('an object may be changed in place', async () => {
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
)('[L-17] a transform that %s makes a list undecodable', async (_what, transform) => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  const source = transformed(collection, transform);
  const request = { consistency: { kind: 'latest' }, limit: 0 } as const;

  const page = source.listPage({ ...request, signal: AbortSignal.timeout(10_000) });

  await expect(page).rejects.toThrow(ProtocolError);
  await expect(page).rejects.toMatchObject({ code: 'DECODE', context: { key: 'demo/a' } });
});

test('[L-17] a transform that throws on an event leads to a list, and never to a part of the object', async () => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  let broken = false;
  const { clock, informer } = await run(collection, (thing) => {
    if (broken && thing.value === 2) throw new Error('no twos');
    return thing;
  });
  const lists = collection.lists.length;

  broken = true;
  collection.put('a', 2);
  await settle();
  await clock.advanceAndSettle(60_000);
  const meanwhile = informer.store.list();
  const failing = informer.status;
  const listsMeanwhile = collection.lists.length;
  broken = false;
  await clock.advanceAndSettle(120_000);

  expect(listsMeanwhile).toBeGreaterThan(lists);
  expect(meanwhile).toMatchObject([{ value: 1 }]);
  expect(failing.health).toBe('failing');
  expect(failing.error).toMatchObject({ code: 'DECODE' });
  expect(informer.store.list()).toMatchObject([{ value: 2 }]);
});

test('managed fields are dropped, and nothing else', () => {
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
