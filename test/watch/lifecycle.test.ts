import { getEventListeners } from 'node:events';
import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { ApiError } from '../../operator/model/status.ts';
import { ListLimiter } from '../../operator/watch/policy/list-limiter.ts';
import { Reflector } from '../../operator/watch/reflector.ts';
import { expired, FakeCollection, type Thing } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

const HOUR_MS = 3_600_000;
const refused = (): AmbassadorError =>
  new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' });
const upstream = (): AmbassadorError =>
  new AmbassadorError('dial', { code: 'AMBASSADOR_UPSTREAM', fate: 'not-sent' });

test('[W-3] a thousand starts and stops at any moment leave no timer, listener, slot or watch behind', async () => {
  const clock = new FakeClock();
  const limiter = new ListLimiter({ clock, concurrentLists: 1 });
  const { signal: parent } = new AbortController();
  const collections = ['paged', 'stream'].map(() => new FakeCollection());
  const reflectors = collections.map(
    (collection, index) =>
      new Reflector<Thing>(
        collection,
        {
          replace: () => settle(),
          apply: () => {},
          statusChanged: () => {},
          verified: () => {},
          known: () => undefined,
          keys: () => [],
        },
        { clock, limiter, list: index === 0 ? 'paged' : 'stream' },
      ),
  );
  let late = 0;

  for (let cycle = 0; cycle < 1_000; cycle++) {
    const stop = new AbortController();
    for (const collection of collections) {
      if (cycle % 7 === 0) collection.failLists(refused());
      if (cycle % 11 === 0) collection.failWatches(expired());
    }
    const running = reflectors.map((reflector) => reflector.run(stop.signal));
    for (let hop = 0; hop < cycle % 13; hop++) await Promise.resolve();
    if (cycle % 3 === 0) await settle();
    if (cycle % 5 === 0) clock.advance(200);
    if (cycle % 3 === 0) collections[0]?.put('a', cycle);
    stop.abort();
    await Promise.all(running);
    late += clock.pending + getEventListeners(stop.signal, 'abort').length;
    late += collections.reduce((sum, { openWatches }) => sum + openWatches.length, 0);
  }

  expect(late).toBe(0);
  expect(reflectors.map(({ status }) => status.health)).toEqual(['stopped', 'stopped']);
  const release = await limiter.enter(parent); // the only place is free
  release();
});

test('[W-3] [H51] a second run sends no request while the first run goes on', async () => {
  const { collection, reflector, running, stop } = start();
  const again = reflector.run(new AbortController().signal);
  await settle();

  const requests = [collection.lists.length, collection.watches.length];
  stop();
  await Promise.all([running, again]);

  expect(requests).toEqual([1, 1]);
});

test('[W-3] a stopped reflector can run again, and begins with a list that is not older than before', async () => {
  const { collection, reflector, running, stop, statuses } = start({ initialList: 'any' });
  await settle();
  stop();
  await running;

  const again = new AbortController();
  const second = reflector.run(again.signal);
  await settle();
  again.abort();
  await second;

  expect(collection.lists.map(({ consistency }) => consistency)).toEqual([
    { kind: 'any' },
    { kind: 'not-older-than', resourceVersion: '100' },
  ]);
  expect(statuses).toEqual(['healthy', 'stopped', 'starting', 'healthy', 'stopped']);
});

test('[W-4] a quiet resource is healthy once its watch is accepted', async () => {
  const { statuses } = start();
  await settle();

  expect(statuses).toEqual(['healthy']);
});

test('[L-1] the first list reads the newest state, or any state when configured', async () => {
  const newest = start();
  const any = start({ initialList: 'any' });
  await settle();

  const kinds = [newest, any].map(({ collection }) => collection.lists[0]?.consistency.kind);
  expect(kinds).toEqual(['latest', 'any']);
});

test('[W-41] alternating refusals, 5xx responses of the proxy and 429 cause at most ten status changes an hour', async () => {
  const { clock, collection, statuses } = start();
  await settle();
  const busy = (): ApiError => new ApiError({ code: 429 });
  const failures = [refused, upstream, busy, refused, busy, upstream];
  collection.failWatches(
    ...Array.from({ length: 600 }, (_, turn) => failures[turn % 6]?.() ?? busy()),
  );

  await clock.advanceAndSettle(5_000);
  collection.newestWatch.end();
  await clock.advanceAndSettle(HOUR_MS);

  expect(collection.watches.length).toBeGreaterThan(60);
  expect(statuses.length).toBeLessThanOrEqual(10);
  expect(statuses).toEqual([
    'healthy',
    'failing: unreachable',
    'failing: upstream-unreachable',
    'failing: overloaded',
  ]);
});

test('[L-21] if a server lags behind by two seconds, the source waits, and requests no list that bypasses the cache of the server', async () => {
  const { clock, collection } = start();
  await settle();
  collection.failLists(tooLarge());

  collection.newestWatch.fail(expired());
  await clock.advanceAndSettle(2_000);

  expect(collection.lists.map(({ consistency }) => consistency.kind)).toEqual([
    'latest',
    'not-older-than',
    'not-older-than',
  ]);
  expect(collection.openWatches).toHaveLength(1);
});

test("[L-21] within ten seconds, the source lists a restored server's newest state instead of its cached state", async () => {
  const { clock, collection } = start();
  await settle();
  collection.failLists(tooLarge(), tooLarge(), tooLarge(), tooLarge());

  collection.newestWatch.fail(expired());
  await clock.advanceAndSettle(20_000);

  expect(collection.lists.map(({ consistency }) => consistency.kind)).toEqual([
    ...['latest', 'not-older-than', 'not-older-than', 'not-older-than', 'not-older-than'],
    'latest',
  ]);
});

test('[L-21] if a list with NotOlderThan is refused as expired, a list of the latest state follows at once', async () => {
  const { collection } = start();
  await settle();
  collection.failLists(expired());

  collection.newestWatch.fail(expired());
  await settle();

  const kinds = collection.lists.map(({ consistency }) => consistency.kind);
  expect(kinds).toEqual(['latest', 'not-older-than', 'latest']);
});

test.each([
  'AMBASSADOR_TIMEOUT',
  'CONNECTION_LOST',
] as const)('an unpaged list that ends in %s is followed by a paged list', async (code) => {
  const { clock, collection } = start();
  await settle();
  collection.failLists(new AmbassadorError('late', { code, fate: 'unknown' }));

  collection.newestWatch.fail(expired());
  await clock.advanceAndSettle(2_000);

  const limits = collection.lists.map(({ limit }) => limit);
  expect(limits).toEqual([500, 0, 500]);
});

test('[W-42] the reflector measures opens, events, lists, stalls, state and the last contact', async () => {
  const labels = { group: '', version: 'v1', resource: 'things', namespace: 'demo' };
  const { clock, collection, meter } = start({ labels, watchTimeoutSeconds: [100, 101] });
  await settle();
  collection.put('a');
  collection.put('a', 2);
  collection.remove('a');
  collection.bookmark();
  collection.newestWatch.request.onSkipped?.();
  await clock.advanceAndSettle(111_000);
  collection.failWatches(refused());
  collection.newestWatch.end();
  await clock.advanceAndSettle(100);

  const counted = (name: string, more = {}): number => meter.value(name, { ...labels, ...more });
  expect(counted('chancery_watch_opens_total', { result: 'ok' })).toBe(2);
  expect(counted('chancery_watch_opens_total', { result: 'unreachable' })).toBe(1);
  const types = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'];
  const events = types.map((type) => counted('chancery_watch_events_total', { type }));
  expect(events).toEqual([1, 1, 1, 1]);
  expect(counted('chancery_lists_total', { mode: 'paged', result: 'ok' })).toBe(1);
  expect(
    meter.observations('chancery_list_duration_seconds', { ...labels, mode: 'paged' }),
  ).toHaveLength(1);
  expect(counted('chancery_watch_stalls_total')).toBe(1);
  expect(counted('chancery_source_failures_total', { reason: 'stalled' })).toBe(1);
  expect(counted('chancery_source_failures_total', { reason: 'unreachable' })).toBe(1);
  expect(counted('chancery_watch_events_skipped_total')).toBe(1);
  expect(counted('chancery_source_state', { state: 'failing' })).toBe(1);
  expect(counted('chancery_source_state', { state: 'healthy' })).toBe(0);
  expect(counted('chancery_last_contact_timestamp_seconds')).toBe(110);
});

function tooLarge(): ApiError {
  return new ApiError({
    code: 504,
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
  });
}
