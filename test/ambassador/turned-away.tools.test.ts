/**
 * Writes that the API server turns away by GOAWAY or REFUSED_STREAM: repeated, and carried out once.
 *
 * @module-tag kubectl
 */
import { expect, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { NAMESPACE } from './support/copier.ts';
import { startPod } from './support/start-pod.ts';

const target = { namespace: NAMESPACE, name: 'there' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: target, data: { value: 'new' } };
const generated = { ...object, metadata: { namespace: NAMESPACE, name: '', generateName: 'g-' } };

/** One write of each method, and what the server has committed of it. */
const WRITES = {
  POST: [(client: Client) => client.create(configMaps, generated), 'ADDED'],
  PATCH: [(client: Client) => client.apply(configMaps, object, { force: true }), 'MODIFIED'],
  PUT: [(client: Client) => client.update(configMaps, object, { force: true }), 'MODIFIED'],
  DELETE: [
    (client: Client, uid: string) => client.delete(configMaps, target, { preconditions: { uid } }),
    'DELETED',
  ],
} as const;

test.each(
  (['GOAWAY', 'REFUSED_STREAM'] as const).flatMap((how) =>
    (['POST', 'PATCH', 'PUT', 'DELETE'] as const).map((method) => [how, method] as const),
  ),
)('[security 40] proxy 17: after %s on a %s, the request is sent again, and executed exactly once', async (how, method) => {
  const pod = await startPod();
  pod.server.create({ ...object, data: { value: 'old' } });
  const client = pod.client();
  const { metadata } = await client.get(configMaps, target);
  const [write, change] = WRITES[method];
  const committed: string[] = [];
  pod.server.subscribe((resource, { type }) => {
    if (resource === 'configmaps') committed.push(type);
  });

  const turnedAway = pod.server.secure.turnAway(how, (sent) => sent === method);
  await write(client, metadata.uid ?? '');
  await turnedAway;

  expect(committed).toEqual([change]);
  expect(pod.requests(method)).toHaveLength(1);
});

test('proxy 18: after repeated GOAWAY, no watch of the operator ends, and no list or write is repeated', async () => {
  const pod = await startPod();
  pod.put('a', '0');
  const operator = pod.startOperator();
  await pod.untilAllIsWell();

  for (const value of ['1', '2', '3']) {
    pod.server.secure.goAway();
    pod.put('a', value);
    await pod.untilAllIsWell();
  }

  expect(pod.server.secure.connections).toBeGreaterThan(1); // the first one carries the watch
  expect([pod.lists, pod.server.openWatches]).toEqual([1, 1]);
  expect(pod.requests('PATCH')).toHaveLength(4);
  expect(operator.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});
