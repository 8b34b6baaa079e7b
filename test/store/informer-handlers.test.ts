/** Handlers of one informer may come late, leave, fail or hang. They do not disturb each other. */

import { RecordingMeter, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { ObjectKey } from '../../operator/model/object.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { listener, start } from './started-informer.ts';

test('[C-17] a late handler first gets every existing object', async () => {
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

test('[C-18] a handler that throws or rejects does not affect other handlers', async () => {
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

test('[W-11] [C-19] a handler with back-pressure pauses the reading until its promise settles', async () => {
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
    { backpressure: true },
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

test('[C-17] handlers that are added during a storm of events miss nothing and get nothing twice', async () => {
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

test('[C-17] a removed handler gets no more changes', async () => {
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

test('[C-18] a handler that never returns delays neither the other handlers nor the source', async () => {
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

test('[C-18] errors of handlers are counted', async () => {
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
