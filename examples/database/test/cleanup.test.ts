/** The plan cleanup: nothing is taken away before there is a snapshot of it. */

import { consistently, eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { PersistentVolumeClaim, Secret, StatefulSet } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import type { SampleDb } from '../resources/sample-db.ts';
import { conditionOf, type DbPlace, isReady, planOf, startDb } from './place.ts';

/** With data that are worth a snapshot, and nothing to be initialized. */
function orders(spec: object = {}): readonly KubernetesObject[] {
  const db = {
    apiVersion: 'example.dev/v1',
    kind: 'SampleDB',
    metadata: { name: 'orders' },
    spec: {
      image: 'postgres:17.1',
      replicas: 2,
      storage: { size: '1Gi', retain: 'Delete' },
      backup: { schedule: '0 3 * * *', command: ['pg_dump'] },
      snapshotOnDelete: 'Job',
      ...spec,
    },
  };
  return [db];
}

const claims = ({ env, namespace }: DbPlace) =>
  env.list<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim', namespace);
const set = (place: DbPlace) => place.get<StatefulSet>('apps/v1', 'StatefulSet', 'orders');
const isGone = async (place: DbPlace) => (await place.db()) === undefined;

async function remove({ env, namespace }: DbPlace): Promise<void> {
  await env.delete('example.dev/v1', 'SampleDB', namespace, 'orders');
}

const PHASES = ['Snapshotting', 'ScalingDown', 'DeletingVolumes', 'Done'];

/** The last that its status has shown. */
function phasesOf({ env, namespace }: DbPlace): readonly unknown[] {
  const shown = env.events
    .history('sampledbs.example.dev', namespace, 'orders')
    .map((db) => (db as SampleDb).status?.phase);
  return [...new Set(shown)].slice(-PHASES.length);
}

/** While a finalizer is on it, the StatefulSet does not go. */
async function hold({ env, namespace }: DbPlace, finalizers: readonly string[] | null) {
  const body = { metadata: { finalizers } };
  await env.patch('apps/v1', 'StatefulSet', namespace, 'orders', body);
}

async function running(spec: object = {}): Promise<DbPlace> {
  const place = await startDb();
  await place.apply(orders(spec));
  await place.until(isReady);
  return place;
}

test('acceptance 2, SD3: a deletion takes one snapshot and then removes everything, however often it is requested', async () => {
  const place = await running();
  const { env } = place;

  await remove(place);
  const snapshot = await place.job(/^orders-snapshot-[0-9a-f]{8}$/);
  await remove(place);
  const during = await eventually(async () => {
    const live = await place.db();
    return live?.status?.phase === 'Snapshotting' && live;
  });
  await consistently(async () => (await set(place))?.spec.replicas === 2);
  await hold(place, ['example.dev/hold']);
  await place.end(snapshot, 'Complete');
  await eventually(async () => (await set(place))?.metadata.deletionTimestamp);
  await consistently(async () => (await claims(place)).length === 2);
  await hold(place, null);
  await eventually(() => isGone(place));

  expect(planOf(during, 'cleanup')).toBe('IN_PROGRESS');
  const gone = env.events
    .of({ type: 'DELETED', namespace: place.namespace })
    .map(({ resource }) => resource)
    .filter((resource) => /statefulsets|claims|secrets|sampledbs/.test(resource));
  expect([...new Set(gone)]).toEqual([
    'statefulsets.apps',
    'persistentvolumeclaims',
    'secrets',
    'sampledbs.example.dev',
  ]);
  expect(phasesOf(place)).toEqual(PHASES);
  const { namespace } = place;
  const snapshots = env.events.of({ type: 'ADDED', resource: 'jobs.batch', namespace });
  expect(snapshots.map(({ name }) => name)).toEqual([snapshot.metadata.name]);
  expect(await claims(place)).toEqual([]);
  expect(await place.jobs('snapshot')).toHaveLength(1); // it outlives what it was taken of
  expect(await place.told('CleanupComplete')).toHaveLength(1);
});

test('acceptance 3, SD1: after a failed snapshot, nothing is deleted until the annotation allows it', async () => {
  const place = await running();
  const { env, namespace } = place;

  await remove(place);
  await place.end(await place.job(/^orders-snapshot-/), 'Failed');
  const failed = await place.until((db) => planOf(db, 'cleanup') === 'FATAL_ERROR');
  await consistently(async () => (await set(place))?.spec.replicas === 2);
  const kept = await claims(place);
  const events = await place.told('SnapshotFailed');
  await env.patch('example.dev/v1', 'SampleDB', namespace, 'orders', {
    metadata: { annotations: { 'sampledb/force-delete': 'true' } },
  });
  await eventually(() => isGone(place));

  expect(failed.metadata.deletionTimestamp).toBeDefined();
  expect(conditionOf(failed, 'SnapshotFailed')).toMatchObject({ status: 'True', reason: 'Failed' });
  expect(failed.status?.phase).toBe('Snapshotting');
  expect(phasesOf(place)).toEqual(PHASES); // each is written before it begins
  expect(kept).toHaveLength(2);
  expect(events).toMatchObject([{ type: 'Warning' }]);
  expect(await claims(place)).toHaveLength(2); // no snapshot, so the volumes stay, and their password
  expect(await place.get<Secret>('v1', 'Secret', 'orders-credentials')).toBeDefined();
  await eventually(async () => (await set(place)) === undefined);
});

test('a snapshot is taken again if a user deletes the failed snapshot', async () => {
  const place = await running();
  await remove(place);
  const first = await place.job(/^orders-snapshot-/);
  await place.end(first, 'Failed');
  await place.until((db) => planOf(db, 'cleanup') === 'FATAL_ERROR');

  await place.env.delete('batch/v1', 'Job', place.namespace, first.metadata.name);
  const second = await eventually(async () =>
    (await place.jobs('snapshot')).find(({ metadata }) => metadata.uid !== first.metadata.uid),
  );
  await place.end(second, 'Complete');
  await eventually(() => isGone(place));

  expect(await claims(place)).toEqual([]);
});

test('with `retain: Retain`, the volumes and their Secret stay, and a Database with the same name uses both again', async () => {
  const place = await running({ storage: { size: '1Gi' }, snapshotOnDelete: 'None' });
  const before = await claims(place);
  const secret = await place.get<Secret>('v1', 'Secret', 'orders-credentials');

  await remove(place);
  await eventually(() => isGone(place));
  await eventually(async () => (await set(place)) === undefined);
  await place.apply(orders({ storage: { size: '1Gi' }, snapshotOnDelete: 'None' }));
  await place.until(isReady);

  expect(await place.get<Secret>('v1', 'Secret', 'orders-credentials')).toEqual(secret);
  expect((await claims(place)).map(({ metadata }) => metadata.uid)).toEqual(
    before.map(({ metadata }) => metadata.uid),
  );
});

test('a Database that is deleted while the operator is down is removed once, when the operator is back', async () => {
  const place = await running();
  await place.operator.kill();

  await remove(place);
  await consistently(async () => (await place.db()) !== undefined);
  place.startOperator();
  const snapshot = await place.job(/^orders-snapshot-/);
  await place.operator.kill();
  await place.end(snapshot, 'Complete');
  place.startOperator();
  await eventually(() => isGone(place));

  const { env, namespace } = place;
  expect(env.events.of({ type: 'ADDED', resource: 'jobs.batch', namespace })).toHaveLength(1);
  expect(await claims(place)).toEqual([]);
});
