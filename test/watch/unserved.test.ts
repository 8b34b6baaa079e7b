/** Sources whose resource the server does not serve, and the one poll that they share. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../operator/model/status.ts';
import { DiscoveryPoll } from '../../operator/watch/discovery-poll.ts';
import type { Discovery, ListWatch } from '../../operator/watch/list-watch.ts';
import type { ReflectorOptions } from '../../operator/watch/reflector-options.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

/** Discovery of one client, with everything that it was asked. */
function fakeServer(clock: FakeClock) {
  const client = {};
  const askedAt: number[] = [];
  const definitionsAskedAt: number[] = [];
  const state = {
    served: [] as readonly string[],
    failure: undefined as Error | undefined,
    definition: 'there' as 'there' | 'gone',
    hangs: false,
    abortedCount: 0,
  };
  const answer = async (signal: AbortSignal): Promise<void> => {
    if (!state.hangs) return;
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        state.abortedCount++;
        reject(signal.reason);
      });
    });
  };
  const discovery = (plural = 'things', groupVersion = 'example.com/v1'): Discovery => ({
    client,
    groupVersion,
    plural,
    served: async (signal) => {
      askedAt.push(clock.monotonic());
      await answer(signal);
      if (state.failure !== undefined) throw state.failure;
      return state.served;
    },
    isDefinitionGone: async () => {
      definitionsAskedAt.push(clock.monotonic());
      return state.definition === 'gone';
    },
  });
  return { askedAt, definitionsAskedAt, state, discovery };
}

const missing = (): ApiError => new ApiError({ code: 404, message: '404 page not found' });

/** A collection that is not served for the next `times` requests of each kind. */
function unserved(times = 1_000): FakeCollection {
  const collection = new FakeCollection();
  collection.put('a');
  collection.failLists(...Array.from({ length: times }, missing));
  return collection;
}

function discoverable(collection: FakeCollection, discovery: Discovery): ListWatch<Thing> {
  return {
    discovery,
    listPage: (request) => collection.listPage(request),
    watch: (request) => collection.watch(request),
  };
}

/** Sources of one group and version, `count` of them, none of which is served, with one poll. */
function world(count: number, options: Partial<ReflectorOptions> = {}) {
  const clock = new FakeClock();
  const discoveryPoll = new DiscoveryPoll(clock);
  const server = fakeServer(clock);
  const sources = Array.from({ length: count }, (_, index) => {
    const collection = unserved(1);
    const plural = `things${index}`;
    const source = discoverable(collection, server.discovery(plural));
    return { ...start({ clock, discoveryPoll, ...options }, source), collection };
  });
  return { clock, discoveryPoll, sources, ...server };
}

/** A source that waits on `poll` alone, with 10 ms between its requests. */
function waitWith(
  poll: DiscoveryPoll,
  discovery: Discovery,
  { clears = false, signal }: { readonly clears?: boolean; readonly signal: AbortSignal },
) {
  let goneCount = 0;
  const result = poll
    .untilServed(discovery, {
      delayMs: () => 10,
      clears: () => clears && goneCount === 0,
      gone: async () => {
        goneCount++;
      },
      signal,
    })
    .then(
      () => 'served',
      () => 'left',
    );
  return { goneCount: () => goneCount, result };
}

const gaps = (times: readonly number[]): number[] =>
  times.slice(1).map((at, index) => at - (times[index] ?? 0));

describe('[W-40] a shared poll for unserved resources', () => {
  test('[W-40] ten sources of an unserved group together send one discovery request in ten seconds', async () => {
    const { askedAt, clock, sources } = world(10);

    await clock.advanceAndSettle(60_500);

    expect(askedAt).toHaveLength(6);
    expect(gaps(askedAt).every((gapMs) => gapMs >= 8_000 && gapMs <= 12_000)).toBe(true);
    expect(sources.map(({ collection }) => collection.lists.length)).toEqual(Array(10).fill(1));
    expect(sources.map(({ statuses }) => statuses)).toEqual(Array(10).fill(['unserved: unserved']));
  });

  test.each([
    [0, 8_000],
    [0.5, 10_000],
    [0.999, 11_996],
  ])('[W-40] the poll with the random number %s comes after %s ms', async (number, ms) => {
    const { askedAt, clock } = world(1, { random: () => number });
    await settle();
    const joinedAt = clock.monotonic();

    await clock.advanceAndSettle(11_996);

    expect(Math.round((askedAt[0] ?? 0) - joinedAt)).toBe(ms);
  });

  test('[W-40] a source that starts later joins the next poll', async () => {
    const { askedAt, clock, discovery, discoveryPoll } = world(1);
    await clock.advanceAndSettle(9_000);

    start({ clock, discoveryPoll }, discoverable(unserved(), discovery('late')));
    await clock.advanceAndSettle(1_000);
    const together = askedAt.length;
    await clock.advanceAndSettle(9_999);

    expect([together, askedAt.length]).toEqual([1, 1]);
  });

  test('[W-40] sources with different API versions or different clients do not share a poll', async () => {
    const { askedAt, clock, discovery, discoveryPoll } = world(1);
    const other = fakeServer(clock);
    const options = { clock, discoveryPoll };

    start(options, discoverable(unserved(), discovery('things', 'example.com/v2')));
    start(options, discoverable(unserved(), other.discovery()));
    await clock.advanceAndSettle(10_500);

    expect([askedAt.length, other.askedAt.length]).toEqual([2, 1]);
  });

  test('[W-40] each source lists when its own resource is served, and not before', async () => {
    const { clock, sources, state } = world(3);
    await clock.advanceAndSettle(5_000);

    state.served = ['things1'];
    await clock.advanceAndSettle(10_000);
    const first = sources.map(({ names }) => names());
    state.served = ['things0', 'things1', 'things2'];
    await clock.advanceAndSettle(15_000);

    expect(first).toEqual([[], ['demo/a'], []]);
    expect(sources.map(({ names }) => names())).toEqual(Array(3).fill(['demo/a']));
    expect(sources.map(({ collection }) => collection.lists.length)).toEqual([2, 2, 2]);
    expect(sources.map(({ statuses }) => statuses.at(-1))).toEqual(Array(3).fill('healthy'));
  });

  test('[W-40] the poll ends when the last waiting source has stopped', async () => {
    const { askedAt, clock, sources } = world(2);
    await clock.advanceAndSettle(5_000);

    sources[0]?.stop();
    await settle();
    const withOne = clock.pending;
    sources[1]?.stop();
    await settle();
    const withNone = clock.pending;
    await clock.advanceAndSettle(60_000);

    expect([withOne > 0, withNone]).toEqual([true, 0]);
    expect(askedAt).toEqual([]);
  });

  test('[W-40] a running poll is aborted when its last waiting source stops, not before', async () => {
    const clock = new FakeClock();
    const { askedAt, discovery, state } = fakeServer(clock);
    state.hangs = true;
    const poll = new DiscoveryPoll(clock);
    const stops = [new AbortController(), new AbortController()];
    const waits = stops.map(({ signal }) => waitWith(poll, discovery(), { signal }).result);
    await clock.advanceAndSettle(10);

    stops[0]?.abort();
    await settle();
    const withOne = state.abortedCount;
    stops[1]?.abort();
    const ends = await Promise.all(waits);

    expect([askedAt.length, withOne, state.abortedCount]).toEqual([1, 0, 1]);
    expect(ends).toEqual(['left', 'left']);
  });

  test('[W-40] if discovery does not respond, the resource is requested instead, at the same intervals', async () => {
    const { clock, discovery, state } = world(0);
    state.failure = new ApiError({ code: 403, reason: 'Forbidden' });
    const collection = unserved(3);
    const { names } = start({ clock }, discoverable(collection, discovery()));

    await clock.advanceAndSettle(29_500);
    const before = [collection.lists.length, names().length];
    await clock.advanceAndSettle(1_000);

    expect(before).toEqual([3, 0]);
    expect(names()).toEqual(['demo/a']);
  });
});

describe('[W-40] an established definition', () => {
  test('[W-40] an established definition speeds up the poll of its own group and version only', async () => {
    const { askedAt, clock, discovery, discoveryPoll } = world(2);
    const other = fakeServer(clock);
    const v2 = other.discovery('things', 'example.com/v2');
    start({ clock, discoveryPoll }, discoverable(unserved(), v2));
    await clock.advanceAndSettle(1_000);
    const establishedAt = clock.monotonic();

    discoveryPoll.expectServed(discovery().groupVersion);
    await clock.advanceAndSettle(4_500);

    expect(askedAt[0]).toBe(establishedAt);
    expect(askedAt.length).toBe(19);
    expect(gaps(askedAt).every((gapMs) => gapMs === 250)).toBe(true);
    expect(other.askedAt).toEqual([]);
  });

  test('[W-40] an established definition speeds up a source that begins to wait within the next 5 s, and only until these 5 s are over', async () => {
    const { clock, discovery, discoveryPoll, askedAt } = world(0);
    discoveryPoll.expectServed(discovery().groupVersion);
    await clock.advanceAndSettle(4_000);

    start({ clock, discoveryPoll }, discoverable(unserved(), discovery()));
    await clock.advanceAndSettle(1_500);
    const soon = askedAt.length;
    await clock.advanceAndSettle(6_000);

    expect([soon, askedAt.length]).toEqual([4, 4]);
  });

  test('[W-40] a resource that is served is listed at the next poll, and the polls end', async () => {
    const { askedAt, clock, discovery, discoveryPoll, sources, state } = world(1);
    await clock.advanceAndSettle(1_000);
    discoveryPoll.expectServed(discovery().groupVersion);
    await clock.advanceAndSettle(600);

    state.served = ['things0'];
    await clock.advanceAndSettle(250);
    const names = sources[0]?.names();
    await clock.advanceAndSettle(30_000);

    expect(names).toEqual(['demo/a']);
    expect(askedAt).toHaveLength(4);
  });

  test('[W-40] an established definition does not speed up another poll on the same clock', async () => {
    const { askedAt, clock, discovery, discoveryPoll } = world(1);
    const other = fakeServer(clock);
    start({ clock }, discoverable(unserved(), other.discovery()));
    await clock.advanceAndSettle(1_000);

    discoveryPoll.expectServed(discovery().groupVersion);
    await clock.advanceAndSettle(7_000);
    const early = [askedAt.length > 0, other.askedAt.length];
    await clock.advanceAndSettle(4_000);

    expect(early).toEqual([true, 0]);
    expect(other.askedAt).toHaveLength(1);
  });

  test('[W-40] two sources with separate polls send two requests', async () => {
    const { askedAt, clock, discovery } = world(1);
    start({ clock }, discoverable(unserved(), discovery('things1')));

    await clock.advanceAndSettle(10_500);

    expect(askedAt).toHaveLength(2);
  });
});

describe('[W-40] onUnserved', () => {
  /** A source that was live when its resource vanished. */
  async function vanished(options: Partial<ReflectorOptions>) {
    const clock = new FakeClock();
    const server = fakeServer(clock);
    const collection = new FakeCollection();
    collection.put('a');
    collection.put('b');
    const source = discoverable(collection, server.discovery());
    const started = start({ clock, ...options }, source);
    await clock.advanceAndSettle(5_000);
    started.changes.length = 0;
    collection.failWatches(missing());
    collection.newestWatch.end();
    return { ...server, ...started, clock, collection };
  }

  test('[W-40] onUnserved "clear" keeps the objects while the definition may still exist', async () => {
    const { changes, clock, definitionsAskedAt, names } = await vanished({ onUnserved: 'clear' });

    await clock.advanceAndSettle(60_000);

    expect(names()).toEqual(['demo/a', 'demo/b']);
    expect(changes).toEqual([]);
    expect(definitionsAskedAt).toHaveLength(6);
  });

  test('[W-40] onUnserved "clear" drops all objects once the definition is gone, and a new definition fills the cache again', async () => {
    const it = await vanished({ onUnserved: 'clear' });
    it.state.definition = 'gone';

    await it.clock.advanceAndSettle(40_000);
    const emptied = [...it.changes];
    const asked = it.definitionsAskedAt.length;
    it.state.served = ['things'];
    await it.clock.advanceAndSettle(15_000);

    expect(emptied.map((change) => change.replace(/ \d+$/, ''))).toEqual([
      'delete demo/a',
      'delete demo/b',
    ]);
    expect(asked).toBe(1);
    expect(it.notices).toEqual([{ kind: 'cleared' }]);
    expect(it.names()).toEqual(['demo/a', 'demo/b']);
    expect(it.statuses).toEqual(['healthy', 'unserved: unserved', 'healthy']);
  });

  test('[W-40] by default, objects of a resource that is no longer served are kept, and its definition is not requested', async () => {
    const { clock, definitionsAskedAt, names, state } = await vanished({});
    state.definition = 'gone';

    await clock.advanceAndSettle(60_000);

    expect(names()).toEqual(['demo/a', 'demo/b']);
    expect(definitionsAskedAt).toEqual([]);
  });

  test('[W-40] onUnserved "clear" does not sync a source that was never listed', async () => {
    const { clock, definitionsAskedAt, sources, state } = world(1, { onUnserved: 'clear' });
    state.definition = 'gone';

    await clock.advanceAndSettle(60_000);

    expect(sources[0]?.replaced()).toBe(0);
    expect(definitionsAskedAt).toEqual([]);
  });

  test('[W-40] sources of one resource request its definition once', async () => {
    const clock = new FakeClock();
    const { definitionsAskedAt, discovery, state } = fakeServer(clock);
    state.definition = 'gone';
    const poll = new DiscoveryPoll(clock);
    const stop = new AbortController();
    const options = { clears: true, signal: stop.signal };

    const waits = ['a', 'a', 'b'].map((plural) => waitWith(poll, discovery(plural), options));
    await clock.advanceAndSettle(10);
    const gone = waits.map(({ goneCount }) => goneCount());
    stop.abort();

    expect(gone).toEqual([1, 1, 1]);
    expect(await Promise.all(waits.map(({ result }) => result))).toEqual(['left', 'left', 'left']);
    expect(definitionsAskedAt).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });
});
