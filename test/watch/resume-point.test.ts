import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { Reflector } from '../../operator/watch/reflector.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

const at = (object: Thing, resourceVersion: string): Thing => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
});

test('[W-16] [H27] a replayed ADDED event does not restore an object that was deleted in the meantime', async () => {
  const { collection, names, changes, reflector, meter } = start();
  await settle();
  const a = collection.put('a');
  collection.remove('a');
  await settle();

  collection.newestWatch.send({ type: 'ADDED', object: a });
  await settle();

  expect(names()).toEqual([]);
  expect(changes).toEqual(['add demo/a 101', 'delete demo/a 102']);
  expect(reflector.resourceVersion).toBe('102');
  expect(meter.value('chancery_rv_regression_total')).toBe(1);
});

test('[W-16] [H27] outdated events in a batch are skipped, and all other events are applied', async () => {
  const { collection, cached, changes, reflector, meter } = start();
  await settle();
  const a = collection.put('a');
  const b = collection.put('b');
  await settle();

  collection.newestWatch.send(
    { type: 'MODIFIED', object: { ...at(a, '110'), value: 110 } },
    { type: 'MODIFIED', object: { ...at(a, '105'), value: 105 } },
    { type: 'DELETED', object: at(b, '101') }, // from before b was written
    { type: 'BOOKMARK', resourceVersion: '104', initialEventsEnd: false },
    { type: 'MODIFIED', object: { ...at(b, '111'), value: 111 } },
  );
  await settle();

  expect(cached().map(({ value }) => value)).toEqual([110, 111]);
  expect(changes.slice(2)).toEqual(['update demo/a 110', 'update demo/b 111']);
  expect(reflector.resourceVersion).toBe('111');
  expect(meter.value('chancery_rv_regression_total')).toBe(3);
});

test('[L-12] [H28] if resourceVersions are not numbers, the version that arrived last counts as the newest', async () => {
  const { clock, collection, cached } = start();
  await settle();
  const a = collection.put('a');
  collection.newestWatch.send(
    { type: 'MODIFIED', object: { ...at(a, 'zz'), value: 1 } },
    { type: 'MODIFIED', object: { ...at(a, 'b'), value: 2 } },
  );
  await settle();

  collection.newestWatch.end();
  await clock.advanceAndSettle(100);

  expect(cached().map(({ value }) => value)).toEqual([2]);
  expect(collection.newestWatch.request.resourceVersion).toBe('b');
});

test('[W-16] the position in the watch moves only after the sink has the events, so that a failure in between replays them', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const collection = new FakeCollection();
  const stop = new AbortController();
  const reflector = new Reflector<Thing>(
    collection,
    {
      replace: () => {},
      apply: () => promise,
      statusChanged: () => {},
      verified: () => {},
      known: () => undefined,
      keys: () => [],
    },
    { clock: new FakeClock(), relistIntervalMs: 0 },
  );
  const running = reflector.run(stop.signal);
  await settle();

  collection.put('a');
  await settle();
  const during = reflector.resourceVersion;
  resolve();
  await settle();
  const after = reflector.resourceVersion;
  stop.abort();
  await running;

  expect([during, after]).toEqual(['100', '101']);
});
