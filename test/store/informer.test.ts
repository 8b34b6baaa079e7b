import { expect, onTestFinished, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import type { ObjectKey } from '../../operator/model/object.ts';
import type { Change } from '../../operator/store/cache.ts';
import { Informer } from '../../operator/store/informer.ts';
import { FakeClock, settle } from '../../operator/testing/fake-clock.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';

function start(collection = new FakeCollection()) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const handlerErrors: unknown[] = [];
  const informer = new Informer<Thing>(
    collection,
    {
      statusChanged: () => {},
      drifted: () => {},
      handlerFailed: (error) => handlerErrors.push(error),
    },
    { clock, relistIntervalMs: 0 },
  );
  let running = Promise.resolve();
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return {
    clock,
    collection,
    informer,
    handlerErrors,
    stop: () => stop.abort(),
    run: (): Promise<void> => {
      running = informer.run(stop.signal);
      return running;
    },
  };
}

/** A handler that writes down what it is told. */
function listener(): { told: string[]; handler: (changes: readonly Change<Thing>[]) => void } {
  const told: string[] = [];
  return {
    told,
    handler: (changes) => {
      for (const change of changes) {
        const initial = change.type === 'add' && change.initial ? ' (initial)' : '';
        told.push(`${change.type} ${change.object.metadata.name}=${change.object.value}${initial}`);
      }
    },
  };
}

test('tells every handler of every change, after the store has it', async () => {
  const collection = new FakeCollection();
  collection.put('a', 1);
  const { informer, run } = start(collection);
  const first = listener();
  const inStore: unknown[] = [];
  informer.addHandler(first.handler);
  informer.addHandler((changes) => {
    for (const { key, object, type } of changes) {
      inStore.push(
        type === 'delete' ? informer.store.get(key) : informer.store.get(key) === object,
      );
    }
  });

  void run();
  await settle();
  collection.put('a', 2);
  collection.remove('a');
  await settle();

  expect(first.told).toEqual(['add a=1 (initial)', 'update a=2', 'delete a=2']);
  expect(inStore).toEqual([true, true, undefined]);
});

test('is not synced before its first list, and says so to who reads', async () => {
  const { informer, run } = start();
  const read = (): unknown => informer.store.get('demo/a' as ObjectKey);
  const before = informer.store.synced;
  expect(read).toThrow(expect.objectContaining({ code: 'NOT_SYNCED' }));

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
