import { describe, expect, onTestFinished, test } from 'vitest';
import { type KubernetesObject, type ObjectMeta, objectKey } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { EXPECTATION_TTL_MS, OVERLAY_TTL_MS, Overlay } from '../../operator/store/overlay.ts';
import { Overlays, type PendingWrite } from '../../operator/store/overlays.ts';
import { FakeClock, settle } from '../../operator/testing/fake-clock.ts';
import { RecordingMeter } from '../../operator/testing/recording-meter.ts';
import type { Thing } from '../support/fake-collection.ts';
import { expired, FakeCollection } from '../support/fake-collection.ts';
import { LaggingServer } from './lagging-server.ts';
import { listener, start } from './started-informer.ts';

const things = defineResource<Thing>({
  ...{ group: '', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true },
});
const KEY = objectKey('demo', 'a');
const DELETED_AT = '2026-01-01T00:00:00Z';

/** An informer whose watch shows what the test lets through, and what this process has written. */
async function world(server: LaggingServer = new LaggingServer()) {
  const meter = new RecordingMeter();
  const started = start(server as unknown as FakeCollection, {
    meter,
    labels: { resource: 'things' },
  });
  const { informer } = started;
  informer.addIndex('value', ({ value }) => [String(value)]);
  const overlays = new Overlays();
  overlays.add(things, undefined, informer.overlay as unknown as Overlay<KubernetesObject>);
  void started.run();
  await settle();
  const begin = (name = 'a'): PendingWrite => overlays.begin(things, { namespace: 'demo', name });
  return {
    ...started,
    server,
    overlays,
    begin,
    /** A write that is answered at once. */
    write: (answer: Thing): void => begin(answer.metadata.name).wrote(answer),
    remove: (uid?: string): void => begin().deleted(uid),
    value: (name = 'a'): number | undefined =>
      informer.storeWithOwnWrites.get(objectKey('demo', name))?.value,
    deliverAll: async (): Promise<void> => {
      server.deliverAll();
      await settle();
    },
    expired: (): number => meter.value('chancery_overlay_expired_total', { resource: 'things' }),
  };
}

async function withObject() {
  const server = new LaggingServer();
  server.put('a', 1);
  return world(server);
}

describe('what this process wrote', () => {
  test('K-61 K-60: an own create is shown by get, list and indices, and not in the cache', async () => {
    const { informer, server, write } = await world();

    write(server.put('a', 1));

    const { store, storeWithOwnWrites } = informer;
    expect(storeWithOwnWrites.get(KEY)?.value).toBe(1);
    expect(storeWithOwnWrites.list().map(({ value }) => value)).toEqual([1]);
    expect(storeWithOwnWrites.byIndex('value', '1').map(({ value }) => value)).toEqual([1]);
    expect([store.get(KEY), store.list(), store.byIndex('value', '1')]).toEqual([
      undefined,
      [],
      [],
    ]);
  });

  test('K-61: an own update moves the object from one value of an index to another', async () => {
    const { informer, server, write } = await withObject();

    write(server.put('a', 2));

    const { storeWithOwnWrites } = informer;
    expect(storeWithOwnWrites.byIndex('value', '1')).toEqual([]);
    expect(storeWithOwnWrites.byIndex('value', '2').map(({ value }) => value)).toEqual([2]);
    expect(storeWithOwnWrites.list({ namespace: 'demo' }).map(({ value }) => value)).toEqual([2]);
    expect(storeWithOwnWrites.list({ namespace: 'other' })).toEqual([]);
  });

  test('K-61: the event of an own write changes nothing that a reader sees, and ends the overlay', async () => {
    const { informer, server, write, value, deliverAll } = await withObject();
    const { told, handler } = listener();
    informer.addHandler(handler);
    write(server.put('a', 2));
    const before = value();

    await deliverAll();

    expect([before, value()]).toEqual([2, 2]);
    expect(informer.overlay.size).toBe(0);
    expect(informer.storeWithOwnWrites.get(KEY)).toBe(informer.store.get(KEY));
    expect(told).toEqual(['add a=1 (initial)', 'update a=2']);
  });

  test('K-61: an object that the cache has meanwhile is found under its own values only', async () => {
    const { informer, server, begin } = await world();
    const [first, second] = [begin('a'), begin('b')];
    const [a, b] = [server.put('a', 1), server.put('b', 2)];
    second.wrote(b);
    first.wrote(a);

    server.deliver(1);
    await settle();

    const found = informer.storeWithOwnWrites.byIndex('value', '9');
    expect(found).toEqual([]);
  });

  test('K-61: a foreign event is not lost behind an own write', async () => {
    const { informer, server, write, value, deliverAll } = await withObject();
    const { told, handler } = listener();
    informer.addHandler(handler);
    write(server.put('a', 2));
    server.put('a', 3);

    server.deliver(1);
    await settle();
    const afterOwn = value();
    await deliverAll();

    expect([afterOwn, value()]).toEqual([2, 3]);
    expect(told).toEqual(['add a=1 (initial)', 'update a=2', 'update a=3']);
  });

  test('K-61: of two answers that overtake each other the newer one is shown', async () => {
    const { server, begin, value } = await withObject();
    const [first, second] = [begin(), begin()];
    const [older, newer] = [server.put('a', 2), server.put('a', 3)];

    second.wrote(newer);
    first.wrote(older);

    expect(value()).toBe(3);
  });

  test('K-61: the source of another resource, version or namespace is told nothing', async () => {
    const { informer, overlays, server } = await world();
    const target = { namespace: 'demo', name: 'a' };
    const elsewhere = new Overlays();
    elsewhere.add(things, 'prod', informer.overlay as unknown as Overlay<KubernetesObject>);
    const object = server.put('a', 1);

    overlays.begin({ ...things, plural: 'others' }, target).wrote(object);
    overlays.begin({ ...things, group: 'example.dev' }, target).wrote(object);
    overlays.begin({ ...things, version: 'v2' }, target).wrote(object);
    elsewhere.begin(things, target).wrote(object);

    expect(informer.overlay.size).toBe(0);
  });
});

describe('what is newer than the answer', () => {
  test('K-60: an answer that comes after the DELETED event does not bring the object back', async () => {
    const { informer, server, begin, value, deliverAll } = await withObject();
    const late = begin();
    const answer = server.put('a', 2);
    server.remove('a');
    await deliverAll();

    late.wrote(answer);

    expect(value()).toBeUndefined();
    expect(informer.overlay.size).toBe(0);
  });

  test('K-61: an answer that comes after a foreign write does not take the cache back', async () => {
    const { server, begin, value, deliverAll } = await withObject();
    const late = begin();
    const answer = server.put('a', 2);
    server.put('a', 3);
    await deliverAll();

    late.wrote(answer);

    expect(value()).toBe(3);
  });

  test('K-61: an object of the same name with another uid takes the place of the written one', async () => {
    const { server, write, value, deliverAll } = await withObject();
    write(server.put('a', 2));
    server.remove('a');
    server.put('a', 3);

    await deliverAll();

    expect(value()).toBe(3);
  });

  test('K-61: a bookmark beyond the write ends a ghost that no event will end', async () => {
    const { informer, server, write, value, deliverAll } = await world();
    write(server.put('a', 1, { labels: { app: 'db' } })); // nothing that the watch would tell of
    const before = value();

    await deliverAll();

    expect([before, value()]).toEqual([1, undefined]);
    expect(informer.overlay.size).toBe(0);
  });

  test('K-61: a relist ends the ghost of an object that was deleted while nobody watched', async () => {
    const { clock, server, write, value } = await world();
    write(server.put('a', 1));
    server.remove('a');
    const before = value();

    server.expire();
    await clock.advanceAndSettle(60_000 - 1);

    expect([before, value()]).toEqual([1, undefined]);
  });

  test('K-65: what no list ever saw is told of, once, when a relist shows that it is gone', async () => {
    const { clock, informer, server, write } = await world();
    const { told, handler } = listener();
    const vanished: string[] = [];
    informer.addHandler(handler);
    const cancel = informer.onVanished((changes) => {
      for (const { type, key } of changes) vanished.push(`${type} ${key}`);
    });
    write(server.put('a', 1));
    write(server.put('b', 1));
    server.remove('a');

    server.expire();
    await clock.advanceAndSettle(60_000 - 1);
    server.deliverAll();
    await settle();

    expect(vanished).toEqual(['delete demo/a']);
    expect(told).toEqual(['add b=1']);
    cancel();
    write(server.put('c', 1));
    server.remove('c');
    server.expire();
    await clock.advanceAndSettle(60_000 - 1);
    expect(vanished).toHaveLength(1);
  });

  test('K-65: of what the cache has by then nothing of the kind is told', async () => {
    const { informer, server, write, deliverAll } = await withObject();
    const vanished: string[] = [];
    informer.onVanished((changes) => vanished.push(...changes.map(({ key }) => key)));
    write(server.put('a', 2));
    write(server.put('b', 1));

    await deliverAll();

    expect(vanished).toEqual([]);
    expect(informer.overlay.isEmpty).toBe(true);
  });

  test('K-61: a list that was asked for before the write ends nothing', async () => {
    const { clock, server, write, value } = await withObject();
    server.holdsLists = true;
    server.expire();
    await clock.advanceAndSettle(30_000);
    write(server.put('a', 2));

    server.answerLists();
    await settle();

    expect(value()).toBe(2);
  });

  test('K-61: a write during the first list is shown after it', async () => {
    const server = new LaggingServer();
    server.holdsLists = true;
    const { write, value } = await world(server);
    write(server.put('a', 1));

    server.answerLists();
    await settle();

    expect(value()).toBe(1);
  });
});

describe('an overlay forgets', () => {
  test('K-61: after 60 s what the cache has not heard of, and counts it', async () => {
    const { clock, informer, server, write, value, expired } = await withObject();
    write(server.put('a', 2));

    await clock.advanceAndSettle(OVERLAY_TTL_MS - 1);
    const before = [value(), expired()];
    await clock.advanceAndSettle(1);

    expect(before).toEqual([2, 0]);
    expect([value(), expired(), informer.overlay.size]).toEqual([1, 1, 0]);
  });

  test('K-61: without a count what the cache has long had', async () => {
    const { clock, server, write, expired, deliverAll } = await withObject();
    write(server.put('a', 2));
    await deliverAll();

    await clock.advanceAndSettle(2 * OVERLAY_TTL_MS);

    expect(expired()).toBe(0);
  });

  test('K-65: an object whose name the server made up only after 5 min', async () => {
    const { clock, server, write, value } = await world();
    write(server.put('a', 1, { generateName: 'web-' }));

    await clock.advanceAndSettle(EXPECTATION_TTL_MS - 1);
    const before = value();
    await clock.advanceAndSettle(1);

    expect([before, value()]).toEqual([1, undefined]);
  });

  test('K-65: a later write to it does not make it forgotten earlier', async () => {
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
  ])('K-61: what it has never taken up: an answer with resourceVersion %j', async (resourceVersion) => {
    const { informer, server, write, value } = await withObject();
    const answer = server.put('a', 2);

    write({ ...answer, metadata: { ...answer.metadata, resourceVersion } });

    expect(value()).toBe(1);
    expect(informer.overlay.size).toBe(0);
  });

  test('K-61: in the order of their versions, not of their texts: 99 is older than 100', async () => {
    const server = new LaggingServer();
    server.put('a', 1);
    server.put('a', 2);
    server.put('a', 3); // 99
    const { write, value } = await world(server);

    write(server.put('a', 4)); // 100

    expect(value()).toBe(4);
  });

  test('K-64: on a gain of leadership, with what is still on its way', async () => {
    const { server, overlays, begin, write, value } = await withObject();
    write(server.put('a', 2));
    const late = begin();
    const answer = server.put('a', 3);

    overlays.clear();
    late.wrote(answer);

    expect(value()).toBe(1);
  });

  test('K-64: with its source, and leaves no timer', async () => {
    const { clock, informer, run, server, stop, write, begin } = await withObject();
    write(server.put('a', 2));
    begin().deleted();
    const late = begin();

    stop();
    await run();
    late.wrote(server.put('a', 3));
    write(server.put('a', 4));
    begin().deleted('uid-1');

    expect(informer.overlay.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('K-64 W-34: when a list shows that the server was restored from a backup', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { clock, informer, run } = start(collection);
    void run();
    await settle();
    collection.loseNextEvent = true;
    informer.overlay.wrote(collection.put('b', 2));
    const before = informer.storeWithOwnWrites.list().length;

    collection.restore(50, 'a');
    collection.newestWatch.fail(expired());
    await clock.advanceAndSettle(30_000);

    expect(before).toBe(2);
    expect(informer.storeWithOwnWrites.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(informer.overlay.size).toBe(0);
  });
});

describe('what this process deleted', () => {
  test('K-62: is absent from get, list and indices while the cache still has it', async () => {
    const { informer, server, remove } = await withObject();
    server.remove('a');

    remove();

    const { store, storeWithOwnWrites } = informer;
    expect(storeWithOwnWrites.get(KEY)).toBeUndefined();
    expect(storeWithOwnWrites.list()).toEqual([]);
    expect(storeWithOwnWrites.byIndex('value', '1')).toEqual([]);
    expect(store.get(KEY)?.value).toBe(1);
  });

  test('K-62: is absent though its ADDED event comes only now', async () => {
    const { server, write, remove, value, deliverAll } = await world();
    write(server.put('a', 1));
    remove();
    server.remove('a');
    const before = value();

    server.deliver(1);
    await settle();
    const afterAdded = value();
    await deliverAll();

    expect([before, afterAdded, value()]).toEqual([undefined, undefined, undefined]);
  });

  test('K-62: a create after it does not see the old one', async () => {
    const { server, write, remove, value, deliverAll } = await withObject();
    server.remove('a');
    remove();
    const between = value();

    write(server.put('a', 2));
    const after = value();
    await deliverAll();

    expect([between, after, value()]).toEqual([undefined, 2, 2]);
  });

  test('K-62: is shown on its way out as soon as the cache knows of its deletionTimestamp', async () => {
    const { server, remove, value, deliverAll } = await withObject();
    server.put('a', 2, { deletionTimestamp: DELETED_AT, finalizers: ['example.dev/x'] });
    remove();
    const before = value();

    await deliverAll();

    expect([before, value()]).toEqual([undefined, 2]);
  });

  test('K-62: an answer from before the delete does not bring it back', async () => {
    const { server, begin, remove, value } = await withObject();
    const late = begin();
    const answer = server.put('a', 2);
    server.remove('a');
    remove();

    late.wrote(answer);

    expect(value()).toBeUndefined();
  });

  test('K-62: stays absent when a list from before the delete comes', async () => {
    const { clock, server, remove, value } = await withObject();
    server.holdsLists = true;
    server.expire();
    await clock.advanceAndSettle(30_000);
    server.remove('a');
    remove();

    server.answerLists();
    await settle();

    expect(value()).toBeUndefined();
  });

  test('K-62: is shown again after 60 s, and counted, when the cache never heard of it', async () => {
    const { clock, remove, value, expired } = await withObject();
    remove();

    await clock.advanceAndSettle(OVERLAY_TTL_MS);

    expect([value(), expired()]).toEqual([1, 1]);
  });

  test('K-62: one that is not in the cache is known by the uid of the request', async () => {
    const { server, remove, value } = await world();
    const { uid } = server.put('a', 1).metadata;
    remove(uid);

    server.deliver(1);
    await settle();

    expect(value()).toBeUndefined();
  });
});

describe('K-23: the answer to the removal of the last finalizer', () => {
  async function deleting(metadata: Partial<ObjectMeta> = {}) {
    const server = new LaggingServer();
    server.put('a', 1, {
      deletionTimestamp: DELETED_AT,
      deletionGracePeriodSeconds: 0,
      finalizers: ['example.dev/x'],
      ...metadata,
    });
    return world(server);
  }

  function withoutFinalizers({
    metadata: { finalizers: _, ...metadata },
    ...object
  }: Thing): Thing {
    return { ...object, metadata };
  }

  test('never enters, and the object is absent from then on', async () => {
    const { informer, server, write, value, deliverAll } = await deleting();
    const answer = withoutFinalizers(server.live.get('a') ?? server.put('a', 1));
    server.remove('a');

    write(answer);
    const before = value();
    await deliverAll();

    expect([before, value()]).toEqual([undefined, undefined]);
    expect([...informer.overlay.keys()]).toEqual([]);
  });

  test('does not bring back what the cache knows to be gone', async () => {
    const { server, begin, value, deliverAll } = await deleting();
    const late = begin();
    const answer = withoutFinalizers(server.live.get('a') ?? server.put('a', 1));
    server.remove('a');
    await deliverAll();

    late.wrote(answer);

    expect(value()).toBeUndefined();
  });

  test('hides no newer state, should the object live on after all', async () => {
    const { server, write, value, deliverAll } = await deleting();
    write(withoutFinalizers(server.live.get('a') ?? server.put('a', 1)));
    server.put('a', 2);

    await deliverAll();

    expect(value()).toBe(2);
  });

  test('is told from that of a Pod whose grace period is running', async () => {
    const { server, write, value } = await deleting({ deletionGracePeriodSeconds: 30 });

    write(withoutFinalizers(server.put('a', 2)));

    expect(value()).toBe(2);
  });
});

describe('an overlay whose cache is', () => {
  /** An overlay by itself, over a cache that is what the test says. */
  function alone() {
    const clock = new FakeClock();
    const meter = new RecordingMeter();
    const cached = new Map<string, Thing>();
    const world = { resourceVersion: '100' as string | undefined, tells: true };
    const overlay = new Overlay<Thing>({
      clock,
      meter,
      cached: (key) => cached.get(key),
      resourceVersion: () => world.resourceVersion,
      formOf: (object) => (world.tells ? { object } : undefined),
      active: () => true,
    });
    onTestFinished(() => overlay.clear());
    const value = (name: string): number | undefined => {
      const key = objectKey('demo', name);
      return overlay.shown(key, cached.get(key))?.value;
    };
    return { clock, meter, cached, world, overlay, value };
  }

  function thing(name: string, resourceVersion: string, value: number, more = {}): Thing {
    const metadata = { name, namespace: 'demo', uid: `uid-${name}`, resourceVersion, ...more };
    return { apiVersion: 'v1', kind: 'Thing', metadata, value };
  }

  test('K-61: ahead of its own version, by a list whose pages are not of one time, shows the cache', () => {
    const { cached, overlay, value } = alone();
    cached.set(objectKey('demo', 'a'), thing('a', '105', 5));

    overlay.wrote(thing('a', '103', 3));

    expect(value('a')).toBe(5);
  });

  test('K-61: without a version yet still takes up nothing that cannot be compared', () => {
    const { world, overlay } = alone();
    world.resourceVersion = undefined;

    overlay.wrote(thing('a', 'x7', 3));

    expect(overlay.size).toBe(0);
  });

  test('K-61: unable to tell what it would keep of a newer write shows no older one', () => {
    const { world, overlay, value } = alone();
    overlay.wrote(thing('a', '101', 1));
    world.tells = false;

    overlay.wrote(thing('a', '102', 2));

    expect(value('a')).toBeUndefined();
  });

  test('K-61: behind on one object of two is asked about each, whichever answer came first', async () => {
    const { clock, meter, cached, world, overlay, value } = alone();
    overlay.wrote(thing('b', '105', 5));
    overlay.wrote(thing('a', '103', 3));
    cached.set(objectKey('demo', 'a'), thing('a', '104', 4));
    world.resourceVersion = '104';
    overlay.advanced();

    expect([value('a'), value('b')]).toEqual([4, 5]);
    await clock.advanceAndSettle(OVERLAY_TTL_MS);
    expect(meter.value('chancery_overlay_expired_total')).toBe(1); // b alone
  });

  test('K-61: never told shows its own state at the very end of the 60 s', async () => {
    const { clock, overlay, value } = alone();
    overlay.wrote(thing('a', '101', 1));
    await clock.advanceAndSettle(500);
    overlay.wrote(thing('b', '102', 2));

    await clock.advanceAndSettle(OVERLAY_TTL_MS - 1);
    const before = [value('a'), value('b')];
    await clock.advanceAndSettle(1);

    expect(before).toEqual([undefined, 2]);
    expect(value('b')).toBeUndefined();
  });

  test('K-65: told of a generated name once is not waited for longer when it is written again', async () => {
    const { clock, cached, overlay, value } = alone();
    cached.set(objectKey('demo', 'a'), thing('a', '99', 1, { generateName: 'web-' }));
    overlay.wrote(thing('a', '101', 2, { generateName: 'web-' }));

    await clock.advanceAndSettle(OVERLAY_TTL_MS);

    expect(value('a')).toBe(1);
  });

  test('K-62: rid of what was deleted counts nothing after 60 s', async () => {
    const { clock, meter, cached, overlay } = alone();
    cached.set(objectKey('demo', 'a'), thing('a', '99', 1));
    overlay.deleted(objectKey('demo', 'a'), ['uid-a']);
    cached.clear();

    await clock.advanceAndSettle(OVERLAY_TTL_MS);

    expect(meter.value('chancery_overlay_expired_total')).toBe(0);
    expect(overlay.size).toBe(0);
  });
});
