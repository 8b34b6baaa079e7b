/** Objects that come as text stay text until somebody needs what is in it. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { objectKey } from '../../operator/model/object.ts';
import type { ChangeHandler } from '../../operator/store/delivery.ts';
import { byLabel, byNamespace, byOwner } from '../../operator/store/indices.ts';
import { Informer } from '../../operator/store/informer.ts';
import { NamespacesInformer } from '../../operator/store/namespaces-informer.ts';
import { dropManagedFields, transformed } from '../../operator/store/transform.ts';
import { expired, type Thing } from '../support/fake-collection.ts';
import { unread } from '../support/held-text.ts';
import { TextCollection } from '../support/text-collection.ts';
import { start } from './started-informer.ts';

const owner = { apiVersion: 'v1', kind: 'Thing', name: 'o', uid: 'uid-o' };
const METADATA = { labels: { app: 'web' }, ownerReferences: [owner] };

/** `a` is listed, `b` is watched. */
async function world() {
  const collection = new TextCollection();
  const started = start(collection);
  const { informer } = started;
  collection.put('a', 1, METADATA);
  return {
    ...started,
    collection,
    cached: () => [...informer.entries()].map(([, object]) => object),
    async begin(): Promise<void> {
      void started.run();
      await settle();
      collection.put('b', 2, METADATA);
      await settle();
    },
  };
}

/** Remembers keys, and looks at nothing else. */
function keysOf(): { keys: string[]; handler: ChangeHandler<Thing> } {
  const keys: string[] = [];
  return { keys, handler: (changes) => void keys.push(...changes.map(({ key }) => key)) };
}

describe('nothing is read', () => {
  test('by a handler of what is held', async () => {
    const { informer, begin, cached } = await world();
    const { keys, handler } = keysOf();
    informer.addHandler(handler, { held: true });

    await begin();

    expect(keys).toEqual(['demo/a', 'demo/b']);
    expect(unread(cached())).toEqual(['a', 'b']);
  });

  test('by one that is added later, and by one that is told again', async () => {
    const { informer, begin, cached, clock } = await world();
    const { keys, handler } = keysOf();
    await begin();

    informer.addHandler(handler, { held: true, resyncPeriodMs: 1_000 });
    await clock.advanceAndSettle(2_500);

    expect(keys.length).toBeGreaterThan(2);
    expect(unread(cached())).toEqual(['a', 'b']);
  });

  test('by the indices of owners, labels and namespaces, before it is asked for', async () => {
    const { informer, begin, cached } = await world();
    informer.addIndex('owner', byOwner);
    informer.addIndex('namespace', byNamespace);
    await begin();
    informer.addIndex('app', byLabel('app'));
    const before = unread(cached());

    const sizes = [
      informer.store.byIndex('app', 'other'),
      informer.store.byIndex('owner', 'uid-x'),
    ].map(({ length }) => length);
    const stillUnread = unread(cached());
    const found = [
      informer.store.byIndex('owner', 'uid-o'),
      informer.store.byIndex('app', 'web'),
      informer.store.byIndex('namespace', 'demo'),
    ].map((objects) => objects.map(({ value }) => value));

    expect(before).toEqual(['a', 'b']);
    expect(sizes).toEqual([0, 0]);
    expect(stillUnread).toEqual(['a', 'b']);
    expect(found).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
  });

  test('but what a selector selects', async () => {
    const { informer, begin, cached, collection } = await world();
    await begin();
    collection.put('c', 3, { labels: { app: 'other' } });
    await settle();

    const selected = informer.store.list({ selector: 'app=other' });

    expect(selected.map(({ value }) => value)).toEqual([3]);
    expect(unread(cached())).toEqual(['a', 'b']);
    expect(informer.store.list({ namespace: 'elsewhere' })).toEqual([]);
    expect(unread(cached())).toEqual(['a', 'b']);
  });

  test('by a list that comes anew: what is the same is the same object', async () => {
    const { informer, begin, cached, collection, clock } = await world();
    const { handler } = keysOf();
    informer.addHandler(handler, { held: true });
    await begin();
    const before = cached();
    const read = informer.store.get(objectKey('demo', 'a'));
    collection.loseNextEvent = true;
    collection.put('c', 3);

    collection.newestWatch.fail(expired());
    await clock.advanceAndSettle(5_000);

    const [a, b, c] = cached();
    // The text of what is known is not made again.
    expect(collection.lists.at(-1)?.hold?.known?.(objectKey('demo', 'a'))).toBe(before[0]);
    expect(a).toBe(before[0]);
    expect(b).toBe(before[1]);
    expect(c?.metadata.name).toBe('c');
    expect(informer.store.get(objectKey('demo', 'a'))).toBe(read);
    expect(unread(cached())).toEqual(['b', 'c']);
  });

  test('by a comparison with the server', async () => {
    const { informer, begin, cached, clock } = await world();
    await begin();

    const verifying = informer.verify();
    await clock.advanceAndSettle(120_000);

    expect(await verifying).toEqual([]);
    expect(unread(cached())).toEqual(['a', 'b']);
  });

  test('to drop managedFields', async () => {
    const collection = new TextCollection();
    const { informer, run } = start(transformed(collection, dropManagedFields) as never);
    const managedFields = [{ manager: 'x' }];
    collection.put('a', 1, { managedFields });
    void run();
    await settle();
    collection.put('b', 2, { managedFields });
    await settle();
    const objects = [...informer.entries()].map(([, object]) => object);

    const before = unread(objects);

    expect(before).toEqual(['a', 'b']);
    for (const { metadata } of informer.store.list()) {
      expect(metadata).not.toHaveProperty('managedFields');
    }
  });
});

test('another transform is given every object, whole', async () => {
  const collection = new TextCollection();
  const seen: number[] = [];
  const { informer, run } = start(
    transformed<Thing>(collection, (object) => {
      seen.push(object.value);
      return { ...object, value: object.value * 10 };
    }) as never,
  );
  collection.put('a', 1);
  void run();
  await settle();
  collection.put('b', 2);
  await settle();

  expect(seen).toEqual([1, 2]);
  expect(informer.store.list().map(({ value }) => value)).toEqual([10, 20]);
});

test('a handler that does not ask for what is held is told of objects that are read', async () => {
  const { informer, begin, cached } = await world();
  const values: number[] = [];
  informer.addHandler((changes) => {
    for (const { object } of changes) values.push(object.value);
  });

  await begin();

  expect(values).toEqual([1, 2]);
  expect(unread(cached())).toEqual([]);
});

test('several namespaces behind one store hand on what is held to who asks for it', async () => {
  const clock = new FakeClock();
  const options = { clock, random: () => 0.5, relistIntervalMs: 0 };
  const observer = { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} };
  const collection = new TextCollection();
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const facade = new NamespacesInformer<Thing>({
    ...options,
    name: 'things',
    namespaces: ['demo'],
    handlerFailed: () => {},
    lease: () => {
      const informer = new Informer<Thing>(collection, observer, options);
      running.push(informer.run(stop.signal));
      return { informer, release: () => {} };
    },
  });
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  const { keys, handler } = keysOf();
  facade.addHandler(handler, { held: true });
  running.push(facade.run(stop.signal));
  collection.put('a', 1);
  await settle();
  collection.put('b', 2);
  await settle();
  const objects = [...facade.entries()].map(([, object]) => object);

  const before = unread(objects);
  const values: number[] = [];
  facade.addHandler((changes) => void values.push(...changes.map(({ object }) => object.value)));

  expect(keys).toEqual(['demo/a', 'demo/b']);
  expect(before).toEqual(['a', 'b']);
  expect(values).toEqual([1, 2]);
});
