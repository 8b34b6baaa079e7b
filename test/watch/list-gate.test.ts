import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock, settle } from '../../operator/testing/fake-clock.ts';
import { ListGate } from '../../operator/watch/list-gate.ts';
import { expired, FakeCollection } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

/** `count` sources behind one gate; each list stays under way until `answer` is called. */
function sources(count: number) {
  const clock = new FakeClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate = new ListGate({ clock, random: () => 0.5 });
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
  const reflectors = collections.map((collection) => start({ clock, gate }, collection));
  return { clock, collections, reflectors, started, answer: resolve, most: () => most };
}

test('L-13 thirty sources never have more than four lists in flight, and start in their order', async () => {
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

test('L-13 up to ten sources start at once, more of them spread over a second', async () => {
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

test('L-13 who is stopped while it waits gives up its turn, and leaves no listener', async () => {
  const gate = new ListGate({ clock: new FakeClock(), concurrentLists: 1 });
  const stop = new AbortController();
  const { signal } = new AbortController();
  const release = await gate.enter(signal);

  const waiting = gate.enter(stop.signal);
  const next = gate.enter(signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  release();
  release();
  const second = await next;
  const third = gate.enter(signal);
  const state = await Promise.race([third.then(() => 'entered'), settle().then(() => 'waits')]);
  second();
  (await third)();

  expect(state).toBe('waits');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});

test('L-23 when fifty sources lose their watches together, their lists are spread over two seconds', async () => {
  let seed = 0.11;
  const random = (): number => {
    seed = (seed * 997 + 0.17) % 1;
    return seed;
  };
  const clock = new FakeClock();
  const gate = new ListGate({ clock, random });
  const collections = Array.from({ length: 50 }, () => new FakeCollection());
  for (const collection of collections) start({ clock, gate }, collection);
  await clock.advanceAndSettle(10_000);
  const lists = (): number => collections.reduce((sum, { lists }) => sum + lists.length - 1, 0);

  for (const collection of collections) collection.newestWatch.fail(expired());
  await settle();
  const atOnce = lists();
  await clock.advanceAndSettle(1_000);
  const afterOne = lists();
  await clock.advanceAndSettle(1_000);

  expect(atOnce).toBe(4);
  expect(afterOne).toBeGreaterThan(10);
  expect(afterOne).toBeLessThan(45);
  expect(lists()).toBe(50);
});

test('L-23 a single source lists anew at once', async () => {
  const { collection } = start();
  await settle();

  collection.newestWatch.fail(expired());
  await settle();

  expect(collection.lists).toHaveLength(2);
});

test('W-27 ten sources that fail together do not come back together', async () => {
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
