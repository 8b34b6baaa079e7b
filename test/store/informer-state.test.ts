/** An informer tells its state, its last contact with the server, and which handlers are synced. */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { ApiError } from '../../operator/model/status.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { listener, start } from './started-informer.ts';

test('[C-15] a stopped informer is no longer synced, and its store cannot be read', async () => {
  const { informer, run, stop } = start();
  const running = run();
  await settle();

  stop();
  await running;

  expect(informer.synced).toBe(false);
  expect(() => informer.store.list()).toThrow(expect.objectContaining({ code: 'NOT_SYNCED' }));
});

describe('[C-15] state of an informer', () => {
  test('an informer reports the state of its source, from idle to stopped', async () => {
    const collection = new FakeCollection();
    const refused = (): Error =>
      new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' });
    const { clock, informer, run, stop } = start(collection);
    const states: string[] = [informer.state];
    collection.failLists(
      refused(),
      new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }),
      new ApiError({ code: 404, reason: 'NotFound', message: 'no' }),
    );
    const listPage = collection.listPage.bind(collection);
    const seenWhileListing: string[] = [];
    collection.listPage = (request) => {
      seenWhileListing.push(informer.state);
      return listPage(request);
    };

    const running = run();
    await settle();
    states.push(informer.state);
    for (const state of ['forbidden', 'unserved', 'watching']) {
      const signal = AbortSignal.timeout(15_000);
      for (let rounds = 0; informer.state !== state && rounds < 1_000; rounds++) {
        signal.throwIfAborted();
        await clock.advanceAndSettle(500);
      }
      states.push(informer.state);
    }
    stop();
    await running;
    states.push(informer.state);

    expect(states).toEqual(['idle', 'waiting', 'forbidden', 'unserved', 'watching', 'stopped']);
    expect(seenWhileListing[0]).toBe('listing');
  });

  test('after its watch has ended, an informer is waiting until it watches again', async () => {
    const collection = new FakeCollection();
    const { clock, informer, run } = start(collection);
    void run();
    await settle();
    const refused = new AmbassadorError('refused', {
      code: 'AMBASSADOR_UNREACHABLE',
      fate: 'not-sent',
    });
    collection.failWatches(refused);
    collection.failLists(refused);

    collection.newestWatch.fail(refused);
    await settle();
    const afterEnd = informer.state;
    await clock.advanceAndSettle(120_000);

    expect(afterEnd).toBe('waiting');
    expect(informer.state).toBe('watching');
  });

  test('an informer reports the last contact with the server, including refusals', async () => {
    const collection = new FakeCollection();
    const { clock, informer, run } = start(collection);
    collection.failLists(
      new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' }),
      new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }),
    );
    void run();
    await settle();
    const neverHeardOf = informer.lastContactAt;

    while (informer.lastContactAt === undefined) await clock.advanceAndSettle(100);
    const refusedAt = informer.lastContactAt;
    const syncedThen = informer.synced;
    while (informer.state !== 'watching') await clock.advanceAndSettle(1_000);
    await clock.advanceAndSettle(20_000);
    collection.put('a');
    await settle();

    expect(neverHeardOf).toBeUndefined();
    expect(refusedAt).toBeGreaterThan(0);
    expect(syncedThen).toBe(false);
    expect(informer.lastContactAt).toBe(clock.monotonic());
  });

  test('a handler is synced once it has handled the first list, not as soon as its source is synced', async () => {
    const collection = new FakeCollection();
    collection.put('a');
    const { informer, run, stop } = start(collection);
    const { promise, resolve } = Promise.withResolvers<void>();
    let told = 0;
    const slow = informer.addHandler(() => promise, { onSynced: () => told++ });
    const quick = informer.addHandler(() => {});
    const before = [informer.synced, slow.synced, quick.synced];
    const running = run();
    await settle();
    const during = [informer.synced, slow.synced, quick.synced];

    resolve();
    await informer.until(() => slow.synced, AbortSignal.timeout(10_000));
    const after = [informer.synced, slow.synced, quick.synced];
    stop();
    await running;

    expect(before).toEqual([false, false, false]);
    expect(during).toEqual([true, false, true]);
    expect(after).toEqual([true, true, true]);
    expect(told).toBe(1);
    expect([informer.synced, slow.synced, quick.synced]).toEqual([false, false, false]);
  });

  test('a late handler is synced once it has handled its first changes', async () => {
    const collection = new FakeCollection();
    collection.put('a');
    const { informer, run } = start(collection);
    void run();
    await settle();
    const { promise, resolve } = Promise.withResolvers<void>();

    const quick = informer.addHandler(() => {});
    const slow = informer.addHandler(() => promise);
    const atOnce = [quick.synced, slow.synced];
    resolve();
    await settle();

    expect(atOnce).toEqual([true, false]);
    expect(slow.synced).toBe(true);
  });

  test('a handler of an empty collection is synced without a call', async () => {
    const { informer, run } = start();
    const one = listener();
    const registration = informer.addHandler(one.handler);

    void run();
    await settle();

    expect(registration.synced).toBe(true);
    expect(one.told).toEqual([]);
  });
});
