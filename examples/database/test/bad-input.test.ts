/** What a definition refuses, and what belongs to others. */
import { type Service, secrets } from 'chancery';
import { consistently, eventually } from 'chancery/testing';
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

test("another's Service and another's Secret of the same name are never touched", async () => {
  const place = await startDb();
  const { env, namespace } = place;
  const credentials = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'safe-credentials' },
    stringData: { PASSWORD: 'of somebody else' },
  };
  await place.apply([service('orders'), credentials]);
  const before = await place.get<Service>('v1', 'Service', 'orders');

  await place.apply([db('orders'), db('safe')]);
  const blocked = await place.until((live) => planOf(live, 'deploy') === 'FATAL_ERROR');
  const safe = await place.until((live) => planOf(live, 'deploy') === 'FATAL_ERROR', 'safe');
  const events = await eventually(async () => {
    const found = await place.events('NotOwned');
    return found.length === 2 && found;
  });
  const writes = place.writes().length;
  await consistently(() => place.writes().length === writes);

  expect(conditionOf(blocked, 'Ready')).toMatchObject({ status: 'False', reason: 'NotOwned' });
  expect(conditionOf(safe, 'Ready')?.message).toContain(`${secrets.plural} `);
  expect(await place.get('v1', 'Service', 'orders')).toEqual(before);
  expect(events.map(({ type }) => type)).toEqual(['Warning', 'Warning']);
  expect(JSON.stringify([events, blocked, safe])).not.toContain('of somebody else');
  await env.delete('example.dev/v1', 'SampleDB', namespace, 'orders');
  await eventually(async () => (await place.db()) === undefined);
  expect(await place.get('v1', 'Service', 'orders')).toEqual(before);
});

test('what makes no sense is refused by the definition', async () => {
  const place = await startDb();
  const { env, namespace } = place;
  await place.apply([db('orders')]);
  await place.until(isReady);
  const change = (spec: object) =>
    env.patch('example.dev/v1', 'SampleDB', namespace, 'orders', { spec });

  await expect(change({ storage: { size: '2Gi' } })).rejects.toThrow(/size of a volume/);
  await expect(change({ snapshotOnDelete: 'Job' })).rejects.toThrow(/runs the command of backup/);
  await expect(change({ version: 'latest' })).rejects.toThrow(/version/);
  await expect(place.apply([db('1st')])).rejects.toThrow(/begins with a letter/);
  await expect(place.apply([db('x'.repeat(33))])).rejects.toThrow(/at most 32/);
});

test('acceptance 6: an autoscaler writes the subresource scale', async () => {
  const place = await startDb();
  await place.apply([db('orders', { replicas: 1 })]);
  await place.until(isReady);

  const path = `/apis/example.dev/v1/namespaces/${place.namespace}/sampledbs/orders/scale`;
  const answer = await fetch(`${place.env.url}${path}`);
  const scale = (await answer.json()) as { spec: object; status: object };
  const written = await fetch(`${place.env.url}${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...scale, spec: { replicas: 2 } }),
  });
  const live = await place.until((one) => one.status?.replicas === 2 && isReady(one));

  expect(written.status).toBe(200);
  expect(scale.status).toMatchObject({
    replicas: 1,
    selector: expect.stringContaining('app.kubernetes.io/instance=orders'),
  });
  expect(live.spec.replicas).toBe(2);
});
