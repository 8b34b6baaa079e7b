import { FakeClock, settle } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { AmbassadorError, ProtocolError } from '../../operator/core/errors.ts';
import type { WatchEvent } from '../../operator/model/entry.ts';
import { ApiError } from '../../operator/model/status.ts';
import { Reflector, type ReflectorSink } from '../../operator/watch/reflector.ts';
import { expired, FakeCollection, type Thing } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

const MINUTE_MS = 60_000;
const lost = (): AmbassadorError =>
  new AmbassadorError('cut', { code: 'CONNECTION_LOST', fate: 'unknown' });
const refused = (): AmbassadorError =>
  new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' });

test('the reflector lists once, then watches from that resourceVersion, and mirrors every change', async () => {
  const collection = new FakeCollection();
  collection.put('a');
  const { cached, reflector, statuses } = start({}, collection);
  await settle();

  collection.put('b');
  collection.put('a', 7);
  collection.remove('b');
  await settle();

  expect(collection.lists.map(({ consistency }) => consistency.kind)).toEqual(['latest']);
  expect(collection.watches.map(({ request }) => request.resourceVersion)).toEqual(['101']);
  expect(cached()).toEqual(collection.objects);
  expect(reflector.resourceVersion).toBe(collection.revision);
  expect(statuses).toEqual(['healthy']);
});

test('[W-1] the reflector requests watches of 300 to 600 seconds', async () => {
  const { collection } = start();
  await settle();

  expect(collection.newestWatch.request.timeoutSeconds).toBe(450);
});

test('[L-6] [L-7] the reflector uses the resourceVersion of the first page, and publishes no page before the last', async () => {
  const collection = new FakeCollection();
  for (const name of ['a', 'b', 'c']) collection.put(name);
  collection.betweenPages = () => collection.put('late');

  const { names } = start({ pageSize: 2 }, collection);
  await settle();

  expect(collection.newestWatch.request.resourceVersion).toBe('103');
  expect(names()).toEqual(['demo/a', 'demo/b', 'demo/c', 'demo/late']);
});

test('[L-5] the reflector starts over without pages when a page token expires, and deletes nothing meanwhile', async () => {
  const collection = new FakeCollection();
  for (const name of ['a', 'b', 'c']) collection.put(name);
  collection.betweenPages = () => {
    collection.betweenPages = () => {};
    collection.failLists(expired());
  };

  const { names } = start({ pageSize: 2 }, collection);
  await settle();

  expect(collection.lists.map(({ limit }) => limit)).toEqual([2, 2, 0]);
  expect(names()).toEqual(['demo/a', 'demo/b', 'demo/c']);
});

test('[W-20] row 5: the reflector resumes from the last event after a cut, without a list and without a loss', async () => {
  const { clock, collection, cached } = start();
  await settle();
  collection.put('a');
  await settle();
  const seen = collection.revision;

  collection.newestWatch.fail(lost());
  collection.put('b');
  await clock.advanceAndSettle(250);

  expect(collection.lists).toHaveLength(1);
  expect(collection.newestWatch.request.resourceVersion).toBe(seen);
  expect(cached()).toEqual(collection.objects);
});

test('[W-16] the reflector resumes from a bookmark', async () => {
  const { clock, collection, replaced } = start();
  await settle();
  collection.loseNextEvent = true; // of another resource: the revision moves, no event comes
  collection.put('elsewhere');
  collection.bookmark();
  await settle();

  collection.newestWatch.end();
  await clock.advanceAndSettle(100);

  expect(collection.newestWatch.request.resourceVersion).toBe(collection.revision);
  expect(replaced()).toBe(1);
});

test('[H26] a bookmark without a resourceVersion changes nothing', async () => {
  const { clock, collection } = start();
  await settle();
  const event: WatchEvent<Thing> = {
    type: 'BOOKMARK',
    resourceVersion: undefined,
    initialEventsEnd: false,
  };

  collection.newestWatch.send(event);
  await settle();
  collection.newestWatch.end();
  await clock.advanceAndSettle(100);

  expect(collection.newestWatch.request.resourceVersion).toBe('100');
  expect(collection.lists).toHaveLength(1);
});

test.each([
  'HTTP status',
  'ERROR event',
])('[L-20] a 410 as %s causes one list that is not older than the known state and finds missed deletes', async (form) => {
  const collection = new FakeCollection();
  collection.put('a');
  collection.put('b');
  const { clock, cached } = start({}, collection);
  await clock.advanceAndSettle(5_000);
  collection.bookmark();
  await settle();
  const seen = collection.revision;

  if (form === 'HTTP status') {
    collection.failWatches(expired());
    collection.loseNextEvent = true;
    collection.remove('a');
    collection.newestWatch.end();
  } else {
    collection.newestWatch.end();
    collection.loseNextEvent = true;
    collection.remove('a');
    collection.compact();
  }
  await clock.advanceAndSettle(1_000);

  expect(collection.lists.map(({ consistency }) => consistency)).toEqual([
    { kind: 'latest' },
    { kind: 'not-older-than', resourceVersion: seen },
  ]);
  expect(cached()).toEqual(collection.objects);
});

test('[L-14] [H33] the reflector keeps the old objects while a relist fails, and replaces them when a relist succeeds', async () => {
  const collection = new FakeCollection();
  collection.put('a');
  const { clock, names, statuses } = start({}, collection);
  await settle();
  const upstream = new AmbassadorError('dial', { code: 'AMBASSADOR_UPSTREAM', fate: 'not-sent' });
  collection.failLists(upstream, upstream);

  collection.newestWatch.fail(expired());
  collection.remove('a');
  collection.compact();
  await clock.advanceAndSettle(500);
  const during = names();
  await clock.advanceAndSettle(MINUTE_MS);

  expect(during).toEqual(['demo/a']);
  expect(names()).toEqual([]);
  expect(statuses).toEqual(['healthy', 'failing: upstream-unreachable', 'healthy']);
});

test('[W-20] row 12: [H08] an ERROR event other than 410 resumes from the same resourceVersion', async () => {
  const { clock, collection } = start();
  await settle();

  collection.newestWatch.fail(new ApiError({ code: 500, reason: 'InternalError' }));
  await clock.advanceAndSettle(2_000);

  expect(collection.lists).toHaveLength(1);
  expect(collection.newestWatch.request.resourceVersion).toBe('100');
});

test('[W-13] [H41] a garbage line causes a new list, so that nothing after it is lost', async () => {
  const { clock, collection, cached } = start();
  await settle();

  collection.newestWatch.fail(new ProtocolError('garbage', { code: 'DECODE' }));
  collection.put('a');
  await clock.advanceAndSettle(200);

  expect(collection.lists).toHaveLength(2);
  expect(cached()).toEqual(collection.objects);
});

test('[W-20] row 7: [H17] a closed port is retried within a second at first, and then every few seconds without limit', async () => {
  const collection = new FakeCollection();
  collection.failLists(...Array.from({ length: 20 }, refused));
  const { clock, statuses } = start({}, collection);

  await clock.advanceAndSettle(250);
  const early = collection.lists.length;
  await clock.advanceAndSettle(100_000);

  expect(early).toBe(2);
  expect(collection.watches).toHaveLength(1);
  expect(statuses).toEqual(['failing: unreachable', 'healthy']);
});

test('[W-26] [H11] a server that ends every watch at once gets a bounded rate of requests', async () => {
  const { clock, collection, statuses } = start();
  for (let second = 0; second < 300; second++) {
    await clock.advanceAndSettle(1_000);
    for (const watch of collection.openWatches) watch.end();
  }

  const requests = collection.lists.length + collection.watches.length;
  expect(requests).toBeLessThan(60);
  expect(statuses).toEqual(['healthy', 'failing: ended-at-once']);
});

test('[W-25] a server that ends every watch after one event gets at most 20 watches a minute', async () => {
  const { clock, collection } = start();
  await settle();
  for (let step = 0; step < 600; step++) {
    for (const watch of collection.openWatches) {
      collection.put('a', step);
      watch.end();
    }
    await clock.advanceAndSettle(100);
  }

  expect(collection.watches.length).toBeLessThanOrEqual(20);
});

test('[W-20] row 3: watches that end after exactly their time are reopened without a pause and without a list', async () => {
  const { clock, collection } = start({ watchTimeoutSeconds: [3, 4] });
  await settle();
  for (let cycle = 0; cycle < 200; cycle++) {
    collection.put('a', cycle);
    await clock.advanceAndSettle(3_000);
    collection.newestWatch.end();
    await clock.advanceAndSettle(100);
  }

  expect(collection.watches).toHaveLength(201);
  expect(collection.lists).toHaveLength(1);
});

test('[W-20] row 9: [H13] the reflector waits at least for Retry-After, and resumes without a list', async () => {
  const { clock, collection } = start();
  await settle();
  const busy = (): ApiError => new ApiError({ code: 429 }, { retryAfterMs: 2_000 });
  collection.failWatches(busy(), busy(), busy());

  collection.newestWatch.end();
  await clock.advanceAndSettle(1_999);
  const tooEarly = collection.watches.length;
  await clock.advanceAndSettle(20_000);

  expect(tooEarly).toBe(2);
  expect(collection.openWatches).toHaveLength(1);
  expect(collection.lists).toHaveLength(1);
});

test('[W-20] row 14: a 403 is retried after five seconds or more, until the permission is granted', async () => {
  const collection = new FakeCollection();
  const forbidden = new ApiError({ code: 403, reason: 'Forbidden' });
  collection.failLists(forbidden, forbidden);
  const { clock, statuses } = start({}, collection);

  await clock.advanceAndSettle(4_000);
  const early = collection.lists.length;
  await clock.advanceAndSettle(30_000);

  expect(early).toBe(1);
  expect(statuses).toEqual(['forbidden: forbidden', 'healthy']);
});

test('[W-40] a resource that is not served is looked up every ten seconds, and the old objects are kept', async () => {
  const collection = new FakeCollection();
  collection.put('a');
  const { clock, names, statuses } = start({}, collection);
  await clock.advanceAndSettle(5_000);
  const missing = new ApiError({ code: 404, message: '404 page not found' });
  collection.failWatches(missing);
  collection.failLists(missing, missing);

  collection.newestWatch.end();
  await clock.advanceAndSettle(15_000);
  const during = names();
  await clock.advanceAndSettle(30_000);

  expect(during).toEqual(['demo/a']);
  expect(statuses).toEqual(['healthy', 'unserved: unserved', 'healthy']);
});

test('[W-31] the reflector cuts a watch that outlives its own timeout by ten seconds, and resumes', async () => {
  const { clock, collection } = start({ watchTimeoutSeconds: [100, 101] });
  await settle();
  const [first] = collection.watches;

  await clock.advanceAndSettle(109_000);
  const before = first?.ended;
  await clock.advanceAndSettle(2_000);

  expect(before).toBe(false);
  expect(first?.ended).toBe(true);
  expect(collection.openWatches).toHaveLength(1);
});

test('[W-31] the reflector also cuts a watch that still sends events after its timeout', async () => {
  const { clock, collection } = start({ watchTimeoutSeconds: [100, 101] });
  await settle();
  const [first] = collection.watches;

  for (let second = 0; second < 112; second++) {
    collection.put('a', second);
    await clock.advanceAndSettle(1_000);
  }

  expect(first?.ended).toBe(true);
  expect(collection.openWatches).toHaveLength(1);
  expect(collection.lists).toHaveLength(1);
});

test('[W-30] if a watch had bookmarks, 90 seconds of silence on the next watch count as a dead connection', async () => {
  const { clock, collection } = start({ watchTimeoutSeconds: [600, 601] });
  await settle();
  for (let minute = 0; minute < 9; minute++) {
    await clock.advanceAndSettle(MINUTE_MS);
    collection.bookmark();
  }
  await clock.advanceAndSettle(59_000);
  collection.newestWatch.end();
  await clock.advanceAndSettle(100);
  const second = collection.newestWatch;

  await clock.advanceAndSettle(89_000);
  const before = second.ended;
  await clock.advanceAndSettle(2_000);

  expect(before).toBe(false);
  expect(second.ended).toBe(true);
  expect(collection.lists).toHaveLength(1);
});

test('[W-30] [H22] a silent watch that never had bookmarks is left open until its timeout', async () => {
  const { clock, collection } = start({ watchTimeoutSeconds: [600, 601] });
  await settle();

  await clock.advanceAndSettle(10 * MINUTE_MS);

  expect(collection.watches).toHaveLength(1);
  expect(collection.openWatches).toHaveLength(1);
});

test('[W-33] [W-34] a restored server is detected by a probe after a watch without events', async () => {
  const collection = new FakeCollection();
  collection.put('a');
  collection.put('b');
  const { clock, names } = start({}, collection);
  await settle();
  const [first] = collection.watches;

  collection.restore(50, 'a');
  await clock.advanceAndSettle(5 * MINUTE_MS);
  first?.end();
  await clock.advanceAndSettle(1_000);

  expect(names()).toEqual(['demo/a']);
  expect(collection.newestWatch.request.resourceVersion).toBe(collection.revision);
});

test('[W-35] the authoritative relist finds and repairs a delete whose event was lost', async () => {
  const collection = new FakeCollection();
  collection.put('a');
  collection.put('b');
  const { clock, drift, names } = start(
    { relistIntervalMs: 30 * MINUTE_MS, watchTimeoutSeconds: [7_200, 7_201] },
    collection,
  );
  await settle();
  collection.loseNextEvent = true;
  collection.remove('a');

  await clock.advanceAndSettle(31 * MINUTE_MS);

  expect(drift).toEqual([['demo/a']]);
  expect(names()).toEqual(['demo/b']);
});

test('[W-35] the authoritative relist of a busy, healthy source finds nothing and replaces nothing', async () => {
  const collection = new FakeCollection();
  for (const name of ['a', 'b', 'c']) collection.put(name);
  const { clock, drift, replaced } = start(
    { relistIntervalMs: 10 * MINUTE_MS, pageSize: 1, watchTimeoutSeconds: [7_200, 7_201] },
    collection,
  );
  await settle();
  let turn = 0;
  collection.betweenPages = () => {
    collection.put('a', ++turn);
    collection.remove('b');
    collection.put('b');
  };

  await clock.advanceAndSettle(45 * MINUTE_MS);

  expect(drift).toEqual([[], [], [], []]);
  expect(replaced()).toBe(1);
});

test('[W-35] the authoritative relist is not misled by a concurrent delete', async () => {
  const collection = new FakeCollection();
  for (const name of ['a', 'b', 'c']) collection.put(name);
  const { clock, drift, names } = start(
    { relistIntervalMs: 10 * MINUTE_MS, pageSize: 1, watchTimeoutSeconds: [7_200, 7_201] },
    collection,
  );
  await settle();
  collection.betweenPages = () => collection.remove('a');

  await clock.advanceAndSettle(11 * MINUTE_MS);

  expect(drift).toEqual([[]]);
  expect(names()).toEqual(['demo/b', 'demo/c']);
});

test.each([
  'list',
  'event',
])('a sink that throws on a %s ends the run, because a bug must not look like a server failure', async (on) => {
  const collection = new FakeCollection();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const buggy = (): void => {
    throw new TypeError('bug');
  };
  const sink: ReflectorSink<Thing> = {
    replace: on === 'list' ? buggy : () => {},
    apply: on === 'event' ? buggy : () => {},
    statusChanged: () => {},
    verified: () => {},
    known: () => undefined,
    keys: () => [],
  };
  const clock = new FakeClock();
  const reflector = new Reflector(collection, sink, { clock, relistIntervalMs: 0 });

  const running = reflector.run(stop.signal);
  running.catch(() => {});
  await settle();
  collection.put('a');

  await expect(running).rejects.toThrow(TypeError);
  expect(clock.pending).toBe(0);
});

test.each([
  'listing',
  'watching',
  'waiting',
])('[W-3] the reflector can be stopped while %s, and leaves nothing open', async (moment) => {
  const collection = new FakeCollection();
  if (moment === 'waiting') collection.failLists(refused());
  const { clock, reflector, running, stop } = start({}, collection);
  if (moment !== 'listing') await settle();

  stop();
  await running;

  expect(reflector.status.health).toBe('stopped');
  expect(collection.openWatches).toHaveLength(0);
  expect(clock.pending).toBe(0);
});
