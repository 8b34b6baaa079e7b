import { RecordingMeter, settle } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  CONSISTENCY_WAIT_MS,
  ConsistencyWait,
} from '../../operator/controller/policies/consistency-wait.ts';
import { source } from '../../operator/controller/source.ts';
import type { KubernetesObject, ObjectKey } from '../../operator/model/object.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';
import type { SharedInformer } from '../../operator/store/shared-informer.ts';
import { LaggingServer } from '../store/lagging-server.ts';
import { start } from '../store/started-informer.ts';
import type { FakeCollection, Thing } from '../support/fake-collection.ts';

const things = defineResource<Thing>({
  ...{ group: '', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true },
});
const KEY = 'demo/parent' as ObjectKey;
const TARGET = { namespace: 'demo', name: 'a' };

async function setup() {
  const server = new LaggingServer();
  server.put('a', 1);
  const { clock, informer, run } = start(server as unknown as FakeCollection);
  const meter = new RecordingMeter();
  const again: string[] = [];
  const cache = informer as unknown as SharedInformer<KubernetesObject>;
  const wait = new ConsistencyWait({
    clock,
    meter,
    controller: 'test',
    informers: new Map([[source(things), cache]]),
    resume: (key) => again.push(key),
  });
  wait.start();
  onTestFinished(() => wait.stop());
  void run();
  await settle();
  /** A write that begins now, with what the cache has by now. */
  const begin = (resource: Resource = things) => {
    const known = cache.store.get('demo/a' as ObjectKey);
    const before = known === undefined ? [] : [known];
    const given = { resource, ...TARGET, before, hasChanged: true };
    return {
      wrote: (answer: KubernetesObject) => wait.wrote(KEY, { ...given, isDelete: false, answer }),
      deleted: () => wait.wrote(KEY, { ...given, isDelete: true, answer: undefined }),
    };
  };
  /** True when the key is parked; otherwise an attempt begins. */
  const parks = (key = KEY): boolean => {
    if (wait.delayMs(key) === 'park') return true;
    wait.started(key);
    return false;
  };
  return {
    ...{ clock, server, wait, again, begin, parks },
    deliverAll: async (): Promise<void> => {
      server.deliverAll();
      await settle();
    },
    expired: (): number =>
      meter.value('chancery_consistency_wait_expired_total', { controller: 'test' }),
  };
}

test('[K-63] a key does not wait if its reconcile has written nothing', async () => {
  const { parks, server } = await setup();
  server.put('a', 2);

  expect(parks()).toBe(false);
});

test('[K-63] after a write, a key waits until the cache has its event, and is then enqueued', async () => {
  const { clock, server, parks, again, begin, deliverAll } = await setup();
  begin().wrote(server.put('a', 2));
  const deferred = [parks(), parks()];
  const before = [...again];

  await deliverAll();

  expect(deferred).toEqual([true, true]);
  expect(before).toEqual([]);
  expect(again).toEqual([KEY]);
  expect(parks()).toBe(false);
  await clock.advanceAndSettle(CONSISTENCY_WAIT_MS);
  expect(again).toHaveLength(1);
});

test('[K-63] other keys do not wait for the write of one key', async () => {
  const { server, parks, begin } = await setup();
  begin().wrote(server.put('a', 2));

  expect(parks('demo/other' as ObjectKey)).toBe(false);
});

test('[K-63] a newer bookmark, or a newer event of another object, also ends the wait for a write', async () => {
  const { server, parks, again, begin, deliverAll } = await setup();
  const answer = server.put('a', 2);
  begin().wrote({ ...answer, metadata: { ...answer.metadata, resourceVersion: '99' } });
  server.put('b', 1);
  const deferred = parks();

  await deliverAll();

  expect([deferred, again.length]).toEqual([true, 1]);
});

test('[K-63] after 5 s, a key is reconciled even without the event of its write, and a metric counts this', async () => {
  const { clock, server, parks, again, begin, expired } = await setup();
  await clock.advanceAndSettle(1_000);
  begin().wrote(server.put('a', 2));
  await clock.advanceAndSettle(1_000);
  const deferred = parks();

  await clock.advanceAndSettle(CONSISTENCY_WAIT_MS - 1_001);
  const before = [...again];
  await clock.advanceAndSettle(1);

  expect([deferred, before, again]).toEqual([true, [], [KEY]]);
  expect([parks(), expired()]).toEqual([false, 1]);
  expect(parks()).toBe(false);
});

test('[K-63] a key waits for all of its writes', async () => {
  const { server, parks, again, begin, deliverAll } = await setup();
  begin().wrote(server.put('a', 2));
  begin().wrote(server.put('b', 1));
  parks();

  server.deliver(1);
  await settle();
  const between = [...again];
  await deliverAll();

  expect([between, again.length]).toEqual([[], 1]);
});

test('[K-63] after a delete, a key waits until the cache no longer has the object', async () => {
  const { server, parks, again, begin, deliverAll } = await setup();
  const removal = begin();
  server.remove('a');
  removal.deleted();
  const deferred = parks();

  await deliverAll();

  expect([deferred, again.length]).toEqual([true, 1]);
});

test('[K-63] after a reconcile deletes an object with finalizers, the key waits until the cache has the deletionTimestamp', async () => {
  const { server, parks, again, begin, deliverAll } = await setup();
  const removal = begin();
  server.put('a', 1, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.dev/x'] });
  removal.deleted();
  const deferred = parks();

  await deliverAll();

  expect([deferred, again.length]).toEqual([true, 1]);
});

test('[K-63] [K-23] after the last finalizer of an object is removed, the key waits until the cache no longer has the object', async () => {
  const { server, parks, again, begin, deliverAll } = await setup();
  const deleting = server.put('a', 1, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  await deliverAll();
  server.remove('a');
  begin().wrote(deleting); // with the version of before
  const deferred = parks();

  await deliverAll();

  expect([deferred, again.length]).toEqual([true, 1]);
});

test('[K-63] a key does not wait for a write to a resource without a source in its controller', async () => {
  const { server, parks, begin } = await setup();
  const answer = server.put('a', 2);
  begin({ ...things, plural: 'others' }).wrote(answer);
  begin({ ...things, version: 'v2' }).wrote(answer);
  begin().wrote({ ...answer, metadata: { ...answer.metadata, resourceVersion: 'abc' } });

  expect(parks()).toBe(false);
});

test('[K-63] after stop(), no timer is left, and no key is enqueued', async () => {
  const { clock, server, wait, parks, again, begin, deliverAll } = await setup();
  begin().wrote(server.put('a', 2));
  parks();
  const pending = clock.pending;

  wait.stop();
  await deliverAll();

  expect(clock.pending).toBe(pending - 1);
  expect(again).toEqual([]);
});
