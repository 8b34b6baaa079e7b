/** SD6: a member leaves before its Pod goes, and joins when its Pod is there. */
import type { Pod, StatefulSet } from 'chancery';
import { consistently, eventually } from 'chancery/testing';
import { expect, test } from 'vitest';
import { isReady, startDb } from './place.ts';

const db = {
  apiVersion: 'example.dev/v1',
  kind: 'SampleDB',
  metadata: { name: 'orders' },
  spec: {
    image: 'postgres:17.1',
    replicas: 2,
    storage: { size: '1Gi' },
    members: { command: ['member'] },
  },
};

test('SD6: a replica that is too many leaves first, and then its Pod goes; back again, it joins again', async () => {
  const place = await startDb();
  const { env, namespace } = place;
  const pods = async () =>
    (await env.list<Pod>('v1', 'Pod', namespace))
      .map(({ metadata }) => metadata.name)
      .filter((name) => /^orders-[0-9]$/.test(name));
  const scale = (replicas: number) =>
    env.patch('example.dev/v1', 'SampleDB', namespace, 'orders', { spec: { replicas } });

  await place.apply([db]);
  await place.end(await place.job(/^orders-join-0$/), 'Complete');
  await place.end(await place.job(/^orders-join-1$/), 'Complete');
  await place.until(isReady);
  await scale(1);
  const leave = await place.job(/^orders-leave-1$/);
  await consistently(async () => (await pods()).length === 2);
  await place.end(leave, 'Complete');
  await place.until((live) => live.status?.replicas === 1 && isReady(live));
  await eventually(async () => (await place.jobs('member')).length === 1);
  const left = await pods();
  await scale(2);
  await place.end(await place.job(/^orders-join-1$/), 'Complete');
  await place.until((live) => live.status?.replicas === 2 && isReady(live));

  expect(left).toEqual(['orders-0']);
  const order = env.events
    .of({ namespace })
    .filter(({ type, name, resource, object }) => {
      if (name === 'orders-leave-1') return type === 'ADDED';
      const { replicas } = (object as StatefulSet).spec ?? {};
      return resource === 'statefulsets.apps' && replicas === 1;
    })
    .map(({ name }) => name);
  expect(order[0]).toBe('orders-leave-1');
  const added = env.events.of({ type: 'ADDED', resource: 'jobs.batch', namespace });
  expect(added.map(({ name }) => name)).toEqual([
    'orders-join-0',
    'orders-join-1',
    'orders-leave-1',
    'orders-join-1',
  ]);
});
