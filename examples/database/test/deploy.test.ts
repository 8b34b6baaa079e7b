/** The plan deploy: what is made, once, and what is left alone. */

import type { KubernetesObject } from 'chancery';
import type { autoscalingV1 } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { isReady, startDb } from './place.ts';

test('acceptance 6: an autoscaler can write the subresource `scale`', async () => {
  const place = await startDb();
  const spec = { image: 'postgres:17.1', storage: { size: '1Gi' }, init: { command: ['x'] } };
  const db = { apiVersion: 'example.dev/v1', kind: 'SampleDB', metadata: { name: 'orders' }, spec };
  await place.apply([db]);
  await place.end(await place.job(/^orders-init-/), 'Complete');
  await place.until(isReady);

  const { url } = place.env;
  const path = `/apis/example.dev/v1/namespaces/${place.namespace}/sampledbs/orders/scale`;
  const answer = await fetch(`${url}${path}`);
  const scale = (await answer.json()) as autoscalingV1.Scale;
  const query = `labelSelector=${encodeURIComponent(scale.status?.selector ?? '')}`;
  const found = await fetch(`${url}/api/v1/namespaces/${place.namespace}/pods?${query}`);
  const counted = (await found.json()) as { items: readonly KubernetesObject[] };
  const written = await fetch(`${url}${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...scale, spec: { replicas: 2 } }),
  });
  const live = await place.until((one) => one.status?.replicas === 2 && isReady(one));

  expect(written.status).toBe(200);
  expect(scale.status?.replicas).toBe(1);
  expect(counted.items.map(({ metadata }) => metadata.name)).toEqual(['orders-0']); // no Pod of a Job
  expect(live.spec.replicas).toBe(2);
});
