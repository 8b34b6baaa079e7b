/** Others who scale, a pause, and scaling by steps. */

import { eventually, FakeClock } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { autoscalerOf, jumpTo, passing, startTDSets } from './support/tdset-place.ts';

test('TD9: if there is an autoscaler, the TDSet does not scale the Deployment, and with `adjustHPA` it sets the minimum of the autoscaler', async () => {
  const place = await startTDSets();
  const { env, namespace } = place;
  await place.create('shop', { container: { image: 'nginx:1', port: 80 } });
  await place.condition('shop', 'Ready', 'True');
  await env.create(autoscalerOf('shop', namespace));
  await place.condition('shop', 'HPAConflict', 'True');
  await place.env.patch('apps/v1', 'Deployment', namespace, 'shop', { spec: { replicas: 6 } });
  await place.edit('shop', { container: { image: 'nginx:2', port: 80 } });
  await place.condition('shop', 'Degraded', 'True', 'HPAConflict');
  const stoodAside = await place.deployment('shop');

  await place.edit('shop', { adjustHPA: true });
  await place.condition('shop', 'Degraded', 'False');
  const autoscaler = await eventually(async () => {
    const live = await env.get<KubernetesObject & { spec: { minReplicas: number } }>(
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      namespace,
      'load',
    );
    return live?.spec.minReplicas === 2 && live;
  });
  const rolled = await eventually(async () => {
    const live = await place.deployment('shop');
    return live?.spec.template.spec?.containers[0]?.image === 'nginx:2' && live;
  });
  await env.delete('autoscaling/v2', 'HorizontalPodAutoscaler', namespace, 'load');

  expect(stoodAside?.spec.replicas).toBe(6);
  expect(stoodAside?.spec.template.spec?.containers[0]?.image).toBe('nginx:1');
  expect(autoscaler.spec).toMatchObject({ maxReplicas: 8 });
  expect(rolled.spec.replicas).toBe(6);
  expect(await place.told('HPAConflict')).toHaveLength(1);
  await place.replicas('shop', 2);
});

test('TD9: nothing is written while a TDSet is suspended', async () => {
  const place = await startTDSets();
  await place.create('shop');
  await place.condition('shop', 'Ready', 'True');

  await place.edit('shop', { suspend: true });
  await place.condition('shop', 'Progressing', 'False', 'Suspended');
  await place.env.patch('apps/v1', 'Deployment', place.namespace, 'shop', {
    spec: { replicas: 4 },
  });
  await eventually(async () => {
    const available = (await place.set('shop'))?.status?.conditions?.find(
      ({ type }) => type === 'Available',
    );
    return available?.message === '4 of 4 replicas are available';
  });
  expect((await place.deployment('shop'))?.spec.replicas).toBe(4);

  await place.edit('shop', { suspend: false });
  await place.replicas('shop', 2);
});

test('TD5, TD9: a ramp continues step by step at its times, even after a restart of the operator', async () => {
  const clock = new FakeClock(Date.parse('2030-01-07T08:59:00Z'));
  const place = await startTDSets({ clock });
  await place.create('shop', {
    schedulingConfig: [{ startTime: 9, endTime: 17, replica: 5 }],
    defaultReplica: 1,
    ramp: { step: 2, intervalSeconds: 90 },
  });
  const replicas = async () => (await place.deployment('shop'))?.spec.replicas;
  await passing(
    clock,
    async () => (await place.set('shop'))?.status?.nextTransitionTime === '2030-01-07T09:00:00Z',
  );
  await jumpTo(clock, '2030-01-07T09:00:00Z', place);
  await passing(clock, async () => (await replicas()) === 3);

  await place.operator.stop();
  place.startOperator();
  await passing(clock, async () => place.operator.ready && place.reconciles() > 0);
  expect(await replicas()).toBe(3);
  await jumpTo(clock, '2030-01-07T09:01:29Z', place);
  expect(await replicas()).toBe(3);
  await passing(clock, async () => (await replicas()) === 5);

  expect(clock.now()).toBeGreaterThanOrEqual(Date.parse('2030-01-07T09:01:30Z'));
  expect(clock.now()).toBeLessThan(Date.parse('2030-01-07T09:01:40Z'));
  await passing(clock, async () => (await place.events('Scaled')).length > 0);
});
