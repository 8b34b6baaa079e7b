/** What a definition refuses, and what belongs to others. */

import { consistently, eventually } from '@chancery/testing';
import { type Service, secrets } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { conditionOf, isReady, planOf, startDb } from './place.ts';

const db = (name: string, spec: object = {}) => ({
  apiVersion: 'example.dev/v1',
  kind: 'SampleDB',
  metadata: { name },
  spec: { image: 'postgres:17.1', storage: { size: '1Gi' }, ...spec },
});

const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'another' }, ports: [{ port: 80 }] },
});

test('a foreign Service or Secret with the name that a Database needs is never changed', async () => {
  const place = await startDb();
  const { env, namespace } = place;
  const credentials = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'safe-credentials' },
    stringData: { PASSWORD: 'of somebody else' },
  };
  await place.apply([service('orders'), credentials]);
  const theirs = await place.get<Service>('v1', 'Service', 'orders');

  await place.apply([db('orders'), db('safe')]);
  const blocked = await place.until((live) => planOf(live, 'deploy') === 'FATAL_ERROR');
  const safe = await place.until((live) => planOf(live, 'deploy') === 'FATAL_ERROR', 'safe');
  const events = await eventually(async () => {
    const found = await place.events('NotOwned');
    return found.length === 2 && found;
  });
  // Whether the name is taken is found out by a create, which is refused.
  const changes = () => place.writes().filter((write) => write !== 'create services');
  const before = changes();
  await consistently(() => changes().length === before.length);

  expect(conditionOf(blocked, 'Ready')).toMatchObject({ status: 'False', reason: 'NotOwned' });
  expect(conditionOf(safe, 'Ready')?.message).toContain(`${secrets.plural} `);
  expect(await place.get('v1', 'Service', 'orders')).toEqual(theirs);
  expect(events.map(({ type }) => type)).toEqual(['Warning', 'Warning']);
  expect(JSON.stringify([events, blocked, safe])).not.toContain('of somebody else');
  await env.delete('example.dev/v1', 'SampleDB', namespace, 'orders');
  await eventually(async () => (await place.db()) === undefined);
  expect(await place.get('v1', 'Service', 'orders')).toEqual(theirs);
});

test('the definition refuses invalid specs', async () => {
  const place = await startDb();
  const { env, namespace } = place;
  await place.apply([db('orders')]);
  await place.until(isReady);
  const change = (spec: object) =>
    env.patch('example.dev/v1', 'SampleDB', namespace, 'orders', { spec });

  await expect(change({ storage: { size: '2Gi' } })).rejects.toThrow(/size of a volume/);
  await expect(change({ snapshotOnDelete: 'Job' })).rejects.toThrow(/runs the command of backup/);
  await expect(change({ version: 'latest' })).rejects.toThrow(/version/);
  await expect(change({ storage: { size: 0 } })).rejects.toThrow(/a volume has a size/);
  await expect(change({ credentials: { secretName: '../x' } })).rejects.toThrow(/secretName/);
  await expect(change({ image: ' ' })).rejects.toThrow(/image/);
  await expect(place.apply([db('1st')])).rejects.toThrow(/begins with a letter/);
  await expect(place.apply([db('x'.repeat(33))])).rejects.toThrow(/at most 32/);
});
