/** An informer hides an object that this process deleted, or whose last finalizer it removed. */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { ObjectMeta } from '../../operator/model/object.ts';
import { OWN_WRITES_TTL_MS } from '../../operator/store/own-writes.ts';
import type { Thing } from '../support/fake-collection.ts';
import { DELETED_AT, KEY, withObject, world } from './informer-with-own-writes.ts';
import { LaggingServer } from './lagging-server.ts';

describe('objects that this process deleted', () => {
  test('[K-62] a deleted object is absent from get, list and indices while the cache still has it', async () => {
    const { informer, server, remove } = await withObject();
    server.remove('a');

    remove();

    const { store, storeWithOwnWrites } = informer;
    expect(storeWithOwnWrites.get(KEY)).toBeUndefined();
    expect(storeWithOwnWrites.list()).toEqual([]);
    expect(storeWithOwnWrites.byIndex('value', '1')).toEqual([]);
    expect(store.get(KEY)?.value).toBe(1);
  });

  test('[K-62] a deleted object stays absent although its ADDED event arrives later', async () => {
    const { server, write, remove, value, deliverAll } = await world();
    write(server.put('a', 1));
    remove();
    server.remove('a');
    const before = value();

    server.deliver(1);
    await settle();
    const afterAdded = value();
    await deliverAll();

    expect([before, afterAdded, value()]).toEqual([undefined, undefined, undefined]);
  });

  test('[K-62] creating an object again after its delete does not make the old object visible', async () => {
    const { server, write, remove, value, deliverAll } = await withObject();
    server.remove('a');
    remove();
    const between = value();

    write(server.put('a', 2));
    const after = value();
    await deliverAll();

    expect([between, after, value()]).toEqual([undefined, 2, 2]);
  });

  test('[K-62] a deleted object with finalizers is visible again once the cache has its deletionTimestamp', async () => {
    const { server, remove, value, deliverAll } = await withObject();
    server.put('a', 2, { deletionTimestamp: DELETED_AT, finalizers: ['example.dev/x'] });
    remove();
    const before = value();

    await deliverAll();

    expect([before, value()]).toEqual([undefined, 2]);
  });

  test('[K-62] a response from before the delete does not restore the object', async () => {
    const { server, begin, remove, value } = await withObject();
    const late = begin();
    const answer = server.put('a', 2);
    server.remove('a');
    remove();

    late.wrote(answer);

    expect(value()).toBeUndefined();
  });

  test('[K-62] a deleted object stays absent when a list from before the delete arrives', async () => {
    const { clock, server, remove, value } = await withObject();
    server.holdsLists = true;
    server.expire();
    await clock.advanceAndSettle(30_000);
    server.remove('a');
    remove();

    server.answerLists();
    await settle();

    expect(value()).toBeUndefined();
  });

  test('[K-62] a deleted object is visible again after 60 s, and counted, if the cache never receives the delete', async () => {
    const { clock, remove, value, expired } = await withObject();
    remove();

    await clock.advanceAndSettle(OWN_WRITES_TTL_MS);

    expect([value(), expired()]).toEqual([1, 1]);
  });

  test('[K-62] a deleted object that is not in the cache is identified by the uid of the request', async () => {
    const { server, remove, value } = await world();
    const { uid } = server.put('a', 1).metadata;
    remove(uid);

    server.deliver(1);
    await settle();

    expect(value()).toBeUndefined();
  });
});

describe('[K-23] the response to a request that removes the last finalizer', () => {
  async function deleting(metadata: Partial<ObjectMeta> = {}) {
    const server = new LaggingServer();
    server.put('a', 1, {
      deletionTimestamp: DELETED_AT,
      deletionGracePeriodSeconds: 0,
      finalizers: ['example.dev/x'],
      ...metadata,
    });
    return world(server);
  }

  function withoutFinalizers({
    metadata: { finalizers: _, ...metadata },
    ...object
  }: Thing): Thing {
    return { ...object, metadata };
  }

  test('an object in the response to removing its last finalizer is never visible, and is absent from then on', async () => {
    const { informer, server, write, value, deliverAll } = await deleting();
    const answer = withoutFinalizers(server.live.get('a') ?? server.put('a', 1));
    server.remove('a');

    write(answer);
    const before = value();
    await deliverAll();

    expect([before, value()]).toEqual([undefined, undefined]);
    expect([...informer.ownWrites.keys()]).toEqual([]);
  });

  test('the response to removing the last finalizer does not restore an object that the cache has dropped', async () => {
    const { server, begin, value, deliverAll } = await deleting();
    const late = begin();
    const answer = withoutFinalizers(server.live.get('a') ?? server.put('a', 1));
    server.remove('a');
    await deliverAll();

    late.wrote(answer);

    expect(value()).toBeUndefined();
  });

  test('the response to removing the last finalizer does not hide a newer state of an object that still exists', async () => {
    const { server, write, value, deliverAll } = await deleting();
    write(withoutFinalizers(server.live.get('a') ?? server.put('a', 1)));
    server.put('a', 2);

    await deliverAll();

    expect(value()).toBe(2);
  });

  test('the response to a delete of a Pod in its grace period still counts as a live object', async () => {
    const { server, write, value } = await deleting({ deletionGracePeriodSeconds: 30 });

    write(withoutFinalizers(server.put('a', 2)));

    expect(value()).toBe(2);
  });
});
