import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { expired, FakeCollection } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

const LONG = { watchTimeoutSeconds: [7_200, 7_201] } as const;

function world(...names: readonly string[]): FakeCollection {
  const collection = new FakeCollection();
  for (const name of names) collection.put(name);
  return collection;
}

test('[W-36] verify() resolves to the drift, which is counted and repaired', async () => {
  const collection = world('a', 'b');
  const { clock, reflector, drift, meter, names } = start(LONG, collection);
  await settle();
  collection.loseNextEvent = true;
  collection.remove('a');

  const verifying = reflector.verify();
  await clock.advanceAndSettle(31_000);

  expect(await verifying).toEqual(['demo/a']);
  expect(drift).toEqual([['demo/a']]);
  expect(meter.value('chancery_cache_drift_total')).toBe(1);
  expect(meter.value('chancery_lists_total', { mode: 'verify' })).toBe(1);
  expect(names()).toEqual(['demo/b']);
});

test('[W-36] verify() of a healthy source causes no change and no extra list', async () => {
  const { collection, reflector, changes, replaced } = start(LONG, world('a', 'b'));
  await settle();
  changes.length = 0;

  const both = await Promise.all([reflector.verify(), reflector.verify()]);

  expect(both).toEqual([[], []]);
  expect([changes, replaced(), collection.lists.length]).toEqual([[], 1, 2]);
});

test('[W-35] a watch that is two seconds behind does not count as drift', async () => {
  const collection = world('a');
  const { clock, reflector, drift, names } = start(LONG, collection);
  await settle();
  collection.loseNextEvent = true;
  const late = collection.put('b');

  const verifying = reflector.verify();
  await clock.advanceAndSettle(2_000);
  collection.newestWatch.send({ type: 'ADDED', object: late });
  await clock.advanceAndSettle(2_000);

  expect(await verifying).toEqual([]);
  expect(drift).toEqual([[]]);
  expect(names()).toEqual(['demo/a', 'demo/b']);
});

test('[W-34] a verification with an older list ends with the objects of that list', async () => {
  const collection = world('a', 'b');
  const { clock, reflector, meter, notices, names } = start(LONG, collection);
  await settle();

  collection.restore(50, 'a');
  const verifying = reflector.verify();
  await clock.advanceAndSettle(1_000); // without the patience that a watch may need
  const soon = names();
  await clock.advanceAndSettle(31_000);
  await verifying;

  expect(soon).toEqual(['demo/a']);
  expect(names()).toEqual(['demo/a']);
  expect(notices).toEqual([{ kind: 'regression', from: '102', to: '51' }]);
  expect(meter.value('chancery_rv_regression_total')).toBe(1);
});

test('[W-34] an older list is accepted and counted, and objects that it lacks are deleted', async () => {
  const collection = world('a', 'b');
  const { clock, names, notices, meter, reflector } = start(LONG, collection);
  await settle();

  collection.restore(50, 'a');
  collection.newestWatch.fail(expired());
  await clock.advanceAndSettle(1_000);

  expect(names()).toEqual(['demo/a']);
  expect(reflector.resourceVersion).toBe('51');
  expect(notices).toEqual([{ kind: 'regression', from: '102', to: '51' }]);
  expect(meter.value('chancery_rv_regression_total')).toBe(1);
});

test('[W-36] verify() of a stopped source is refused', async () => {
  const { reflector, running, stop } = start();
  await settle();
  stop();
  await running;

  await expect(reflector.verify()).rejects.toMatchObject({ code: 'NOT_SYNCED' });
});

test('[W-36] verify() waits for a live watch, and ends when the source stops', async () => {
  const collection = world('a');
  collection.failLists(expired(), expired());
  const { reflector, running, stop } = start({}, collection);
  const verifying = reflector.verify();
  verifying.catch(() => {});
  await settle();

  stop();
  await running;

  await expect(verifying).rejects.toMatchObject({ name: 'AbortError' });
});

test('[W-35] if the page token of a verification expires, the verification starts over without pages', async () => {
  const collection = world('a', 'b', 'c');
  const { reflector } = start({ ...LONG, pageSize: 2 }, collection);
  await settle();
  collection.betweenPages = () => collection.failLists(expired());

  expect(await reflector.verify()).toEqual([]);

  expect(collection.lists.map(({ limit }) => limit)).toEqual([2, 2, 2, 2, 0]);
});
