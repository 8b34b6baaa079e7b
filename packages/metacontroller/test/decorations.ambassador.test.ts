/** What a DecoratorController does to the objects that it decorates, and to those of others. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import {
  bucket,
  bucketOf,
  FINALIZER,
  HOUSES,
  house,
  houseOf,
  painter,
  patched,
} from './support/houses.ts';
import { PATIENT, startMetacontroller } from './support/place.ts';

test('[contract 38] [metacontroller 16] a decorator sets labels and annotations, deletes them where the answer is null, replaces or keeps the status, and ignores houses that do not match', async () => {
  const answers: Readonly<Record<string, object>> = {
    new: {
      labels: { painted: 'red', old: null },
      annotations: { 'painted-by': 'us', note: null },
      status: { phase: 'Wet', coats: { first: 1, second: 2 } },
      attachments: [],
    },
    dry: { status: { phase: 'Dry', coats: { second: 3 } }, attachments: [] },
    done: { status: null, labels: null, attachments: [] },
  };
  const place = await startMetacontroller({
    subjects: [
      painter(
        ({ object }) => answers[object.metadata.labels?.stage ?? 'new'] ?? answers.done ?? {},
      ),
    ],
    definitions: [HOUSES],
  });
  const metadata = { labels: { old: 'x', kept: 'k' }, annotations: { paint: 'yes', note: 'n' } };
  await place.apply(house('one', metadata));
  await place.apply(house('ruin', { labels: { ruin: 'very', old: 'x' } }));
  await place.apply(house('plain', { annotations: {}, labels: { old: 'x' } }));

  await eventually(async () => (await houseOf(place, 'one'))?.status?.phase === 'Wet', PATIENT);
  await eventually(async () => {
    const found = await houseOf(place, 'one');
    return found?.metadata.labels?.painted === 'red';
  }, PATIENT);
  const first = await houseOf(place, 'one');
  expect(first?.metadata.labels).toEqual({ painted: 'red', kept: 'k' });
  expect(first?.metadata.annotations).toEqual({ paint: 'yes', 'painted-by': 'us' });
  expect(first?.metadata.finalizers).toBeUndefined();

  await patched(place, 'one', { metadata: { labels: { stage: 'dry' } } });
  await eventually(async () => (await houseOf(place, 'one'))?.status?.phase === 'Dry', PATIENT);
  expect((await houseOf(place, 'one'))?.status).toEqual({ phase: 'Dry', coats: { second: 3 } });

  await place.idle();
  const calls = place.server.calls().length;
  const writes = place.writes().length;
  await patched(place, 'one', { metadata: { labels: { stage: 'done' } } });
  await eventually(() => place.server.calls().length > calls, PATIENT);
  await place.idle();
  expect((await houseOf(place, 'one'))?.status).toEqual({ phase: 'Dry', coats: { second: 3 } });
  expect(place.writes().slice(writes)).toEqual([]);
  expect(place.server.calls().length).toBe(calls + 1);
  for (const name of ['ruin', 'plain']) {
    expect((await houseOf(place, name))?.metadata.labels?.old).toBe('x');
  }
  const asked = place.server.calls().map(({ body }) => body.object.metadata.name);
  expect(new Set(asked)).toEqual(new Set(['one']));
});

test('[contract 56] [metacontroller 16] a foreign object with the name of an attachment is reported and not overwritten, and other attachments are written', async () => {
  const place = await startMetacontroller({
    subjects: [
      painter(() => ({ attachments: [bucket('taken', 'red'), bucket('free', 'red')] }), {
        method: 'InPlace',
      }),
    ],
    definitions: [HOUSES],
  });
  await place.apply(bucket('taken', 'green') as KubernetesObject);
  await place.apply(house('one'));

  await eventually(async () => (await bucketOf(place, 'free'))?.data?.colour === 'red', PATIENT);
  const [event] = await place.told('SyncError');
  expect(event?.note).toMatch(/configmaps .*taken exists and is no attachment of this object/);
  expect(await bucketOf(place, 'taken')).toMatchObject({ data: { colour: 'green' } });
  expect((await bucketOf(place, 'taken'))?.metadata.ownerReferences).toBeUndefined();

  await place.env.delete('v1', 'ConfigMap', place.namespace, 'taken');
  await eventually(async () => (await bucketOf(place, 'taken'))?.data?.colour === 'red', PATIENT);
});

test.each([
  ['OnDelete', 'red'],
  ['InPlace', 'blue'],
  ['RollingInPlace', 'blue'],
  ['Recreate', 'blue'],
  ['RollingRecreate', 'blue'],
] as const)('[metacontroller 16] an attachment that changes in the answer is updated by the method %s', async (method, colour) => {
  const wanted = { colour: 'red' };
  const place = await startMetacontroller({
    subjects: [painter(() => ({ attachments: [bucket('b', wanted.colour)] }), { method })],
    definitions: [HOUSES],
  });
  await place.apply(house('one'));
  const before = await eventually(() => bucketOf(place, 'b'), PATIENT);
  await place.idle();

  wanted.colour = 'blue';
  const calls = place.server.calls().length;
  await patched(place, 'one', { spec: { floors: 3 } });
  await eventually(() => place.server.calls().length > calls, PATIENT);
  await eventually(async () => (await bucketOf(place, 'b'))?.data?.colour === colour, PATIENT);
  await place.idle();
  const after = await bucketOf(place, 'b');

  expect(after?.data).toEqual({ colour });
  expect(after?.metadata.uid === before.metadata.uid).toBe(!method.includes('Recreate'));
});

test('[metacontroller 17] while the hook fails, the finalizer stays, and when the hook answers again, the deleted house is removed', async () => {
  const clock = new FakeClock();
  let isDown = true;
  const place = await startMetacontroller({
    clock,
    subjects: [
      painter(({ object }) => ({ attachments: [bucket(`of-${object.metadata.name}`, 'red')] }), {
        finalize: ({ attachments, finalizing }) => {
          if (isDown || !finalizing) throw new Error('down');
          return {
            attachments: [],
            finalized: Object.keys(attachments['ConfigMap.v1'] ?? {}).length === 0,
          };
        },
      }),
    ],
    definitions: [HOUSES],
  });
  await place.apply(house('one'));
  await place.apply(house('two'));
  await eventually(async () => {
    clock.advance(100);
    return (await bucketOf(place, 'of-one')) !== undefined && (await bucketOf(place, 'of-two'));
  }, PATIENT);
  expect((await houseOf(place, 'one'))?.metadata.finalizers).toEqual([FINALIZER]);

  await place.env.delete('town.example/v1', 'House', place.namespace, 'one');
  await patched(place, 'two', { metadata: { labels: { ruin: 'yes' } } });
  const failed = () => place.server.calls('/painter/finalize').length;
  const until = clock.monotonic() + 30_000;
  await eventually(() => {
    if (clock.monotonic() < until) clock.advance(500);
    return clock.monotonic() >= until && failed() >= 4;
  }, PATIENT);
  for (const name of ['one', 'two']) {
    expect((await houseOf(place, name))?.metadata.finalizers).toEqual([FINALIZER]);
    expect(await bucketOf(place, `of-${name}`)).toBeDefined();
  }

  isDown = false;
  await eventually(async () => {
    clock.advance(500);
    const two = await houseOf(place, 'two');
    return (await houseOf(place, 'one')) === undefined && two?.metadata.finalizers === undefined;
  }, PATIENT);
  expect(await bucketOf(place, 'of-one')).toBeUndefined();
  expect(await bucketOf(place, 'of-two')).toBeUndefined();
  expect(await houseOf(place, 'two')).toBeDefined();
});

test('[metacontroller 13] when a hook alternates labels, the writes stop after at most five, with the reason HotLoop', async () => {
  const place = await startMetacontroller({
    subjects: [
      painter(({ object }) => ({
        labels: { colour: object.metadata.labels?.colour === 'red' ? 'blue' : 'red' },
        attachments: [],
      })),
    ],
    definitions: [HOUSES],
  });
  await place.apply(house('one'));

  const [event] = await place.told('SyncError');

  expect(event?.note).toMatch(/metadata\.labels\.colour/);
  const writes = place.writes().filter((write) => write === 'patch houses.town.example');
  expect(writes.length).toBeLessThanOrEqual(5);
  expect(writes.length).toBeGreaterThan(1);
});
