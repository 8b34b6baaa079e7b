/** Objects stay text until somebody asks for what is in it. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { transformed } from '../../operator/client/source.ts';
import { yieldToEventLoop } from '../../operator/core/time-slice.ts';
import type { Entry } from '../../operator/model/entry.ts';
import { dropManagedFields } from '../../operator/model/entry.ts';
import { objectKey, splitKey } from '../../operator/model/object.ts';
import type { ChangeHandler } from '../../operator/store/delivery.ts';
import { byLabel, byNamespace, byOwner } from '../../operator/store/indices.ts';
import { Informer } from '../../operator/store/informer.ts';
import { NamespacesInformer } from '../../operator/store/namespaces-informer.ts';
import { expired, FakeCollection, type Thing } from '../support/fake-collection.ts';
import { TextCollection } from '../support/text-collection.ts';
import { start } from './started-informer.ts';

/** Names of the objects that are text: none of them was read from a store. */
function unparsed(entries: Iterable<Entry>): readonly string[] {
  return [...entries]
    .filter(({ textLength }) => textLength > 0)
    .map(({ key }) => splitKey(key).name);
}

/** Counts the objects that are parsed from now on, by their text. */
function countParses(): () => number {
  const parse = vi.spyOn(JSON, 'parse');
  return () => parse.mock.calls.filter(([text]) => String(text).includes('"value":')).length;
}

const owner = { apiVersion: 'v1', kind: 'Thing', name: 'o', uid: 'uid-o' };
const METADATA = { labels: { app: 'web' }, ownerReferences: [owner] };

/** `a` is listed, `b` is watched. */
async function world() {
  const collection = new FakeCollection();
  const started = start(collection);
  const { informer } = started;
  collection.put('a', 1, METADATA);
  return {
    ...started,
    collection,
    cached: () => [...informer.entries()],
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

describe('objects that stay unparsed', () => {
  test('a handler that reads only keys parses no object', async () => {
    const { informer, begin, cached } = await world();
    const { keys, handler } = keysOf();
    informer.addHandler(handler);
    const parses = countParses();

    await begin();

    expect(keys).toEqual(['demo/a', 'demo/b']);
    expect(unparsed(cached())).toEqual(['a', 'b']);
    expect(parses()).toBe(0);
  });

  test('a handler that reads only metadata parses no object', async () => {
    const { informer, begin } = await world();
    const labels: unknown[] = [];
    informer.addHandler(
      (changes) => void labels.push(...changes.map((one) => one.metadata.labels)),
    );
    const parses = countParses();

    await begin();

    expect(labels).toEqual([METADATA.labels, METADATA.labels]);
    expect(parses()).toBe(0);
  });

  test('neither a handler that is added late nor a resync parses an object', async () => {
    const { informer, begin, cached, clock } = await world();
    const { keys, handler } = keysOf();
    await begin();

    informer.addHandler(handler, { resyncPeriodMs: 1_000 });
    await clock.advanceAndSettle(2_500);

    expect(keys.length).toBeGreaterThan(2);
    expect(unparsed(cached())).toEqual(['a', 'b']);
  });

  test('the indices of owners, labels and namespaces parse no object before it is read', async () => {
    const { informer, begin, cached } = await world();
    informer.addIndex('owner', byOwner);
    informer.addIndex('namespace', byNamespace);
    await begin();
    informer.addIndex('app', byLabel('app'));
    const before = unparsed(cached());

    const sizes = [
      informer.store.byIndex('app', 'other'),
      informer.store.byIndex('owner', 'uid-x'),
    ].map(({ length }) => length);
    const stillUnread = unparsed(cached());
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

  test('a list with a selector parses only the selected objects', async () => {
    const { informer, begin, cached, collection } = await world();
    await begin();
    collection.put('c', 3, { labels: { app: 'other' } });
    await settle();

    const selected = informer.store.list({ selector: 'app=other' });

    expect(selected.map(({ value }) => value)).toEqual([3]);
    expect(unparsed(cached())).toEqual(['a', 'b']);
    expect(informer.store.list({ namespace: 'elsewhere' })).toEqual([]);
    expect(unparsed(cached())).toEqual(['a', 'b']);
  });

  test('the metadata that selectors read is parsed once for all lists', async () => {
    const { informer, begin } = await world();
    await begin();
    informer.store.list({ selector: 'app=other' });
    await yieldToEventLoop();
    const parse = vi.spyOn(JSON, 'parse');

    const selected = informer.store.list({ selector: 'app=other' });

    expect(selected).toEqual([]);
    expect(parse).not.toHaveBeenCalled();
  });

  test('a new list parses no object, and an unchanged object keeps its identity', async () => {
    const { informer, begin, cached, collection, clock } = await world();
    const { handler } = keysOf();
    informer.addHandler(handler);
    await begin();
    const before = cached();
    const read = informer.store.get(objectKey('demo', 'a'));
    collection.loseNextEvent = true;
    collection.put('c', 3);

    collection.newestWatch.fail(expired());
    await clock.advanceAndSettle(5_000);

    const [a, b, c] = cached();
    // The text of what is known is not made again.
    expect(collection.lists.at(-1)?.known?.(objectKey('demo', 'a'))).toBe(before[0]);
    expect(a).toBe(before[0]);
    expect(b).toBe(before[1]);
    expect(c?.key).toBe('demo/c');
    expect(informer.store.get(objectKey('demo', 'a'))).toBe(read);
    expect(unparsed(cached())).toEqual(['b', 'c']);
  });

  test('a comparison with the server parses no object', async () => {
    const { informer, begin, cached, clock } = await world();
    await begin();

    const verifying = informer.verify();
    await clock.advanceAndSettle(120_000);

    expect(await verifying).toEqual([]);
    expect(unparsed(cached())).toEqual(['a', 'b']);
  });

  test('dropping managedFields parses no object', async () => {
    const collection = new TextCollection();
    const { informer, run } = start(transformed(collection, dropManagedFields) as never);
    const managedFields = [{ manager: 'x' }];
    collection.put('a', 1, { managedFields });
    void run();
    await settle();
    collection.put('b', 2, { managedFields });
    await settle();
    const before = unparsed(informer.entries());

    expect(before).toEqual(['a', 'b']);
    for (const { metadata } of informer.store.list()) {
      expect(metadata).not.toHaveProperty('managedFields');
    }
  });
});

test('a transform other than the built-in one receives every object after it was parsed', async () => {
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

describe('objects that handlers read', () => {
  test('an object is parsed once for all handlers, and released afterwards', async () => {
    const { informer, begin, cached } = await world();
    const values: number[] = [];
    const seen: Thing[] = [];
    for (const _ of ['first', 'second']) {
      informer.addHandler((changes) => {
        for (const { object } of changes) {
          values.push(object.value);
          seen.push(object);
        }
      });
    }
    const parses = countParses();

    await begin();
    await yieldToEventLoop();

    expect(values).toEqual([1, 1, 2, 2]);
    expect(seen[0]).toBe(seen[1]);
    expect(seen[2]).toBe(seen[3]);
    expect(parses()).toBe(2);
    expect(unparsed(cached())).toEqual(['a', 'b']);
  });

  test('after the turn of the event loop, a waiting handler and a store parse the object again, and the store keeps the parsed object', async () => {
    const { informer, begin, cached } = await world();
    const late: unknown[] = [];
    informer.addHandler(async ([change]) => {
      const first = change?.object;
      await yieldToEventLoop();
      await yieldToEventLoop();
      late.push(change?.object.value, change?.object === first);
    });
    await begin();
    await settle();

    const stored = informer.store.get(objectKey('demo', 'a'));

    expect(late).toEqual([1, false, 2, false]);
    expect(informer.store.get(objectKey('demo', 'a'))).toBe(stored);
    expect(unparsed(cached())).toEqual(['b']);
  });

  test('the old state of an update is parsed when it is read', async () => {
    const { informer, begin, collection } = await world();
    const olds: number[] = [];
    informer.addHandler((changes) => {
      for (const change of changes)
        if (change.type === 'update') olds.push(change.old.object.value);
    });
    await begin();

    collection.put('a', 7);
    await settle();
    collection.put('a', 8);
    await settle();

    expect(olds).toEqual([1, 7]);
  });
});

test('a store over several namespaces parses no object for a handler that reads only keys', async () => {
  const clock = new FakeClock();
  const options = { clock, random: () => 0.5, relistIntervalMs: 0 };
  const observer = { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} };
  const collection = new FakeCollection();
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const facade = new NamespacesInformer<Thing>({
    ...options,
    name: 'things',
    namespaces: ['demo'],
    handlerFailed: () => {},
    open: () => {
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
  facade.addHandler(handler);
  running.push(facade.run(stop.signal));
  collection.put('a', 1);
  await settle();
  const parses = countParses();
  collection.put('b', 2);
  await settle();

  const before = unparsed(facade.entries());
  const parsed = parses();
  const values: number[] = [];
  facade.addHandler((changes) => void values.push(...changes.map(({ object }) => object.value)));

  expect(keys).toEqual(['demo/a', 'demo/b']);
  expect(before).toEqual(['a', 'b']);
  expect(parsed).toBe(0);
  expect(values).toEqual([1, 2]);
});
