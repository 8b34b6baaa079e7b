/** Decorated objects that are as they should be: after a restart, and as the original has left them. */
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

const DECORATED_BY = 'metacontroller.k8s.io/decorator-controller';
const LAST_APPLIED = 'metacontroller.k8s.io/last-applied-configuration';

test('after a restart, each unchanged house causes one call and no write, and then no call for ten minutes', async () => {
  const clock = new FakeClock();
  const names = Array.from({ length: 20 }, (_, at) => `house-${at}`);
  const place = await startMetacontroller({
    clock,
    subjects: [
      painter(
        ({ object: { metadata } }) => ({
          labels: { painted: 'red' },
          status: { phase: 'Dry' },
          attachments: [bucket(`of-${metadata.name}`, 'red')],
        }),
        { method: 'InPlace', finalize: () => ({ attachments: [], finalized: true }) },
      ),
    ],
    definitions: [HOUSES],
  });
  /** Retries wait by the clock, such as that of a watch which was cut off. */
  const eventuallyAfterRetries = (isSo: () => boolean | Promise<boolean>): Promise<unknown> =>
    eventually(() => {
      clock.advance(1_000);
      return isSo();
    }, PATIENT);
  for (const name of names) await place.apply(house(name));
  await eventuallyAfterRetries(async () => {
    const all = await place.env.list('v1', 'ConfigMap', place.namespace);
    return (
      all.filter(({ metadata }) => metadata.annotations?.[DECORATED_BY]).length === names.length
    );
  });
  await place.idle();
  // Status and labels are two patches, and the function sees their result once.
  expect(place.server.calls().length).toBeLessThanOrEqual(3 * names.length);

  await place.operator.stop();
  const calls = place.server.calls().length;
  const writes = place.writes().length;
  place.startOperator();
  await eventuallyAfterRetries(() => place.server.calls().length >= calls + names.length);
  await place.idle();
  for (let minute = 0; minute < 10; minute++) {
    clock.advance(60_000);
    await place.idle();
  }

  const asked = place.server.calls().slice(calls);
  expect(asked.map(({ body }) => body.object.metadata.name).sort()).toEqual([...names].sort());
  expect(
    place
      .writes()
      .slice(writes)
      .filter((write) => !/controllers/.test(write)),
  ).toEqual([]);

  await patched(place, 'house-7', { spec: { floors: 3 } });
  await eventuallyAfterRetries(() => place.server.calls().length > calls + names.length);
  await place.idle();
  expect(place.server.calls().length).toBe(calls + names.length + 1);
});

test.each([
  'OnDelete',
  'Recreate',
  'InPlace',
  'RollingRecreate',
  'RollingInPlace',
])('a house and its attachment in the state that Metacontroller wrote are neither written nor deleted (%s)', async (method) => {
  const place = await startMetacontroller({
    subjects: [
      painter(() => ({ labels: { painted: 'red' }, attachments: [bucket('b', 'red')] }), {
        ...{ method, finalize: () => ({ attachments: [], finalized: false }) },
      }),
    ],
    definitions: [HOUSES],
    stopped: true,
  });
  const { env, namespace } = place;
  await place.apply(
    house('one', {
      ...{ labels: { painted: 'red' }, annotations: { paint: 'yes' }, finalizers: [FINALIZER] },
    }),
  );
  const { uid = '' } = (await houseOf(place, 'one'))?.metadata ?? {};
  const annotations = { [DECORATED_BY]: 'painter' };
  const applied = `{"apiVersion":"v1","data":{"colour":"red"},"kind":"ConfigMap","metadata":{"annotations":{"${DECORATED_BY}":"painter"},"name":"b","namespace":"${namespace}"}}`;
  await env.create({
    ...bucket('b', 'red'),
    metadata: {
      ...{ name: 'b', namespace },
      annotations: { ...annotations, [LAST_APPLIED]: applied },
      ownerReferences: [
        {
          ...{ apiVersion: 'town.example/v1', kind: 'House', name: 'one', uid },
          ...{ controller: true, blockOwnerDeletion: true },
        },
      ],
    },
  } as unknown as KubernetesObject);
  const before = await bucketOf(place, 'b');

  place.startOperator();
  await eventually(() => place.server.calls('/painter/sync').length > 0, PATIENT);
  await place.idle();

  expect(place.server.calls().map(({ body }) => body.attachments)).toMatchObject([
    { 'ConfigMap.v1': { b: { metadata: { uid: before?.metadata.uid } } } },
  ]);
  expect(place.writes().filter((write) => !/controllers/.test(write))).toEqual([]);
  expect(await bucketOf(place, 'b')).toEqual(before);
});
