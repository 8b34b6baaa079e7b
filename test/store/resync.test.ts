import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { listener, start } from './started-informer.ts';

const HOUR_MS = 3_600_000;
/** Watches and relists of their own would hide requests that a resync makes. */
const QUIET = { watchTimeoutSeconds: [1_000_000, 1_000_000] } as const;

describe('[C-20] resync', () => {
  test('the resync is off by default', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { clock, informer, run } = start(collection);
    const one = listener();
    informer.addHandler(one.handler);
    void run();
    await settle();

    for (let hour = 0; hour < 24; hour++) await clock.advanceAndSettle(HOUR_MS);

    expect(one.told).toEqual(['add a=1 (initial)']);
  });

  test('the resync delivers every object once per period, evenly spread, to a handler that requests it', async () => {
    const collection = new FakeCollection();
    for (const name of ['a', 'b', 'c', 'd']) collection.put(name, 1);
    const { clock, informer, run } = start(collection, QUIET);
    const one = listener();
    const quiet = listener();
    void run();
    await settle();
    informer.addHandler(one.handler, { resyncPeriodMs: 4_000 });
    informer.addHandler(quiet.handler);
    one.told.length = 0;

    const perSecond: number[] = [];
    for (let second = 0; second < 8; second++) {
      const before = one.told.length;
      await clock.advanceAndSettle(1_000);
      perSecond.push(one.told.length - before);
    }

    const round = ['a', 'b', 'c', 'd'].map((name) => `update ${name}=1 (resync)`);
    expect(one.told).toEqual([...round, ...round]);
    expect(perSecond).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(quiet.told).toHaveLength(4);
  });

  test('a resync has the same object as old and new, and sends no request', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { clock, informer, run } = start(collection, { ...QUIET });
    const same: boolean[] = [];
    void run();
    await settle();
    informer.addHandler(
      (changes) => {
        for (const change of changes) {
          if (change.type === 'update') same.push(change.old === change.entry);
        }
      },
      { resyncPeriodMs: 1_000 },
    );
    const requests = collection.lists.length + collection.watches.length;

    // Less than the time after which a silent watch is probed.
    await clock.advanceAndSettle(5_000);

    expect(same).toEqual([true, true, true, true, true]);
    expect(collection.lists.length + collection.watches.length).toBe(requests);
  });

  test.each([
    [0, 900],
    [0.999_999, 1_100],
  ])('the resync with the random number %d for a period of 1 s takes %d ms', async (random, periodMs) => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { clock, informer, run } = start(collection, { random: () => random });
    void run();
    await clock.advanceAndSettle(2_000);
    const one = listener();
    informer.addHandler(one.handler, { resyncPeriodMs: 1_000 });
    one.told.length = 0;

    await clock.advanceAndSettle(periodMs - 2);
    const early = one.told.length;
    await clock.advanceAndSettle(4);

    expect(early).toBe(0);
    expect(one.told).toHaveLength(1);
  });

  test('the resync skips deleted objects, and includes new objects in the next round', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    collection.put('b', 1);
    const { clock, handlerErrors, informer, run } = start(collection, QUIET);
    const one = listener();
    void run();
    await settle();
    informer.addHandler(one.handler, { resyncPeriodMs: 2_000 });

    await clock.advanceAndSettle(1_000);
    collection.remove('b');
    collection.put('c', 1);
    await clock.advanceAndSettle(3_000);

    expect(handlerErrors).toEqual([]);
    expect(one.told.filter((line) => line.endsWith('(resync)'))).toEqual([
      'update a=1 (resync)',
      'update a=1 (resync)',
      'update c=1 (resync)',
    ]);
  });

  test('the resync ends when its handler is removed or its informer stops', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { clock, informer, run, stop } = start(collection, QUIET);
    const running = run();
    await settle();
    const before = clock.pending;
    const first = informer.addHandler(() => {}, { resyncPeriodMs: 1_000 });
    informer.addHandler(() => {}, { resyncPeriodMs: 1_000 });
    const during = clock.pending;

    first.remove();
    const afterRemoval = clock.pending;
    stop();
    await running;

    expect([during, afterRemoval]).toEqual([before + 2, before + 1]);
    expect(clock.pending).toBe(0);
  });

  test.each([
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('addHandler refuses a resync period of %d', (periodMs) => {
    const { informer } = start();

    expect(() => informer.addHandler(() => {}, { resyncPeriodMs: periodMs })).toThrow(
      ConfigurationError,
    );
  });
});
