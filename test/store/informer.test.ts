/** An informer keeps its store, its indices and its handlers in step with a collection. */

import { RecordingMeter, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import type { ObjectKey } from '../../operator/model/object.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { listener, start } from './started-informer.ts';

test('[C-3] an informer delivers every change to every handler, after the store and its indices have it', async () => {
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

test('[C-5] a read before the first list fails, and the error contains the cache and the remedy', async () => {
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

test('until() resolves when its condition holds, and rejects when it is aborted', async () => {
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

test('[C-3] a bookmark moves the resourceVersion of the store, and reaches no handler', async () => {
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

test('[C-11] a replayed state is not delivered, and an older state is ignored and counted', async () => {
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
