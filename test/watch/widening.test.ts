import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { start } from './started-reflector.ts';

/** The time between the openings of two watches. */
const SPACING_MS = 100;

test('a watch that is reopened often for other parts is open again at once, each time', async () => {
  const { clock, collection, reflector } = start();
  await settle();

  for (let count = 0; count < 20; count++) {
    await clock.advanceAndSettle(1_000);
    reflector.widening.reopen();
    await clock.advanceAndSettle(SPACING_MS);
    expect([count, collection.openWatches.length]).toEqual([count, 1]);
  }
});

test('a part is taken in at once, however many were before it in the same minute', async () => {
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

test('a server that ends watches early is still asked less and less', async () => {
  const { clock, collection } = start();
  await settle();

  for (let second = 0; second < 60; second++) {
    for (const watch of [...collection.openWatches]) watch.end();
    await clock.advanceAndSettle(1_000);
  }

  expect(collection.watches.length).toBeLessThan(25);
});
