/** A newer state of the cache replaces the state that this process wrote. */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { withObject, world } from './informer-with-own-writes.ts';
import { LaggingServer } from './lagging-server.ts';
import { listener } from './started-informer.ts';

describe('the cache is newer than the response to a write', () => {
  test('[K-60] a response that arrives after the DELETED event does not restore the object', async () => {
    const { informer, server, begin, value, deliverAll } = await withObject();
    const late = begin();
    const answer = server.put('a', 2);
    server.remove('a');
    await deliverAll();

    late.wrote(answer);

    expect(value()).toBeUndefined();
    expect(informer.ownWrites.size).toBe(0);
  });

  test("[K-61] a response that arrives after another client's write does not bring back an older state", async () => {
    const { server, begin, value, deliverAll } = await withObject();
    const late = begin();
    const answer = server.put('a', 2);
    server.put('a', 3);
    await deliverAll();

    late.wrote(answer);

    expect(value()).toBe(3);
  });

  test('[K-61] an object of the same name with another uid replaces the object that this process wrote', async () => {
    const { server, write, value, deliverAll } = await withObject();
    write(server.put('a', 2));
    server.remove('a');
    server.put('a', 3);

    await deliverAll();

    expect(value()).toBe(3);
  });

  test('[K-61] a remembered write for which no event will come is removed at a bookmark with a later version', async () => {
    const { informer, server, write, value, deliverAll } = await world();
    write(server.put('a', 1, { labels: { app: 'db' } })); // nothing that the watch would tell of
    const before = value();

    await deliverAll();

    expect([before, value()]).toEqual([1, undefined]);
    expect(informer.ownWrites.size).toBe(0);
  });

  test('[K-61] a relist removes the remembered write of an object that was deleted while the watch was down', async () => {
    const { clock, server, write, value } = await world();
    write(server.put('a', 1));
    server.remove('a');
    const before = value();

    server.expire();
    await clock.advanceAndSettle(60_000 - 1);

    expect([before, value()]).toEqual([1, undefined]);
  });

  test('[K-65] a created object that was in no list is reported as vanished, once, after a relist', async () => {
    const { clock, informer, server, write } = await world();
    const { told, handler } = listener();
    const vanished: string[] = [];
    informer.addHandler(handler);
    const cancel = informer.onVanished((changes) => {
      for (const { type, key } of changes) vanished.push(`${type} ${key}`);
    });
    write(server.put('a', 1));
    write(server.put('b', 1));
    server.remove('a');

    server.expire();
    await clock.advanceAndSettle(60_000 - 1);
    server.deliverAll();
    await settle();

    expect(vanished).toEqual(['delete demo/a']);
    expect(told).toEqual(['add b=1']);
    cancel();
    write(server.put('c', 1));
    server.remove('c');
    server.expire();
    await clock.advanceAndSettle(60_000 - 1);
    expect(vanished).toHaveLength(1);
  });

  test('[K-65] an object that the cache has is not reported as vanished', async () => {
    const { informer, server, write, deliverAll } = await withObject();
    const vanished: string[] = [];
    informer.onVanished((changes) => vanished.push(...changes.map(({ key }) => key)));
    write(server.put('a', 2));
    write(server.put('b', 1));

    await deliverAll();

    expect(vanished).toEqual([]);
    expect(informer.ownWrites.isEmpty).toBe(true);
  });

  test('[K-61] a list that was requested before the write does not remove the remembered write', async () => {
    const { clock, server, write, value } = await withObject();
    server.holdsLists = true;
    server.expire();
    await clock.advanceAndSettle(30_000);
    write(server.put('a', 2));

    server.answerLists();
    await settle();

    expect(value()).toBe(2);
  });

  test('[K-61] a write during the first list is visible after it', async () => {
    const server = new LaggingServer();
    server.holdsLists = true;
    const { write, value } = await world(server);
    write(server.put('a', 1));

    server.answerLists();
    await settle();

    expect(value()).toBe(1);
  });
});
