/** An informer shows the own writes of this process before its cache has them. */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { OwnWrites } from '../../operator/store/own-writes.ts';
import { OwnWritesJournal } from '../../operator/store/own-writes.ts';
import { KEY, things, withObject, world } from './informer-with-own-writes.ts';
import { listener } from './started-informer.ts';

describe('objects that this process wrote', () => {
  test('[K-61] [K-60] an object that this process created is visible in get, list and indices, but not yet in the cache', async () => {
    const { informer, server, write } = await world();

    write(server.put('a', 1));

    const { store, storeWithOwnWrites } = informer;
    expect(storeWithOwnWrites.get(KEY)?.value).toBe(1);
    expect(storeWithOwnWrites.list().map(({ value }) => value)).toEqual([1]);
    expect(storeWithOwnWrites.byIndex('value', '1').map(({ value }) => value)).toEqual([1]);
    expect([store.get(KEY), store.list(), store.byIndex('value', '1')]).toEqual([
      undefined,
      [],
      [],
    ]);
  });

  test('[K-61] an update by this process moves the object from one index value to another', async () => {
    const { informer, server, write } = await withObject();

    write(server.put('a', 2));

    const { storeWithOwnWrites } = informer;
    expect(storeWithOwnWrites.byIndex('value', '1')).toEqual([]);
    expect(storeWithOwnWrites.byIndex('value', '2').map(({ value }) => value)).toEqual([2]);
    expect(storeWithOwnWrites.list({ namespace: 'demo' }).map(({ value }) => value)).toEqual([2]);
    expect(storeWithOwnWrites.list({ namespace: 'other' })).toEqual([]);
  });

  test('[K-61] the event of a remembered write changes nothing for readers, and removes the remembered write', async () => {
    const { informer, server, write, value, deliverAll } = await withObject();
    const { told, handler } = listener();
    informer.addHandler(handler);
    write(server.put('a', 2));
    const before = value();

    await deliverAll();

    expect([before, value()]).toEqual([2, 2]);
    expect(informer.ownWrites.size).toBe(0);
    expect(informer.storeWithOwnWrites.get(KEY)).toBe(informer.store.get(KEY));
    expect(told).toEqual(['add a=1 (initial)', 'update a=2']);
  });

  test('[K-61] a remembered object that is now in the cache is found only under its current index values', async () => {
    const { informer, server, begin } = await world();
    const [first, second] = [begin('a'), begin('b')];
    const [a, b] = [server.put('a', 1), server.put('b', 2)];
    second.wrote(b);
    first.wrote(a);

    server.deliver(1);
    await settle();

    const found = informer.storeWithOwnWrites.byIndex('value', '9');
    expect(found).toEqual([]);
  });

  test("[K-61] a remembered write does not hide the event of another client's write", async () => {
    const { informer, server, write, value, deliverAll } = await withObject();
    const { told, handler } = listener();
    informer.addHandler(handler);
    write(server.put('a', 2));
    server.put('a', 3);

    server.deliver(1);
    await settle();
    const afterOwn = value();
    await deliverAll();

    expect([afterOwn, value()]).toEqual([2, 3]);
    expect(told).toEqual(['add a=1 (initial)', 'update a=2', 'update a=3']);
  });

  test('[K-61] if two responses arrive in the wrong order, the newer state is visible', async () => {
    const { server, begin, value } = await withObject();
    const [first, second] = [begin(), begin()];
    const [older, newer] = [server.put('a', 2), server.put('a', 3)];

    second.wrote(newer);
    first.wrote(older);

    expect(value()).toBe(3);
  });

  test('[K-61] a write is not visible in sources of another resource, version or namespace', async () => {
    const { informer, ownWritesJournal, server } = await world();
    const target = { namespace: 'demo', name: 'a' };
    const elsewhere = new OwnWritesJournal();
    elsewhere.add(things, 'prod', informer.ownWrites as unknown as OwnWrites<KubernetesObject>);
    const object = server.put('a', 1);

    ownWritesJournal.begin({ ...things, plural: 'others' }, target).wrote(object);
    ownWritesJournal.begin({ ...things, group: 'example.dev' }, target).wrote(object);
    ownWritesJournal.begin({ ...things, version: 'v2' }, target).wrote(object);
    elsewhere.begin(things, target).wrote(object);

    expect(informer.ownWrites.size).toBe(0);
  });
});
