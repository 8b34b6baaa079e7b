/** The kind Database of the original, in both of its groups. */

import { eventually } from '@chancery/testing';
import { controllerOf } from 'chancery';
import type { Lease, StatefulSet } from 'chancery/kubernetes';
import { rbac } from 'chancery/low-level';
import { expect, test } from 'vitest';
import operator from '../operator.ts';
import type { Database } from '../resources/database.ts';
import type { SampleDb } from '../resources/sample-db.ts';
import { type DbPlace, startDb } from './place.ts';

const SAMPLE = new URL('../sample/database.yaml', import.meta.url);
const NAME = 'my-first-crd-database';
const GROUPS = ['stable.imaginedata.co', 'stable.imaginedata.com'];

const database = (group: string, name: string, namespace: string, spec: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: 'Database',
  metadata: { name, namespace },
  spec: { image: 'postgres:16.4', port: 5432, 'storage-size': '1Gi', replicas: 1, ...spec },
});

interface Table {
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

const until = (place: DbPlace, group: string, namespace: string, name: string, reason: string) =>
  eventually(async () => {
    const live = await place.env.get<Database>(`${group}/v1`, 'Database', namespace, name);
    return live?.status?.conditions?.[0]?.reason === reason && live;
  });

test('acceptance DB, DB1, DB2: both groups can be installed, the sample applies, and every namespace is reconciled', async () => {
  const place = await startDb({ allNamespaces: true });
  const { env, namespace } = place;
  const other = await env.namespace();

  await place.apply(SAMPLE);
  await env.create(database(GROUPS[1] ?? '', 'second', other));
  const first = await until(place, GROUPS[0] ?? '', namespace, NAME, 'Complete');
  await until(place, GROUPS[1] ?? '', other, 'second', 'Complete');
  const path = `/apis/${GROUPS[0]}/v1/namespaces/${namespace}/databases`;
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'; // what `kubectl get` asks for
  const answer = await fetch(`${env.url}${path}`, { headers: { accept } });
  const { rows } = (await answer.json()) as Table;

  expect(rows.map(({ cells }) => cells.slice(0, 3))).toEqual([[NAME, 'Running', 3]]);
  expect(first.status).toMatchObject({ observedGeneration: 1, readyReplicas: 3 });
  const db = await env.get<SampleDb>('example.dev/v1', 'SampleDB', namespace, NAME);
  expect(db === undefined ? undefined : controllerOf(db)).toMatchObject({ kind: 'Database' });
  expect(db?.spec).toMatchObject({ version: '16.4', storage: { size: '50G' } });
  await expect(
    env.create(database(GROUPS[0] ?? '', 'wrong', other, { 'storage-size': 'much' })),
  ).rejects.toThrow(/storage-size/);

  // One name, twice: the second is refused, and the first is left alone.
  await env.create(database(GROUPS[1] ?? '', NAME, namespace, { replicas: 1 }));
  await until(place, GROUPS[1] ?? '', namespace, NAME, 'NotOwned');
  const set = await env.get<StatefulSet>('apps/v1', 'StatefulSet', namespace, NAME);
  expect(set?.spec.replicas).toBe(3);
  expect(await place.told('NotOwned')).toHaveLength(1);
  await env.delete(`${GROUPS[0]}/v1`, 'Database', namespace, NAME); // and now the name is free
  await until(place, GROUPS[1] ?? '', namespace, NAME, 'Complete');

  // A name that makes no Service, and a size that changes: a condition, and no retry.
  await env.create(database(GROUPS[0] ?? '', '1st', other));
  const refused = await until(place, GROUPS[0] ?? '', other, '1st', 'Invalid');
  expect(refused.status?.conditions?.[0]).toMatchObject({ status: 'False' });
});

test('DB2: an object that the original operator accepted without an image gets a condition, and nothing is created', async () => {
  const place = await startDb();
  const { env, namespace } = place;
  const [group = ''] = GROUPS;
  await env.create(database(group, 'bare', namespace, { image: undefined }));

  const refused = await until(place, group, namespace, 'bare', 'Invalid');

  expect(refused.status?.conditions?.[0]?.message).toBe('spec.image must be specified');
  await place.idle();
  expect(place.writes().filter((write) => write.includes('sampledbs'))).toEqual([]);
  await eventually(async () => (await place.events('Invalid')).length === 1);
});

test('acceptance DB, DB3, DB4: of two replicas, only the replica with the Lease reconciles', async () => {
  const place = await startDb({ leaderElection: true });
  const { env, namespace } = place;
  const replicas = [place.operator, place.startOperator()];
  const leader = await eventually(() => replicas.find(({ leads }) => leads));

  await place.apply(SAMPLE);
  await eventually(async () => {
    const live = await env.get<Database>(`${GROUPS[0]}/v1`, 'Database', namespace, NAME);
    return live?.status?.phase === 'Running';
  });

  const worked = replicas.filter(({ meter }) =>
    Object.keys(meter.snapshot()).some((series) => /reconcile_total.*"success"/.test(series)),
  );
  expect(worked).toEqual([leader]);
  const leases = await env.list<Lease>('coordination.k8s.io/v1', 'Lease');
  expect(leases.map(({ metadata }) => metadata.namespace)).toEqual([namespace]);
  expect(leases[0]?.spec?.holderIdentity).not.toBe('foo');
});

test('DB5: for Secrets and foreign objects, the operator has only the permissions that it needs', () => {
  const rules = rbac(operator, {
    namespaces: ['demo'],
    name: 'database',
    serviceAccount: { name: 'database', namespace: 'demo' },
  }).flatMap((object) => ('rules' in object ? (object.rules ?? []) : []));
  const verbsOf = (resource: string) =>
    rules.filter((rule) => rule.resources?.includes(resource)).flatMap(({ verbs }) => verbs);

  expect(verbsOf('secrets').toSorted()).toEqual(['create', 'delete', 'get']);
  expect(verbsOf('persistentvolumeclaims').toSorted()).toEqual(['delete', 'get', 'list', 'watch']);
  expect(verbsOf('sampledbs')).not.toContain('delete');
  expect(JSON.stringify(rules)).not.toContain('*');
});
