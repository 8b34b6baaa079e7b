import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Entry } from '../../operator/model/entry.ts';
import { ApiError } from '../../operator/model/status.ts';
import { expired, FakeCollection, type Thing } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

/** The time between the openings of two watches. */
const SPACING_MS = 100;

test('if a watch is often reopened to include more objects, it is open again at once each time', async () => {
  const { clock, collection, reflector } = start();
  await settle();

  for (let count = 0; count < 20; count++) {
    await clock.advanceAndSettle(1_000);
    reflector.widening.reopen();
    await clock.advanceAndSettle(SPACING_MS);
    expect([count, collection.openWatches.length]).toEqual([count, 1]);
  }
});

test('a watch is reopened at once to include more objects, however often it was reopened in the last minute', async () => {
  const { clock, collection, names, reflector } = start();
  const { signal } = new AbortController();
  await settle();

  for (let count = 0; count < 20; count++) {
    await clock.advanceAndSettle(1_000);
    const including = reflector.widening.include(
      { source: collection, take: () => {}, isFirst: false },
      signal,
    );
    await clock.advanceAndSettle(SPACING_MS);
    await including;
    collection.put(`after-${count}`, count);
    await clock.advanceAndSettle(SPACING_MS);
    expect(names()).toContain(`demo/after-${count}`);
  }
});

test('a server that ends watches early gets requests less and less often', async () => {
  const { clock, collection } = start();
  await settle();

  for (let second = 0; second < 60; second++) {
    for (const watch of [...collection.openWatches]) watch.end();
    await clock.advanceAndSettle(1_000);
  }

  expect(collection.watches.length).toBeLessThan(25);
});

test('objects that are added to a watch are listed once, even if the watch is reopened meanwhile to add more objects', async () => {
  const { clock, collection, names, reflector } = start();
  collection.put('own');
  await settle();
  const part = new FakeCollection();
  const taken: string[] = [];
  const listed = Promise.withResolvers<void>();
  part.listGate = listed.promise;
  part.put('added');

  const take = (entries: readonly Entry<Thing>[]): void => {
    taken.push(...entries.map(({ key }) => key));
  };
  const including = reflector.widening.include(
    { source: part, take, isFirst: false },
    new AbortController().signal,
  );
  await settle();
  for (let count = 0; count < 3; count++) {
    reflector.widening.reopen();
    await clock.advanceAndSettle(SPACING_MS);
  }
  reflector.widening.reopen(); // and it is closed when the list is complete
  listed.resolve();
  await settle();
  await clock.advanceAndSettle(SPACING_MS);
  await clock.advanceAndSettle(SPACING_MS);
  await including;

  expect({ taken, lists: part.lists.length }).toEqual({ taken: ['demo/added'], lists: 1 });
  collection.put('later');
  await settle();
  expect(names()).toContain('demo/later');
});

test('objects that are added to a watch are listed again if another list has replaced everything meanwhile', async () => {
  const { clock, collection, reflector } = start();
  await settle();
  const part = new FakeCollection();
  const listed = Promise.withResolvers<void>();
  part.listGate = listed.promise;

  const including = reflector.widening.include(
    { source: part, take: () => {}, isFirst: false },
    new AbortController().signal,
  );
  await settle();
  collection.newestWatch.fail(expired());
  for (let second = 0; second < 5; second++) await clock.advanceAndSettle(1_000);
  listed.resolve();
  await settle();
  await clock.advanceAndSettle(SPACING_MS);
  await including;

  expect({ lists: collection.lists.length, partLists: part.lists.length }).toEqual({
    lists: 2,
    partLists: 2,
  });
});

test('if the list of added objects is older than the watch, the watch is reopened from the version of that list', async () => {
  const { clock, collection, reflector } = start();
  await settle();
  const listed = Promise.withResolvers<void>();
  const part = new FakeCollection();
  part.listGate = listed.promise; // its version is that of its creation

  const including = reflector.widening.include(
    { source: part, take: () => {}, isFirst: false },
    new AbortController().signal,
  );
  await settle();
  reflector.widening.reopen();
  await clock.advanceAndSettle(SPACING_MS);
  for (let count = 0; count < 3; count++) collection.put(`newer-${count}`);
  await settle();
  listed.resolve();
  await settle();
  await including;
  await clock.advanceAndSettle(SPACING_MS);

  expect(collection.newestWatch.request.resourceVersion).toBe(part.revision);
});

test('if objects are added to a watch that waits after failures, the watch is opened at once', async () => {
  const { clock, collection, reflector } = start();
  await settle();
  collection.failWatches(...Array.from({ length: 50 }, () => new ApiError({ code: 503 })));
  collection.newestWatch.end();
  await clock.advanceAndSettle(60_000); // it waits for half a minute by now
  const { length: before } = collection.watches;
  await clock.advanceAndSettle(1_000);
  expect(collection.watches.length).toBe(before);
  collection.calm();

  let isIncluded = false;
  const including = reflector.widening.include(
    { source: collection, take: () => {}, isFirst: false },
    new AbortController().signal,
  );
  void including.then(() => {
    isIncluded = true;
  });
  await settle();
  await clock.advanceAndSettle(SPACING_MS);

  expect({ isIncluded, watches: collection.openWatches.length }).toEqual({
    isIncluded: true,
    watches: 1,
  });
});

test('a wait that the server requested is not shortened when objects are added to a watch', async () => {
  const { clock, collection, reflector } = start();
  await settle();
  const busy = new ApiError({ code: 429, details: { retryAfterSeconds: 20 } });
  collection.failWatches(busy);
  collection.newestWatch.end();
  await clock.advanceAndSettle(5_000);
  const { length: before } = collection.watches;

  void reflector.widening.include(
    { source: collection, take: () => {}, isFirst: false },
    new AbortController().signal,
  );
  await clock.advanceAndSettle(10_000);
  expect([before, collection.watches.length]).toEqual([2, 2]);
  await clock.advanceAndSettle(30_000);
  expect(collection.watches.length).toBeGreaterThan(before);
});
