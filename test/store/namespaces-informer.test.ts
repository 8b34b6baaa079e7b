import { eventually, FakeClock, settle } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import type { ObjectKey } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import type { Change } from '../../operator/store/change.ts';
import { byNamespace } from '../../operator/store/indices.ts';
import { Informer } from '../../operator/store/informer.ts';
import { NamespacesInformer } from '../../operator/store/namespaces-informer.ts';
import type { OwnWrites } from '../../operator/store/own-writes.ts';
import { inEveryTurn } from '../support/event-loop.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { inNamespace } from '../support/in-namespace.ts';

/** A facade over namespaces that are collections of their own; what is leased runs until the end. */
function world() {
  const clock = new FakeClock();
  const collections = new Map<string, FakeCollection>();
  const released: string[] = [];
  const ends = new Map<string, AbortController>();
  const ownWritesJournal = new Map<string, OwnWrites<Thing>>();
  const running = new Set<Promise<void>>();
  const stop = new AbortController();
  const collection = (namespace: string): FakeCollection => {
    const found = collections.get(namespace) ?? new FakeCollection();
    collections.set(namespace, found);
    return found;
  };
  const options = { clock, random: () => 0.5, relistIntervalMs: 0 };
  const facadeOf = (...namespaces: readonly string[]): NamespacesInformer<Thing> => {
    const facade = new NamespacesInformer<Thing>({
      ...options,
      name: 'things',
      namespaces,
      handlerFailed: () => {},
      open: (namespace) => {
        const informer = new Informer<Thing>(
          inNamespace(collection(namespace), namespace),
          { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
          options,
        );
        const end = new AbortController();
        ends.set(namespace, end);
        ownWritesJournal.set(namespace, informer.ownWrites);
        running.add(informer.run(AbortSignal.any([end.signal, stop.signal])));
        return { informer, release: () => released.push(namespace) };
      },
    });
    running.add(facade.run(stop.signal));
    return facade;
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await Promise.all(running);
  };
  onTestFinished(end);
  return { clock, collection, ends, ownWritesJournal, facadeOf, released, end };
}

/** What a handler is told, as `add a/x=1`. */
function listener() {
  const told: string[] = [];
  return {
    told,
    handler: (changes: readonly Change<Thing>[]): void => {
      for (const change of changes) {
        const initial = change.type === 'add' && change.initial ? ' (initial)' : '';
        const unsure = change.type === 'delete' && change.finalStateUnknown ? '?' : '';
        const resync = change.type === 'update' && change.resync === true ? ' (resync)' : '';
        told.push(
          `${change.type}${unsure} ${change.key}=${change.object.value}${initial}${resync}`,
        );
      }
    },
  };
}

const refused = (): Error =>
  new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' });
const keys = (objects: readonly Thing[]): string[] =>
  objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();

test('[C-22] a store over several namespaces, and its handlers, are synced once all namespaces are synced', async () => {
  const { clock, collection, facadeOf } = world();
  collection('a').put('x', 1);
  collection('b').failLists(refused());
  const one = listener();
  const facade = facadeOf('a', 'b');
  const handler = facade.addHandler(one.handler);

  await settle();
  const before = [facade.synced, facade.store.synced, handler.synced];
  const early = (): unknown => facade.store.get('a/x' as ObjectKey);
  expect(early).toThrow(expect.objectContaining({ code: 'NOT_SYNCED' }));
  const synced = facade.until(() => handler.synced, AbortSignal.timeout(10_000));
  await clock.advanceAndSettle(60_000);
  await synced;

  expect(before).toEqual([false, false, false]);
  expect([facade.synced, facade.store.synced, handler.synced]).toEqual([true, true, true]);
  expect(one.told).toEqual(['add a/x=1 (initial)']);
});

test('[C-22] a store over several namespaces contains the objects of all of them, and has common indices', async () => {
  const { collection, facadeOf } = world();
  collection('a').put('x', 1);
  collection('b').put('x', 2);
  const facade = facadeOf('a', 'b');
  facade.addIndex('namespace', byNamespace);
  facade.addIndex('parity', ({ value }) => [value % 2 === 0 ? 'even' : 'odd']);
  await settle();

  expect(keys(facade.store.list())).toEqual(['a/x', 'b/x']);
  expect(keys(facade.store.list({ namespace: 'b' }))).toEqual(['b/x']);
  expect(facade.store.get('b/x' as ObjectKey)?.value).toBe(2);
  expect(facade.store.get('c/x' as ObjectKey)).toBeUndefined();
  expect(keys(facade.store.byIndex('namespace', 'a'))).toEqual(['a/x']);
  expect(keys(facade.store.byIndex('parity', 'even'))).toEqual(['b/x']);
  expect(facade.hasIndex('parity')).toBe(true);
  expect(() => facade.addIndex('parity', byNamespace)).toThrow(
    expect.objectContaining({ code: 'CONFIG' }),
  );
  expect(() => facade.store.byIndex('owner', 'a')).toThrow(
    expect.objectContaining({ code: 'CONFIG' }),
  );
});

test('[C-22] handlers get the changes of each namespace after the store has them', async () => {
  const { collection, facadeOf } = world();
  const one = listener();
  const inStore: boolean[] = [];
  const facade = facadeOf('a', 'b');
  facade.addHandler(one.handler);
  facade.addHandler((changes) => {
    for (const { key, object } of changes) inStore.push(facade.store.get(key) === object);
  });
  await settle();

  collection('a').put('x', 1);
  await settle();
  collection('b').put('x', 2);
  await settle();
  const late = listener();
  facade.addHandler(late.handler);

  expect(one.told).toEqual(['add a/x=1', 'add b/x=2']);
  expect(inStore).toEqual([true, true]);
  expect(late.told).toEqual(['add a/x=1 (initial)', 'add b/x=2 (initial)']);
});

test('[C-22] an informer over several namespaces reports state, contact and resourceVersion of the namespace in the worst state', async () => {
  const { clock, collection, facadeOf } = world();
  collection('a').put('x', 1);
  collection('b').failLists(
    ...Array.from(
      { length: 3 },
      () => new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }),
    ),
  );
  const facade = facadeOf('a', 'b');
  await settle();
  const while403 = [facade.state, facade.status.health, facade.resourceVersion];

  await clock.advanceAndSettle(300_000);
  const healed = [facade.state, facade.status.health, facade.resourceVersion];
  const silentSince = facade.lastContactAt;
  collection('a').bookmark();
  collection('b').bookmark();
  await settle();

  expect(while403).toEqual(['forbidden', 'forbidden', undefined]);
  expect(healed).toEqual(['watching', 'healthy', '100']); // a is at 101
  expect([silentSince, facade.lastContactAt]).toEqual([0, 300_000]);
});

test('[C-22] a handler with back-pressure pauses only the namespace of its change', async () => {
  const { collection, facadeOf } = world();
  const held = Promise.withResolvers<void>();
  const seen: string[] = [];
  const facade = facadeOf('a', 'b');
  facade.addHandler(
    (changes) => {
      seen.push(...changes.map(({ key, object }) => `${key}=${object.value}`));
      return seen.length === 1 ? held.promise : undefined;
    },
    { backpressure: true },
  );
  await settle();
  collection('a').put('x', 1);
  await settle();

  collection('a').put('x', 2);
  await settle();
  const behind = facade.store.get('a/x' as ObjectKey)?.value;
  held.resolve();
  await settle();

  expect(behind).toBe(1);
  expect(seen).toEqual(['a/x=1', 'a/x=2']);
});

test('[K-65] [C-22] an object that was created and deleted before any event is reported as vanished, until the listener is removed', async () => {
  const { collection, facadeOf, ownWritesJournal } = world();
  const vanished: string[] = [];
  const facade = facadeOf('a', 'b');
  const cancel = facade.onVanished((changes) => vanished.push(...changes.map(({ key }) => key)));
  await settle();
  const makeAndLose = async (name: string, resourceVersion: number): Promise<void> => {
    const metadata = { name, namespace: 'b', uid: name, resourceVersion: `${resourceVersion}` };
    ownWritesJournal.get('b')?.wrote({ apiVersion: 'v1', kind: 'Thing', metadata, value: 1 });
    const bookmark = {
      type: 'BOOKMARK',
      resourceVersion: `${resourceVersion + 1}`,
      initialEventsEnd: false,
    } as const;
    collection('b').newestWatch.send(bookmark);
    await settle();
  };

  await makeAndLose('x', 500);
  cancel();
  await makeAndLose('y', 502);

  expect(vanished).toEqual(['b/x']);
});

test('[C-20] [C-22] a resync delivers the objects of every namespace', async () => {
  const { clock, collection, facadeOf } = world();
  collection('a').put('x', 1);
  collection('b').put('y', 2);
  const facade = facadeOf('a', 'b');
  await settle();
  const one = listener();
  facade.addHandler(one.handler, { resyncPeriodMs: 2_000 });
  one.told.length = 0;

  await clock.advanceAndSettle(2_000);

  expect(one.told).toEqual(['update a/x=1 (resync)', 'update b/y=2 (resync)']);
});

test('[C-15] [C-22] a stopped informer over several namespaces is not synced, and releases the informers of its namespaces', async () => {
  const { facadeOf, end, released } = world();
  const facade = facadeOf('a');
  const handler = facade.addHandler(() => {});
  await settle();
  const before = [facade.synced, handler.synced];

  await end();

  expect(before).toEqual([true, true]);
  expect([facade.synced, handler.synced, facade.state]).toEqual([false, false, 'stopped']);
  expect(released).toEqual(['a']);
  expect(() => facade.store.list()).toThrow(expect.objectContaining({ code: 'NOT_SYNCED' }));
});

test('[C-22] an informer over several namespaces is not synced while only its first namespace is synced', async () => {
  const { collection, facadeOf } = world();
  collection('b').failLists(refused());
  const facade = facadeOf('a');
  await settle();
  const clock = new FakeClock();
  const sharing = new NamespacesInformer<Thing>({
    clock,
    name: 'things',
    namespaces: ['a', 'b'],
    handlerFailed: () => {},
    open: (namespace) => ({
      informer:
        namespace === 'a'
          ? facade
          : new Informer<Thing>(
              collection('b'),
              { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
              { clock },
            ),
      release: () => {},
    }),
  });

  const handler = sharing.addHandler(() => {});

  expect([facade.synced, sharing.synced, handler.synced]).toEqual([true, false, false]);
});

test('[C-15] [C-22] if the informer of a namespace has stopped, the namespace does not count as empty', async () => {
  const { collection, ends, facadeOf } = world();
  collection('a').put('x', 1);
  const facade = facadeOf('a', 'b');
  await settle();
  const before = facade.store.list().length;

  ends.get('a')?.abort();
  await settle();

  expect(before).toBe(1);
  expect([facade.synced, facade.state]).toEqual([false, 'stopped']);
  expect(() => facade.store.list()).toThrow(expect.objectContaining({ code: 'NOT_SYNCED' }));
});

test('[L-15] [C-17] handlers that are added while a large namespace is delivered get nothing twice', async () => {
  const { collection, facadeOf } = world();
  for (let index = 0; index < 5_000; index++) collection('a').put(`o${index}`, index);
  const heard: string[][] = [];
  const synced: (() => boolean)[] = [];
  const facade = facadeOf('a');
  const add = (): void => {
    const { told, handler } = listener();
    const registration = facade.addHandler(handler);
    heard.push(told);
    synced.push(() => registration.synced);
  };
  add();
  inEveryTurn(() => {
    if (heard.length < 20) add();
  });

  await eventually(() => heard.length === 20 && synced.every((isSynced) => isSynced()));

  expect(new Set(heard.map(({ length }) => length))).toEqual(new Set([5_000]));
  expect(new Set(heard[0]).size).toBe(5_000);
});
