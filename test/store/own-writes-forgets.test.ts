/**
 * An ownWrites forgets own writes after a time, at a gain of leadership, and at the end of its
 * source.
 */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { EXPECTATION_TTL_MS, OWN_WRITES_TTL_MS } from '../../operator/store/own-writes.ts';
import { expired, FakeCollection } from '../support/fake-collection.ts';
import { withObject, world } from './informer-with-own-writes.ts';
import { LaggingServer } from './lagging-server.ts';
import { start } from './started-informer.ts';

describe('expiry of the writes that this process remembers', () => {
  test('[K-61] a remembered write expires after 60 s without its event, and the expiry is counted', async () => {
    const { clock, informer, server, write, value, expired } = await withObject();
    write(server.put('a', 2));

    await clock.advanceAndSettle(OWN_WRITES_TTL_MS - 1);
    const before = [value(), expired()];
    await clock.advanceAndSettle(1);

    expect(before).toEqual([2, 0]);
    expect([value(), expired(), informer.ownWrites.size]).toEqual([1, 1, 0]);
  });

  test('[K-61] a remembered write that is in the cache is removed, and is not counted as expired', async () => {
    const { clock, server, write, expired, deliverAll } = await withObject();
    write(server.put('a', 2));
    await deliverAll();

    await clock.advanceAndSettle(2 * OWN_WRITES_TTL_MS);

    expect(expired()).toBe(0);
  });

  test('[K-65] the remembered create of an object with a generated name expires only after 5 min', async () => {
    const { clock, server, write, value } = await world();
    write(server.put('a', 1, { generateName: 'web-' }));

    await clock.advanceAndSettle(EXPECTATION_TTL_MS - 1);
    const before = value();
    await clock.advanceAndSettle(1);

    expect([before, value()]).toEqual([1, undefined]);
  });

  test('[K-65] a later write to an object with a generated name does not make the remembered create expire earlier', async () => {
    const { clock, server, write, value } = await world();
    write(server.put('a', 1, { generateName: 'web-' }));
    write(server.put('a', 2));

    await clock.advanceAndSettle(EXPECTATION_TTL_MS - 1);

    expect(value()).toBe(2);
  });

  test.each([
    '0',
    '',
    '01',
    'abc',
    '12a',
  ])('[K-61] a write is not remembered if its response has the resourceVersion %j', async (resourceVersion) => {
    const { informer, server, write, value } = await withObject();
    const answer = server.put('a', 2);

    write({ ...answer, metadata: { ...answer.metadata, resourceVersion } });

    expect(value()).toBe(1);
    expect(informer.ownWrites.size).toBe(0);
  });

  test('[K-61] remembered writes are ordered by version as a number, not as a string: 99 is older than 100', async () => {
    const server = new LaggingServer();
    server.put('a', 1);
    server.put('a', 2);
    server.put('a', 3); // 99
    const { write, value } = await world(server);

    write(server.put('a', 4)); // 100

    expect(value()).toBe(4);
  });

  test('[K-64] remembered writes, including pending ones, are cleared when the process becomes the leader', async () => {
    const { server, ownWritesJournal, begin, write, value } = await withObject();
    write(server.put('a', 2));
    const late = begin();
    const answer = server.put('a', 3);

    ownWritesJournal.clear();
    late.wrote(answer);

    expect(value()).toBe(1);
  });

  test('[K-64] remembered writes are dropped when their source ends, and leave no timer behind', async () => {
    const { clock, informer, run, server, stop, write, begin } = await withObject();
    write(server.put('a', 2));
    begin().deleted();
    const late = begin();

    stop();
    await run();
    late.wrote(server.put('a', 3));
    write(server.put('a', 4));
    begin().deleted('uid-1');

    expect(informer.ownWrites.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('[K-64] [W-34] remembered writes are cleared when a list reveals that the server was restored from a backup', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { clock, informer, run } = start(collection);
    void run();
    await settle();
    collection.loseNextEvent = true;
    informer.ownWrites.wrote(collection.put('b', 2));
    const before = informer.storeWithOwnWrites.list().length;

    collection.restore(50, 'a');
    collection.newestWatch.fail(expired());
    await clock.advanceAndSettle(30_000);

    expect(before).toBe(2);
    expect(informer.storeWithOwnWrites.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(informer.ownWrites.size).toBe(0);
  });
});
