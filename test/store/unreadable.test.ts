/** Text that turns out to be no JSON when somebody reads it, over an informer. */

import { RecordingMeter, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { objectKey } from '../../operator/model/object.ts';
import type { InformerOptions } from '../../operator/store/informer.ts';
import { expired } from '../support/fake-collection.ts';
import { plain } from '../support/plain-change.ts';
import { HUSH, TextCollection } from '../support/text-collection.ts';
import { listener, start } from './started-informer.ts';

const A = objectKey('demo', 'a');

function world(options: Partial<InformerOptions> = {}) {
  const collection = new TextCollection();
  const meter = new RecordingMeter();
  const started = start(collection, { meter, labels: { resource: 'things' }, ...options });
  const { informer, clock } = started;
  return {
    ...started,
    collection,
    meter,
    async begin(): Promise<void> {
      void started.run();
      await settle();
      await clock.advanceAndSettle(1);
    },
    /** What it comes to when somebody reads an object. */
    read(key = A): number | string | undefined {
      try {
        return informer.store.get(key)?.value;
      } catch (error) {
        expect(
          JSON.stringify(error) + String(error) + String((error as Error).cause),
        ).not.toContain(HUSH);
        return (error as { code: string }).code;
      }
    },
  };
}

describe('an object that is not valid JSON', () => {
  test.each([
    ['in a list', (collection: TextCollection) => collection.broken.add('a')],
    ['in a watch event', () => {}],
  ])('an invalid object %s is detected when it is read, then listed again, and readable once the server has fixed it', async (_, before) => {
    const { begin, read, collection, clock, informer } = world();
    collection.put('a', 1);
    collection.put('b', 2);
    before(collection);
    await begin();
    const isListed = collection.broken.has('a');
    if (!isListed) {
      collection.broken.add('a');
      collection.put('a', 3);
      await settle();
    }
    const listsBefore = collection.lists.length;
    const watched = collection.newestWatch;

    const first = read();
    const again = read();
    const bystander = read(objectKey('demo', 'b'));
    collection.broken.clear();
    await clock.advanceAndSettle(200);

    expect([first, again, bystander]).toEqual(['DECODE', 'DECODE', 2]);
    expect(watched.ended).toBe(true);
    expect(collection.lists.length).toBe(listsBefore + 1);
    expect(collection.openWatches).toHaveLength(1);
    expect(read()).toBe(isListed ? 1 : 3);
    expect(informer.synced).toBe(true);
  });

  test('an invalid object that no code reads costs nothing', async () => {
    const { begin, collection, clock, informer, meter } = world();
    const keys: string[] = [];
    informer.addHandler((changes) => void keys.push(...changes.map(({ key }) => key)));
    collection.broken.add('a').add('b');
    collection.put('a');
    await begin();

    collection.put('b');
    await clock.advanceAndSettle(60_000);

    expect(keys).toEqual(['demo/a', 'demo/b']);
    expect(collection.lists).toHaveLength(1);
    expect(collection.openWatches).toHaveLength(1);
    expect(meter.value('chancery_decode_errors_total', { resource: 'things' })).toBe(0);
  });

  test('while an object stays invalid, it is listed at once, then later, and then again every 30 to 60 s', async () => {
    const { begin, collection, clock, informer, meter } = world();
    informer.addHandler((changes) => void changes.map(({ object }) => object));
    const listsAt: number[] = [];
    const list = collection.listPage.bind(collection);
    collection.listPage = (request) => {
      listsAt.push(clock.monotonic());
      return list(request);
    };
    collection.put('a');
    await begin();
    collection.broken.add('a');
    collection.put('a', 1);
    await settle();

    for (let second = 0; second < 600; second++) await clock.advanceAndSettle(1_000);

    const gapsMs = listsAt.slice(1).map((at, index) => at - (listsAt[index] ?? 0));
    expect(gapsMs[0]).toBeLessThan(1_000);
    expect(gapsMs[1]).toBeLessThan(5_000);
    expect(Math.min(...gapsMs.slice(2))).toBeGreaterThanOrEqual(30_000);
    expect(listsAt.length).toBeGreaterThan(8);
    expect(listsAt.length).toBeLessThan(24);
    expect(meter.value('chancery_decode_errors_total', { resource: 'things' })).toBe(
      listsAt.length,
    );
  });

  test('an object that becomes valid is delivered, although its resourceVersion is the same', async () => {
    const { begin, collection, clock, informer } = world();
    const { told, handler } = listener();
    informer.addHandler(handler);
    collection.put('a', 1);
    await begin();
    collection.broken.add('a');
    collection.put('a', 2);
    await settle();
    const before = [...told];

    collection.broken.clear();
    await clock.advanceAndSettle(5_000);

    expect(before).toEqual(['add a=1 (initial)']);
    expect(told).toEqual(['add a=1 (initial)', 'update a=2']);
  });

  test('an invalid object does not prevent a handler from getting the other changes of its batch', async () => {
    const { begin, collection, informer, handlerErrors } = world();
    const [first, second] = [listener(), listener()];
    const keys: string[] = [];
    informer.addHandler(first.handler);
    informer.addHandler((changes) => void keys.push(...changes.map(({ key }) => key)));
    informer.addHandler(second.handler);
    await begin();
    collection.broken.add('b');

    const events = ['a', 'b', 'c'].map((name) => {
      collection.loseNextEvent = true;
      return { type: 'ADDED', object: collection.put(name) } as const;
    });
    collection.newestWatch.send(...events);
    await settle();

    // Called again with the others: the first of them is told of twice.
    expect(first.told).toEqual(['add a=0', 'add a=0', 'add c=0']);
    expect(second.told).toEqual(first.told);
    expect(keys.slice(0, 3)).toEqual(['demo/a', 'demo/b', 'demo/c']);
    expect(handlerErrors).toEqual([]);
  });

  test('the delete of an invalid object is delivered with its name', async () => {
    const { begin, collection, clock, informer } = world();
    const deleted: object[] = [];
    informer.addHandler((changes) => {
      deleted.push(...changes.filter(({ type }) => type === 'delete').map(plain));
    });
    collection.put('a', 1, { labels: { app: 'web' } });
    await begin();

    collection.broken.add('a');
    collection.remove('a');
    await settle();

    expect(deleted).toEqual([
      {
        type: 'delete',
        key: A,
        object: {
          apiVersion: 'v1',
          kind: 'Thing',
          metadata: { name: 'a', namespace: 'demo', uid: 'uid-1', resourceVersion: '102' },
        },
        finalStateUnknown: true,
      },
    ]);
    expect(informer.store.get(A)).toBeUndefined();
    await clock.advanceAndSettle(5_000);
    expect(deleted).toHaveLength(1);
  });

  test('an invalid object is missing from each index whose function must read it, until the object is valid', async () => {
    const { begin, collection, clock, informer, indexErrors } = world();
    informer.addIndex('value', ({ value }) => [String(value)]);
    collection.put('a', 1);
    collection.put('b', 1);
    collection.broken.add('b');
    await begin();
    const keysUnder = (value: string): string[] =>
      informer.store.byIndex('value', value).map(({ metadata }) => metadata.name);
    const before = keysUnder('1');

    collection.broken.clear();
    await clock.advanceAndSettle(5_000);

    expect(before).toEqual(['a']);
    expect(indexErrors).toHaveLength(1);
    expect(indexErrors.join()).not.toContain(HUSH);
    expect(keysUnder('1').toSorted()).toEqual(['a', 'b']);
  });

  test('an invalid object that is read during a list, and is in that list again, causes one more list', async () => {
    const { begin, read, collection, clock } = world();
    collection.put('a', 1);
    collection.broken.add('a');
    await begin();
    collection.broken.clear();
    const answer = Promise.withResolvers<void>();
    const list = collection.listPage.bind(collection);
    collection.listPage = async (request) => {
      const page = await list(request); // it has taken what is known, which nobody has read
      await answer.promise;
      return page;
    };
    collection.newestWatch.fail(expired());
    await clock.advanceAndSettle(1_000);

    const refused = read();
    answer.resolve();
    await settle();
    await clock.advanceAndSettle(60_000);

    expect(refused).toBe('DECODE');
    expect(read()).toBe(1);
  });
});

test('an invalid object that is read while no watch is open causes a list as soon as a watch is open', async () => {
  const { begin, read, collection, clock } = world();
  collection.put('a', 1);
  collection.broken.add('a');
  await begin();
  collection.newestWatch.end();
  await settle(); // the next is not open: opens are spaced
  const refused = read();
  collection.broken.clear();

  await clock.advanceAndSettle(60_000);

  expect(refused).toBe('DECODE');
  expect(read()).toBe(1);
});

test('an invalid object that a list has meanwhile replaced causes no further list', async () => {
  const { begin, collection, clock, informer } = world();
  collection.put('a', 1);
  collection.broken.add('a');
  await begin();
  const before = informer.cached(A);
  collection.broken.clear();
  collection.put('a', 2);
  await settle();
  const lists = collection.lists.length;

  await clock.advanceAndSettle(60_000);

  expect(before?.textLength).toBeGreaterThan(0);
  expect(collection.lists).toHaveLength(lists);
  expect(informer.store.get(A)?.value).toBe(2);
});
