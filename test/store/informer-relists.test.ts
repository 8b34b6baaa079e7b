/**
 * An informer compares a list with its cache after a gap. It finds deleted objects, and new objects
 * under an old name.
 */

import { eventually, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../operator/model/status.ts';
import { expired, FakeCollection } from '../support/fake-collection.ts';
import { listener, start } from './started-informer.ts';

describe('a relist', () => {
  test('[C-10] objects that were deleted while the watch was down cause one delete each, before any add', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    collection.put('b', 1);
    collection.put('c', 1);
    const { clock, informer, run } = start(collection);
    void run();
    await settle();
    const one = listener();
    informer.addHandler(one.handler);
    one.told.length = 0;

    collection.newestWatch.fail(expired());
    collection.loseNextEvent = true;
    collection.remove('b');
    collection.loseNextEvent = true;
    collection.remove('c');
    collection.loseNextEvent = true;
    collection.put('d', 2);
    await clock.advanceAndSettle(60_000);

    expect(one.told).toEqual(['delete? b=1', 'delete? c=1', 'add d=2']);
  });

  test('[C-13] a relist of 100,000 unchanged objects does not call the handler', async () => {
    const collection = new FakeCollection();
    for (let number = 0; number < 100_000; number++) collection.put(`o${number}`);
    const { clock, informer, run } = start(collection, { pageSize: 0 });
    void run();
    await eventually(() => collection.watches.length === 1);
    let told = 0;
    const handler = informer.addHandler((changes) => {
      told += changes.length;
    });
    await eventually(() => handler.synced);

    collection.newestWatch.fail(expired());
    await clock.advanceAndSettle(60_000);
    await eventually(() => collection.watches.length === 2);

    expect(collection.lists).toHaveLength(2);
    expect(told).toBe(100_000);
    expect(informer.store.list()).toHaveLength(100_000);
  });

  test('[C-14] if a list fails on a later page, none of its objects is delivered', async () => {
    const collection = new FakeCollection();
    collection.put('a');
    collection.put('b');
    collection.put('c');
    const { clock, informer, run } = start(collection, { pageSize: 1 });
    const one = listener();
    informer.addHandler(one.handler);
    collection.betweenPages = () => {
      if (collection.lists.length === 2) {
        collection.failLists(
          new ApiError({ code: 500, reason: 'InternalError', message: 'etcd is away' }),
        );
      }
    };

    void run();
    await settle();
    const afterFailure = [...one.told];
    const syncedAfterFailure = informer.synced;
    await clock.advanceAndSettle(60_000);

    expect(afterFailure).toEqual([]);
    expect(syncedAfterFailure).toBe(false);
    expect(one.told).toEqual(['add a=0 (initial)', 'add b=0 (initial)', 'add c=0 (initial)']);
  });
});

describe('[C-12] an object of the same name with another uid', () => {
  test('if an object is recreated and the DELETED event is lost, a delete and an add are delivered', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { informer, run } = start(collection);
    const one = listener();
    informer.addHandler(one.handler);
    void run();
    await settle();

    collection.loseNextEvent = true;
    collection.remove('a');
    collection.put('a', 2);
    await settle();

    expect(one.told).toEqual(['add a=1 (initial)', 'delete? a=1', 'add a=2']);
  });

  test('a recreation while the watch is disconnected is delivered as a delete and an add', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { clock, informer, run } = start(collection);
    const one = listener();
    informer.addHandler(one.handler);
    void run();
    await settle();

    collection.newestWatch.fail(expired());
    collection.loseNextEvent = true;
    collection.remove('a');
    collection.loseNextEvent = true;
    collection.put('a', 2);
    await clock.advanceAndSettle(60_000);

    expect(one.told).toEqual(['add a=1 (initial)', 'delete? a=1', 'add a=2']);
  });
});
