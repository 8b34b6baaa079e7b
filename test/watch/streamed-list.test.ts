import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { ApiError } from '../../operator/model/status.ts';
import { ListLimiter } from '../../operator/watch/policy/list-limiter.ts';
import {
  expired,
  FakeCollection,
  type Thing,
  type ThingEvent,
} from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

const marker = (resourceVersion: string): ThingEvent => ({
  type: 'BOOKMARK',
  resourceVersion,
  initialEventsEnd: true,
});
const cut = (): AmbassadorError =>
  new AmbassadorError('cut', { code: 'CONNECTION_LOST', fate: 'unknown' });
const gateOff = (): ApiError =>
  new ApiError({
    code: 422,
    reason: 'Invalid',
    message: 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch',
  });
const LABELS = { group: '', version: 'v1', resource: 'things' };

function world(...names: readonly string[]): FakeCollection {
  const collection = new FakeCollection();
  for (const name of names) collection.put(name);
  return collection;
}

test('[L-30] the source lists page by page by default', async () => {
  const { collection } = start({}, world('a'));
  await settle();

  expect(collection.lists).toHaveLength(1);
  expect(collection.newestWatch.request.sendInitialEvents).toBeUndefined();
});

test('[L-31] [L-32] a streamed list is published once, at the marker with its resourceVersion, and continues on the same connection', async () => {
  const collection = world('b', 'a');
  collection.streaming = 'manual';
  const { names, reflector, replaced, changes, statuses, meter } = start(
    { list: 'stream' },
    collection,
  );
  await settle();
  const [b, a] = collection.objects as [Thing, Thing];

  collection.newestWatch.send({ type: 'ADDED', object: a }, { type: 'ADDED', object: b });
  await settle();
  const before = [names(), reflector.resourceVersion, [...statuses]];
  const live = { ...a, metadata: { ...a.metadata, resourceVersion: '201' } };
  collection.newestWatch.send(marker('200'), { type: 'MODIFIED', object: live });
  await settle();

  expect(before).toEqual([[], undefined, []]);
  expect(replaced()).toBe(1);
  expect(changes).toEqual(['add demo/a 102', 'add demo/b 101', 'update demo/a 201']);
  expect(reflector.resourceVersion).toBe('201');
  expect(statuses).toEqual(['healthy']);
  expect([collection.lists.length, collection.watches.length]).toEqual([0, 1]);
  expect(meter.value('chancery_lists_total', { mode: 'stream', result: 'ok' })).toBe(1);
});

test('[L-31] a stream that is cut before the marker changes nothing', async () => {
  const collection = world('a');
  const { clock, names, reflector, replaced } = start({ list: 'stream' }, collection);
  await settle();
  collection.put('b');
  await settle();
  collection.streaming = 'manual';

  collection.newestWatch.fail(expired());
  await settle();
  collection.newestWatch.send({ type: 'ADDED', object: { ...collection.put('c') } });
  const seen = reflector.resourceVersion;
  collection.newestWatch.fail(cut());
  await settle();

  expect(names()).toEqual(['demo/a', 'demo/b']);
  expect([seen, reflector.resourceVersion]).toEqual(['102', '102']);
  expect(replaced()).toBe(1);
  await clock.advanceAndSettle(1_000);
  expect(collection.newestWatch.request).toMatchObject({
    sendInitialEvents: true,
    resourceVersion: '102', // not older than what is known
  });
});

test.each([
  'a refusal',
  'an end before the marker, twice',
  'a cut before the marker, twice',
  'silence instead of the marker',
])('[L-33] a streamed list falls back to pages within 25 seconds after %s', async (what) => {
  const collection = world('a', 'b');
  if (what === 'a refusal') collection.failWatches(gateOff());
  collection.streaming = what.startsWith('silence') ? 'no-marker' : 'manual';
  const { clock, names, notices, meter } = start({ list: 'stream' }, collection);
  await settle();

  for (let second = 0; second < 25; second++) {
    for (const watch of collection.openWatches) {
      if (watch.request.sendInitialEvents !== true) continue;
      if (what.startsWith('an end')) watch.end();
      if (what.startsWith('a cut')) watch.fail(cut());
    }
    await clock.advanceAndSettle(1_000);
  }

  expect(names()).toEqual(['demo/a', 'demo/b']);
  expect(notices.map(({ kind }) => kind)).toEqual(['not-streamed']);
  expect(collection.lists).toHaveLength(1);
  expect(collection.watches.length).toBe(what.endsWith('twice') ? 3 : 2);
  expect(collection.newestWatch.request.resourceVersion).toBe('102');
  expect(meter.value('chancery_lists_total', { mode: 'paged', result: 'ok' })).toBe(1);
});

test.each([
  ['400', 'the server could not understand the request'],
  ['400', ''],
  ['422', 'unknown parameter'],
])('[attack A-8] [L-33] if a streamed list is refused with %s and no parameter is mentioned, a paged list follows (%j)', async (code, message) => {
  const collection = world('a', 'b');
  collection.failWatches(new ApiError({ code: Number(code), reason: 'BadRequest', message }));
  const { clock, names, notices } = start({ list: 'stream' }, collection);

  await clock.advanceAndSettle(1_000);

  expect(names()).toEqual(['demo/a', 'demo/b']);
  expect(notices.map(({ kind }) => kind)).toEqual(['not-streamed']);
  expect(collection.lists).toHaveLength(1);
});

test('[attack A-8] [L-33] if a list is refused both as a stream and in pages, the error of the paged list is reported', async () => {
  const collection = world('a');
  const refused = (): ApiError =>
    new ApiError({ code: 400, reason: 'BadRequest', message: 'field label not supported: x' });
  collection.streaming = refused();
  collection.listPage = () => Promise.reject(refused());
  const { clock, reflector, statuses } = start({ list: 'stream' }, collection);

  await clock.advanceAndSettle(1_000);

  expect(statuses).toEqual(['failing: rejected']);
  expect(reflector.status).toMatchObject({ reason: 'rejected' });
});

test('[L-30] if a server cannot stream lists, no source of the process requests a stream for an hour', async () => {
  const clock = new FakeClock();
  const limiter = new ListLimiter({ clock });
  const first = world('a');
  first.failWatches(gateOff());
  start({ list: 'auto', clock, limiter, labels: LABELS }, first);
  await clock.advanceAndSettle(1_000);

  const second = world('a');
  start({ list: 'auto', clock, limiter, labels: LABELS }, second);
  const other = world('a');
  start({ list: 'auto', clock, limiter, labels: { ...LABELS, resource: 'others' } }, other);
  await clock.advanceAndSettle(59 * 60_000);
  const third = world('a');
  start({ list: 'auto', clock, limiter, labels: LABELS }, third);
  await clock.advanceAndSettle(60_000);
  const late = world('a');
  start({ list: 'auto', clock, limiter, labels: LABELS }, late);
  await settle();

  const streamed = [second, other, third, late].map(
    ({ watches }) => watches[0]?.request.sendInitialEvents === true,
  );
  expect(streamed).toEqual([false, true, false, true]);
});

test('[L-30] in the mode "stream", the next list after a fallback is streamed again', async () => {
  const collection = world('a');
  collection.failWatches(gateOff());
  const { clock } = start({ list: 'stream' }, collection);
  await clock.advanceAndSettle(1_000);

  collection.newestWatch.fail(expired());
  await clock.advanceAndSettle(1_000);

  expect(collection.newestWatch.request.sendInitialEvents).toBe(true);
  expect(collection.lists).toHaveLength(1);
});

test('[L-34] MODIFIED and DELETED events before the marker are applied in order', async () => {
  const collection = world('a', 'b', 'c');
  collection.streaming = 'manual';
  const { cached } = start({ list: 'stream' }, collection);
  await settle();
  const [a, b, c] = collection.objects as [Thing, Thing, Thing];

  collection.newestWatch.send(
    { type: 'ADDED', object: a },
    { type: 'MODIFIED', object: b },
    { type: 'ADDED', object: c },
    { type: 'BOOKMARK', resourceVersion: '103', initialEventsEnd: false },
    { type: 'MODIFIED', object: { ...a, value: 7 } },
    { type: 'DELETED', object: c },
    marker('110'),
  );
  await settle();

  expect(cached()).toEqual([{ ...a, value: 7 }, b]);
});

test('[L-35] a marker that nobody requested counts as an ordinary bookmark', async () => {
  const { collection, names, reflector, replaced, changes } = start({}, world('a'));
  await settle();
  changes.length = 0;

  collection.newestWatch.send(marker('150'));
  await settle();

  expect([names(), replaced(), changes]).toEqual([['demo/a'], 1, []]);
  expect(reflector.resourceVersion).toBe('150');
});

test('if a server is behind the known state, three streams are requested from it, and then its latest state', async () => {
  const collection = world('a');
  const tooLarge = (): ApiError =>
    new ApiError({ code: 504, reason: 'Timeout', message: 'Too large resource version: 9' });
  const { clock } = start({ list: 'stream' }, collection);
  await settle();
  collection.streaming = tooLarge();

  collection.newestWatch.fail(expired());
  await clock.advanceAndSettle(10_000);
  collection.streaming = 'yes';
  await clock.advanceAndSettle(20_000);

  const from = collection.watches.map(({ request }) => request.resourceVersion);
  expect(from.slice(0, 5)).toEqual(['', '101', '101', '101', '101']);
  expect(from.at(-1)).toBe('');
  expect(collection.openWatches).toHaveLength(1);
});
