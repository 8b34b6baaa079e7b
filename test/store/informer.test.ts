import { describe, expect, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import type { ObjectKey } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { eventually } from '../../operator/testing/eventually.ts';
import { settle } from '../../operator/testing/fake-clock.ts';
import { RecordingMeter } from '../../operator/testing/recording-meter.ts';
import { expired, FakeCollection } from '../support/fake-collection.ts';
import { listener, start } from './started-informer.ts';

test('C-3 tells every handler of every change, after the store and its indices have it', async () => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  const { informer, run } = start(collection);
  const first = listener();
  const inStore: unknown[] = [];
  const inIndex: number[] = [];
  const reached: boolean[] = [];
  informer.addIndex('value', ({ value }) => [String(value)]);
  informer.addHandler(first.handler);
  informer.addHandler((changes) => {
    for (const { key, object, type } of changes) {
      inStore.push(
        type === 'delete' ? informer.store.get(key) : informer.store.get(key) === object,
      );
      inIndex.push(informer.store.byIndex('value', String(object.value)).length);
      reached.push(
        Number(informer.resourceVersion) >= Number(object.metadata.resourceVersion ?? 'x'),
      );
    }
  });

  void run();
  await settle();
  collection.put('a', 2);
  await settle();
  collection.remove('a');
  await settle();

  expect(first.told).toEqual(['add a=1 (initial)', 'update a=2', 'delete a=2']);
  expect(inStore).toEqual([true, true, undefined]);
  expect(inIndex).toEqual([1, 1, 0]);
  expect(reached).toEqual([true, true, true]);
});

test('C-5 is not synced before its first list, and tells who reads which cache and what to do', async () => {
  const { informer, run } = start(new FakeCollection(), { name: 'things' });
  const read = (): unknown => informer.store.get('demo/a' as ObjectKey);
  const before = informer.store.synced;
  expect(read).toThrow(
    expect.objectContaining({
      code: 'NOT_SYNCED',
      message: expect.stringMatching(/^the cache of things .*await informer\.until\(/),
    }),
  );

  void run();
  await settle();

  expect(before).toBe(false);
  expect(informer.store.synced).toBe(true);
  expect(informer.store.list()).toEqual([]);
});

test('C-15 is not synced any more once stopped: a frozen cache is no cache', async () => {
  const { informer, run, stop } = start();
  const running = run();
  await settle();

  stop();
  await running;

  expect(informer.synced).toBe(false);
  expect(() => informer.store.list()).toThrow(expect.objectContaining({ code: 'NOT_SYNCED' }));
});

test('C-17 a late handler is first told of everything there is', async () => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  const { informer, run } = start(collection);
  void run();
  await settle();
  const late = listener();

  informer.addHandler(late.handler);
  collection.put('b', 2);
  await settle();

  expect(late.told).toEqual(['add a=1 (initial)', 'add b=2']);
});

test('C-18 a handler that throws or rejects disturbs nobody', async () => {
  const { collection, informer, run, handlerErrors } = start();
  const other = listener();
  informer.addHandler(() => {
    throw new Error('sync');
  });
  informer.addHandler(() => Promise.reject(new Error('async')));
  informer.addHandler(other.handler);
  void run();
  await settle();

  collection.put('a', 1);
  await settle();
  collection.put('a', 2);
  await settle();

  expect(other.told).toEqual(['add a=1', 'update a=2']);
  expect(handlerErrors.map(String)).toEqual(
    Array.from({ length: 2 }, () => ['Error: sync', 'Error: async']).flat(),
  );
});

test('W-11 C-19 a handler that asks for it holds back the reading until its promise settles', async () => {
  const { collection, informer, run } = start();
  const seen: number[] = [];
  const others: number[] = [];
  let release = (): void => {};
  informer.addHandler(
    (changes) => {
      seen.push(...changes.map(({ object }) => object.value));
      return new Promise((resolve) => {
        release = resolve;
      });
    },
    { holdBack: true },
  );
  informer.addHandler((changes) => {
    others.push(...changes.map(({ object }) => object.value));
  });
  void run();
  await settle();
  collection.put('a', 1);
  await settle();

  collection.put('a', 2);
  await settle();
  const held = [...seen];
  const heldOthers = [...others];
  release();
  await settle();

  expect(held).toEqual([1]);
  expect(heldOthers).toEqual([1]);
  expect(seen).toEqual([1, 2]);
  expect(others).toEqual([1, 2]);
});

test('until resolves when its condition holds, and rejects when aborted', async () => {
  const collection = new FakeCollection();
  collection.failLists(
    new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' }),
  );
  const { clock, informer, run } = start(collection);
  const giveUp = new AbortController();
  const synced = informer.until(() => informer.synced, new AbortController().signal);
  const never = informer.until(() => false, giveUp.signal);
  void run();

  await clock.advanceAndSettle(1_000);
  giveUp.abort(new Error('enough'));

  await expect(synced).resolves.toBeUndefined();
  await expect(never).rejects.toThrow('enough');
});

test('C-3 a bookmark moves the resourceVersion of the store, and no handler hears of it', async () => {
  const { collection, informer, run } = start();
  const one = listener();
  informer.addHandler(one.handler);
  void run();
  await settle();
  const listed = informer.resourceVersion;

  collection.newestWatch.send({
    type: 'BOOKMARK',
    resourceVersion: '900',
    initialEventsEnd: false,
  });
  await settle();

  expect(listed).toBe('100');
  expect(informer.resourceVersion).toBe('900');
  expect(one.told).toEqual([]);
});

describe('replace', () => {
  test('C-10 what was deleted while nobody watched is one delete each, before any add', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    collection.put('b', 1);
    collection.put('c', 1);
    const { clock, informer, run } = start(collection);
    void run();
    await settle();
    const one = listener();
    informer.addHandler(one.handler);
    one.told.length = 0;

    collection.newestWatch.fail(expired());
    collection.loseNextEvent = true;
    collection.remove('b');
    collection.loseNextEvent = true;
    collection.remove('c');
    collection.loseNextEvent = true;
    collection.put('d', 2);
    await clock.advanceAndSettle(60_000);

    expect(one.told).toEqual(['delete? b=1', 'delete? c=1', 'add d=2']);
  });

  test('C-13 a relist of 100,000 unchanged objects makes no call', async () => {
    const collection = new FakeCollection();
    for (let number = 0; number < 100_000; number++) collection.put(`o${number}`);
    const { clock, informer, run } = start(collection, { pageSize: 0 });
    void run();
    await eventually(() => collection.watches.length === 1);
    let told = 0;
    const handler = informer.addHandler((changes) => {
      told += changes.length;
    });
    await eventually(() => handler.synced);

    collection.newestWatch.fail(expired());
    await clock.advanceAndSettle(60_000);
    await eventually(() => collection.watches.length === 2);

    expect(collection.lists).toHaveLength(2);
    expect(told).toBe(100_000);
    expect(informer.store.list()).toHaveLength(100_000);
  });

  test('C-14 of a list that fails on a later page nothing is told', async () => {
    const collection = new FakeCollection();
    collection.put('a');
    collection.put('b');
    collection.put('c');
    const { clock, informer, run } = start(collection, { pageSize: 1 });
    const one = listener();
    informer.addHandler(one.handler);
    collection.betweenPages = () => {
      if (collection.lists.length === 2) {
        collection.failLists(
          new ApiError({ code: 500, reason: 'InternalError', message: 'etcd is away' }),
        );
      }
    };

    void run();
    await settle();
    const afterFailure = [...one.told];
    const syncedAfterFailure = informer.synced;
    await clock.advanceAndSettle(60_000);

    expect(afterFailure).toEqual([]);
    expect(syncedAfterFailure).toBe(false);
    expect(one.told).toEqual(['add a=0 (initial)', 'add b=0 (initial)', 'add c=0 (initial)']);
  });
});

test('C-11 a replayed state is silent, and an older one is ignored and counted', async () => {
  const meter = new RecordingMeter();
  const collection = new FakeCollection();
  const { informer, run } = start(collection, { meter, name: 'things' });
  const one = listener();
  informer.addHandler(one.handler);
  void run();
  await settle();
  const older = collection.put('a', 1);
  const newer = collection.put('a', 2);
  await settle();

  const watch = collection.newestWatch;
  watch.send({ type: 'MODIFIED', object: newer }, { type: 'MODIFIED', object: older });
  await settle();

  expect(one.told).toEqual(['add a=1', 'update a=2']);
  expect(informer.store.get('demo/a' as ObjectKey)).toMatchObject({ value: 2 });
  expect(meter.value('chancery_outdated_events_total', { resource: 'things' })).toBe(1);
});

describe('C-12 the same name with another uid', () => {
  test('in the stream, its DELETED suppressed, is a delete and an add', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { informer, run } = start(collection);
    const one = listener();
    informer.addHandler(one.handler);
    void run();
    await settle();

    collection.loseNextEvent = true;
    collection.remove('a');
    collection.put('a', 2);
    await settle();

    expect(one.told).toEqual(['add a=1 (initial)', 'delete? a=1', 'add a=2']);
  });

  test('made anew while disconnected is a delete and an add', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { clock, informer, run } = start(collection);
    const one = listener();
    informer.addHandler(one.handler);
    void run();
    await settle();

    collection.newestWatch.fail(expired());
    collection.loseNextEvent = true;
    collection.remove('a');
    collection.loseNextEvent = true;
    collection.put('a', 2);
    await clock.advanceAndSettle(60_000);

    expect(one.told).toEqual(['add a=1 (initial)', 'delete? a=1', 'add a=2']);
  });
});

describe('C-15 tells', () => {
  test('what the source is doing, from idle to stopped', async () => {
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

  test('a source whose watch has ended as waiting until it watches again', async () => {
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

  test('when the server was last heard of, be it by a refusal', async () => {
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

  test('when a handler is done with the first list, which is later than the source', async () => {
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

  test('a handler that comes late as synced once it is done with what it is first told', async () => {
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

  test('a handler of an empty collection as synced, without a call', async () => {
    const { informer, run } = start();
    const one = listener();
    const registration = informer.addHandler(one.handler);

    void run();
    await settle();

    expect(registration.synced).toBe(true);
    expect(one.told).toEqual([]);
  });
});

test('C-17 handlers that come during a storm of events miss nothing and hear nothing twice', async () => {
  const collection = new FakeCollection();
  for (let number = 0; number < 20; number++) collection.put(`o${number}`, 0);
  const { informer, run } = start(collection);
  void run();
  await settle();
  const mirrors: Map<string, number>[] = [];
  const wrong: string[] = [];
  const join = (): void => {
    const mirror = new Map<string, number>();
    mirrors.push(mirror);
    informer.addHandler(async (changes) => {
      for (const { type, key, object } of changes) {
        if ((type === 'add') === mirror.has(key)) wrong.push(`${type} ${key}`);
        if (type === 'update' && mirror.get(key) === object.value) wrong.push(`again ${key}`);
        if (type === 'delete') mirror.delete(key);
        else mirror.set(key, object.value);
      }
      // A handler may add handlers, while others are being told of the same live change.
      if (mirrors.length < 60 && changes.some(({ type }) => type === 'update')) join();
      await Promise.resolve();
    });
  };

  join();
  for (let step = 1; step <= 300; step++) {
    const name = `o${(step * 7) % 25}`;
    if (step % 5 === 0) collection.remove(name);
    else collection.put(name, step);
    if (step % 20 === 0) join();
    if (step % 3 === 0) await Promise.resolve();
  }
  await settle();
  await settle();

  const wanted = new Map(
    informer.store.list().map(({ metadata, value }) => [`demo/${metadata.name}`, value]),
  );
  expect(wrong).toEqual([]);
  expect(mirrors.length).toBeGreaterThanOrEqual(60);
  for (const mirror of mirrors) expect(mirror).toEqual(wanted);
});

test('C-17 a handler that was removed hears nothing more', async () => {
  const { collection, informer, run } = start();
  const one = listener();
  const registration = informer.addHandler(one.handler);
  void run();
  await settle();
  collection.put('a', 1);
  await settle();

  registration.remove();
  collection.put('a', 2);
  await settle();

  expect(one.told).toEqual(['add a=1']);
});

test('C-18 a handler that never returns delays neither the others nor the source', async () => {
  const { collection, informer, run } = start();
  const other = listener();
  let calls = 0;
  const blocked = informer.addHandler(() => {
    calls++;
    return new Promise(() => {});
  });
  informer.addHandler(other.handler);
  void run();
  await settle();

  for (let value = 1; value <= 3; value++) {
    collection.put('a', value);
    await settle();
  }

  expect(other.told).toEqual(['add a=1', 'update a=2', 'update a=3']);
  expect(informer.store.get('demo/a' as ObjectKey)).toMatchObject({ value: 3 });
  expect(calls).toBe(1);
  expect(blocked.pending).toBe(2);
});

test('C-18 counts what handlers throw', async () => {
  const meter = new RecordingMeter();
  const { collection, informer, run } = start(new FakeCollection(), { meter, name: 'things' });
  informer.addHandler(() => {
    throw new Error('sync');
  });
  informer.addHandler(() => Promise.reject(new Error('async')));
  void run();
  await settle();

  collection.put('a', 1);
  await settle();

  expect(meter.value('chancery_handler_errors_total', { resource: 'things' })).toBe(2);
});
