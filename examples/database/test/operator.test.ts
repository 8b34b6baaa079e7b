/** The plan deploy: what is made, once, and what is left alone. */

import { eventually } from '@chancery/testing';
import type {
  ConfigMap,
  PersistentVolumeClaim,
  Secret,
  Service,
  StatefulSet,
} from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { conditionOf, isReady, planOf, startDb } from './place.ts';

const SAMPLE = new URL('../sample/sample-db.yaml', import.meta.url);

test('acceptance 1: a Database gets a Secret, ConfigMap, Service, StatefulSet, three volumes and one init Job, and then becomes Ready', async () => {
  const place = await startDb();
  const { env, namespace } = place;

  await place.apply(SAMPLE);
  const init = await place.job(/^orders-init-[0-9a-f]{8}$/);
  const waiting = await place.until((db) => planOf(db, 'deploy') === 'IN_PROGRESS');
  await place.end(init, 'Complete');
  const db = await place.until(isReady);

  const owner = { kind: 'SampleDB', name: 'orders', uid: db.metadata.uid, controller: true };
  const owned = { metadata: { ownerReferences: [owner] } };
  expect(await place.get<ConfigMap>('v1', 'ConfigMap', 'orders-config')).toMatchObject({
    ...owned,
    data: { HOST: `orders.${namespace}.svc`, PORT: '5432', NAME: 'orders' },
  });
  expect(await place.get<Service>('v1', 'Service', 'orders')).toMatchObject({
    ...owned,
    spec: { clusterIP: 'None' },
  });
  expect(await place.get<StatefulSet>('apps/v1', 'StatefulSet', 'orders')).toMatchObject({
    ...owned,
    spec: { replicas: 3, template: { spec: { containers: [{ image: 'postgres:17.1' }] } } },
  });
  const secret = await place.get<Secret>('v1', 'Secret', 'orders-credentials');
  expect(Object.keys(secret?.data ?? {}).toSorted()).toEqual(['PASSWORD', 'USERNAME']);
  const claims = await env.list<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim', namespace);
  expect(claims.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    'data-orders-0',
    'data-orders-1',
    'data-orders-2',
  ]);
  expect(conditionOf(waiting, 'Ready')?.status).toBe('False');
  expect(db.status).toMatchObject({ phase: 'Running', version: '17.1', readyReplicas: 3 });
  expect(db.status?.plans.deploy?.phases.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'configure COMPLETE',
    'start COMPLETE',
    'initialize COMPLETE',
  ]);
  expect(env.events.of({ type: 'ADDED', resource: 'jobs.batch', namespace })).toHaveLength(1);
  expect(await place.told('DeployComplete')).toHaveLength(1);

  const before = place.writes();
  await env.delete('batch/v1', 'Job', namespace, init.metadata.name);
  await env.patch('example.dev/v1', 'SampleDB', namespace, 'orders', {
    metadata: { annotations: { touched: 'yes' } },
  });
  await env.patch('v1', 'ConfigMap', namespace, 'orders-config', { data: { PORT: '1' } });
  await eventually(
    async () =>
      (await place.get<ConfigMap>('v1', 'ConfigMap', 'orders-config'))?.data?.PORT === '5432',
  );
  expect(await place.jobs('init')).toEqual([]); // what is configured is not configured again
  expect(new Set(place.writes().slice(before.length))).toEqual(new Set(['patch configmaps']));
});
