import { getEventListeners } from 'node:events';
import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { ListLimiter } from '../../operator/watch/policy/list-limiter.ts';
import { expired, FakeCollection } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

/** `count` sources behind one limiter; each list stays under way until `answer` is called. */
function sources(count: number) {
  const clock = new FakeClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  const limiter = new ListLimiter({ clock, random: () => 0.5 });
  const started: string[] = [];
  const collections = Array.from({ length: count }, () => new FakeCollection());
  let most = 0;
  for (const [index, collection] of collections.entries()) {
    collection.listGate = promise;
    const listPage = collection.listPage.bind(collection);
    collection.listPage = (request) => {
      started.push(`${index}`);
      const listing = listPage(request);
      most = Math.max(
        most,
        collections.reduce((sum, one) => sum + one.listing.now, 0),
      );
      return listing;
    };
  }
  const reflectors = collections.map((collection) => start({ clock, limiter }, collection));
  return { clock, collections, reflectors, started, answer: resolve, most: () => most };
}

test('[L-13] thirty sources never have more than four lists in flight, and start in order', async () => {
  const { clock, collections, reflectors, started, answer, most } = sources(30);

  await clock.advanceAndSettle(2_000);
  const waiting = [started.length, ...reflectors.map(({ statuses }) => statuses.length)];
  answer();
  await clock.advanceAndSettle(100);

  expect(waiting).toEqual([4, ...Array.from({ length: 30 }, () => 0)]);
  expect(most()).toBe(4);
  expect(started).toEqual(collections.map((_, index) => `${index}`));
  expect(collections.every(({ watches }) => watches.length === 1)).toBe(true);
});

test('[L-13] up to ten sources start at once, and more sources are spread over a second', async () => {
  const ten = sources(10);
  const eleven = sources(11);
  ten.answer();
  eleven.answer();
  await settle();

  const atOnce = [ten.started.length, eleven.started.length];
  await eleven.clock.advanceAndSettle(500);
  const half = eleven.started.length;
  await eleven.clock.advanceAndSettle(500);

  expect(atOnce).toEqual([10, 0]);
  expect(half).toBeGreaterThan(3);
  expect(half).toBeLessThan(8);
  expect(eleven.started).toHaveLength(11);
});

test('[L-13] a source that is stopped while it waits gives up its turn, and leaves no listener behind', async () => {
  const limiter = new ListLimiter({ clock: new FakeClock(), concurrentLists: 1 });
  const stop = new AbortController();
  const { signal } = new AbortController();
  const release = await limiter.enter(signal);

  const waiting = limiter.enter(stop.signal);
  const next = limiter.enter(signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  release();
  release();
  const second = await next;
  const third = limiter.enter(signal);
  const state = await Promise.race([third.then(() => 'entered'), settle().then(() => 'waits')]);
  second();
  (await third)();

  expect(state).toBe('waits');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});

/** Sources behind one limiter that watch, and when each has listed anew, from now on. */
async function watching(count: number) {
  const clock = new FakeClock();
  const limiter = new ListLimiter({ clock, random: evenly() });
  const random = evenly();
  const collections = Array.from({ length: count }, () => new FakeCollection());
  for (const collection of collections) start({ clock, limiter, random }, collection);
  await clock.advanceAndSettle(10_000);
  const lostAt = clock.monotonic();
  const times: number[] = [];
  for (const collection of collections) {
    const listPage = collection.listPage.bind(collection);
    collection.listPage = (request) => {
      times.push(clock.monotonic() - lostAt);
      return listPage(request);
    };
  }
  return { clock, collections, times };
}

/** Numbers in [0, 1) that fill it evenly, however many are taken. */
function evenly(): () => number {
  let turn = 0;
  return () => (++turn * 0.618_033_988_75) % 1;
}

/** The most starts in any 200 ms. */
function densest(times: readonly number[]): number {
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + 200).length),
  );
}

test('[L-23] the lists of fifty sources that lose their watches together are spread over two seconds', async () => {
  const { clock, collections, times } = await watching(50);

  for (const collection of collections) collection.newestWatch.fail(expired());
  await clock.advanceAndSettle(2_000);

  expect(times).toHaveLength(50);
  expect(densest(times)).toBeLessThanOrEqual(8); // even: fifty over the 1.75 s that remain are 6
  expect(Math.max(...times)).toBeGreaterThan(1_800);
});

test('[L-23] the lists of fifty sources are spread over two seconds when their API server restarts', async () => {
  const { clock, collections, times } = await watching(50);

  for (const collection of collections) {
    collection.failWatches(expired()); // what it finds when it comes back after 50 to 250 ms
    collection.newestWatch.fail(lost());
  }
  await clock.advanceAndSettle(2_250);

  expect(times).toHaveLength(50);
  expect(densest(times)).toBeLessThanOrEqual(9);
  expect(Math.max(...times)).toBeGreaterThan(1_800);
});

test('[L-23] the lists of five sources are spread over time, including the first list', async () => {
  const { clock, collections, times } = await watching(5);

  for (const collection of collections) {
    collection.newestWatch.fail(expired());
    await clock.advanceAndSettle(60);
  }
  await clock.advanceAndSettle(2_000);

  expect(times).toHaveLength(5);
  expect(new Set(times).size).toBe(5);
  expect(Math.min(...times)).toBeGreaterThan(250);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1_000);
});

test('[L-23] four of many sources list again after a quarter of a second', async () => {
  const { clock, collections, times } = await watching(50);

  for (const collection of collections.slice(0, 4)) collection.newestWatch.fail(expired());
  await clock.advanceAndSettle(2_000);

  expect(times).toEqual([250, 250, 250, 250]);
});

test('[L-23] five sources that need a list one second apart do not wait for each other', async () => {
  const { clock, collections, times } = await watching(5);

  for (const collection of collections) {
    collection.newestWatch.fail(expired());
    await clock.advanceAndSettle(1_001);
  }

  expect(times).toEqual([250, 1_251, 2_252, 3_253, 4_254]);
});

test('[L-23] in a process with four sources, all of them list again at once', async () => {
  const { collections, times } = await watching(4);

  for (const collection of collections) collection.newestWatch.fail(expired());
  await settle();

  expect(times).toEqual([0, 0, 0, 0]);
});

test('[W-27] ten sources that fail together retry at different times', async () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const collections = Array.from({ length: 10 }, () => new FakeCollection());
  for (const collection of collections) start({ clock, random: Math.random }, collection);
  await settle();

  for (const collection of collections) {
    const watch = collection.watch.bind(collection);
    collection.watch = (request) => {
      times.push(clock.monotonic());
      return watch(request);
    };
    collection.newestWatch.fail(new Error('cut'));
  }
  await clock.advanceAndSettle(60_000);

  expect(times).toHaveLength(10);
  expect(new Set(times).size).toBe(10);
});

function lost(): AmbassadorError {
  return new AmbassadorError('cut', { code: 'CONNECTION_LOST', fate: 'unknown' });
}
