/** SD6: a member leaves before its Pod goes, and joins when its Pod is there. */

import { consistently, eventually } from '@chancery/testing';
import type { Pod } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { isReady, startDb } from './place.ts';

const db = {
  apiVersion: 'example.dev/v1',
  kind: 'SampleDB',
  metadata: { name: 'orders' },
  spec: {
    image: 'postgres:17.1',
    replicas: 3,
    storage: { size: '1Gi' },
    members: { command: ['member'] },
  },
};

test('SD6: a surplus replica first leaves the cluster and then loses its Pod, and joins again when the cluster is scaled up', async () => {
  const place = await startDb();
  const { env, namespace } = place;
  const pods = async () =>
    (await env.list<Pod>('v1', 'Pod', namespace)).filter(({ metadata }) =>
      /^orders-[0-9]$/.test(metadata.name),
    ).length;
  const scale = (replicas: number) =>
    env.patch('example.dev/v1', 'SampleDB', namespace, 'orders', { spec: { replicas } });
  const end = async (name: string) =>
    place.end(await place.job(new RegExp(`^orders-${name}$`)), 'Complete');
  const ready = (replicas: number) =>
    place.until((live) => live.status?.replicas === replicas && isReady(live));

  await place.apply([db]);
  for (const name of ['join-0', 'join-1', 'join-2']) await end(name);
  await ready(3);
  await scale(1);
  await place.job(/^orders-leave-2$/);
  await consistently(async () => (await pods()) === 3);
  await end('leave-2');
  await place.job(/^orders-leave-1$/);
  await consistently(async () => (await pods()) === 2);
  await end('leave-1');
  await ready(1);
  await eventually(async () => (await place.jobs('member')).length === 1);
  await scale(2);
  await end('join-1');
  await ready(2);
  await scale(1);
  await place.job(/^orders-leave-1$/);
  await scale(2); // it may have left by now, or not
  await end('join-1');
  await ready(2);

  const added = env.events.of({ type: 'ADDED', resource: 'jobs.batch', namespace });
  expect(added.map(({ name }) => name.replace('orders-', ''))).toEqual([
    ...['join-0', 'join-1', 'join-2'],
    ...['leave-2', 'leave-1', 'join-1'],
    ...['leave-1', 'join-1'],
  ]);
});
