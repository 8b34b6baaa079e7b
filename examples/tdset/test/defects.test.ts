/** Defects of the original that show only in a cluster. */
import type { Deployment, KubernetesObject, Service } from 'chancery';
import { consistently, eventually, FakeClock } from 'chancery/testing';
import { expect, test } from 'vitest';
import { passing, startTDSets } from './support/tdset-place.ts';

test('TD3: an overlap is told of, once, and an empty window is refused before anything is written', async () => {
  const place = await startTDSets();

  await place.create('twice', {
    schedulingConfig: [
      { startTime: 0, endTime: 24, replica: 2 },
      { startTime: 9, endTime: 17, replica: 5 },
    ],
  });
  await place.create('empty', { schedulingConfig: [{ startTime: 7, endTime: 7, replica: 2 }] });
  const overlap = await place.condition('twice', 'ScheduleOverlap', 'True');
  await place.replicas('twice', 2);
  const invalid = await place.condition('empty', 'ScheduleValid', 'False', 'EmptyWindow');
  await place.condition('empty', 'Degraded', 'True', 'ScheduleInvalid');

  expect(overlap.message).toBe('of two windows the first wins: 00:00-24:00 and 09:00-17:00');
  expect(invalid.message).toContain('07:00-07:00');
  expect(await place.deployment('empty')).toBeUndefined();
  await place.condition('twice', 'Ready', 'True');
  await eventually(async () => (await place.events('ScheduleInvalid')).length === 1);
  expect(await place.events('ScheduleOverlap')).toMatchObject([
    { type: 'Warning', note: overlap.message },
  ]);

  await place.edit('empty', {
    schedulingConfig: [{ startTime: 7, endTime: 6, replica: 2 }],
    defaultReplica: 2,
  });
  await place.replicas('empty', 2);
  await place.condition('empty', 'ScheduleValid', 'True');
});

test('TD6: a port is rolled out, over a Deployment that the original made', async () => {
  const place = await startTDSets();
  await place.create('shop', { suspend: true });
  const set = await eventually(() => place.set('shop'));
  const labels = {
    'app.kubernetes.io/name': 'TDSet',
    'app.kubernetes.io/instance': 'shop',
    'app.kubernetes.io/version': 'v1',
    'app.kubernetes.io/part-of': 'tdset-operator',
    'app.kubernetes.io/created-by': 'controller-manager',
  };
  const { uid } = set.metadata;
  const owner = {
    apiVersion: 'schedule.rs/v1',
    kind: 'TDSet',
    name: 'shop',
    uid,
    controller: true,
  };
  const container = {
    name: 'shop',
    image: 'crccheck/hello-world',
    imagePullPolicy: 'IfNotPresent',
    ports: [{ name: 'tdset', containerPort: 8000 }],
  };
  const original = await place.env.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace: place.namespace, ownerReferences: [owner] },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  } as KubernetesObject);

  await place.edit('shop', { suspend: false, container: { image: 'nginx', port: 80 } });
  const taken = await place.replicas('shop', 2);
  await place.condition('shop', 'Ready', 'True');

  expect(taken.metadata.uid).toBe(original.metadata.uid);
  expect(taken.metadata.labels).toEqual(labels);
  expect(taken.spec.template.spec?.containers).toMatchObject([
    { name: 'shop', image: 'nginx', ports: [{ name: 'tdset', containerPort: 80 }] },
  ]);
  expect(taken.spec.template.spec?.containers[0]?.ports).toHaveLength(1);
});

test('TD8: what the API server refuses is said, tried again, and forgotten when it is taken', async () => {
  const place = await startTDSets();

  await place.create('shop', { container: { image: 'nginx', port: 70_000 } });
  const refused = await place.condition('shop', 'Degraded', 'True', 'Refused');
  const before = place.reconciles();
  await eventually(() => place.reconciles() > before + 1);
  await place.condition('shop', 'Ready', 'False', 'Refused');
  await place.edit('shop', { container: { image: 'nginx', port: 7_000 } });
  await place.condition('shop', 'Degraded', 'False');
  const ready = await place.condition('shop', 'Ready', 'True');
  const set = await place.set('shop');

  expect(refused.message).toContain('70000');
  expect(await place.events('Refused')).toMatchObject([{ type: 'Warning' }]);
  expect(ready).toMatchObject({ message: '2 of 2 replicas are available', observedGeneration: 2 });
  expect(set?.status?.conditions?.map(({ type, status }) => `${type}=${status}`).sort()).toEqual([
    'Available=True',
    'Degraded=False',
    'Progressing=False',
    'Ready=True',
    'ScheduleValid=True',
  ]);
});

test('TD9: an autoscaler is left to scale, or told how few are too few', async () => {
  const place = await startTDSets();
  const { env, namespace } = place;
  await place.create('shop', { container: { image: 'nginx:1', port: 80 } });
  await place.condition('shop', 'Ready', 'True');
  await env.create({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'load', namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
      minReplicas: 1,
      maxReplicas: 8,
    },
  } as KubernetesObject);
  await place.condition('shop', 'HPAConflict', 'True');
  await place.kubectl('scale', 'deployment/shop', '--replicas=6');
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
  expect(await place.events('HPAConflict')).toHaveLength(1);
  await place.replicas('shop', 2);
});

test('TD9: nothing is written while a TDSet is suspended', async () => {
  const place = await startTDSets();
  await place.create('shop');
  await place.condition('shop', 'Ready', 'True');

  await place.edit('shop', { suspend: true });
  await place.condition('shop', 'Progressing', 'False', 'Suspended');
  await place.kubectl('scale', 'deployment/shop', '--replicas=4');
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

test('TD5, TD9: a ramp goes step by step, on the clock, and on after a restart', async () => {
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
  clock.advance(Date.parse('2030-01-07T09:00:00Z') - clock.now());
  await place.replicas('shop', 3);

  await place.operator.stop();
  place.startOperator();
  await passing(clock, async () => place.operator.ready && place.reconciles() > 0);
  expect(await replicas()).toBe(3);
  clock.advance(Date.parse('2030-01-07T09:01:29Z') - clock.now());
  expect(await replicas()).toBe(3);
  await passing(clock, async () => (await replicas()) === 5);

  expect(clock.now()).toBeGreaterThanOrEqual(Date.parse('2030-01-07T09:01:30Z'));
  expect(clock.now()).toBeLessThan(Date.parse('2030-01-07T09:01:40Z'));
  await passing(clock, async () => (await place.events('Scaled')).length > 0);
});

test('TD10: a Service is made only by the operator that is to make them, for a name with dots as well', async () => {
  const place = await startTDSets({ createServices: true });
  const { env, namespace } = place;
  const service = (name: string) => env.get<Service>('v1', 'Service', namespace, name);

  await place.create('shop.example', { service: { port: 80 } });
  const made = await eventually(() => service('shop-example'));
  await place.condition('shop.example', 'Ready', 'True');
  await place.edit('shop.example', { service: null });
  await eventually(async () => (await service('shop-example')) === undefined);
  await place.create('theirs', { service: null } as never);
  await env.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'theirs', namespace },
    spec: { ports: [{ port: 1 }] },
  } as KubernetesObject);
  await place.edit('theirs', { service: { port: 80 } });
  await place.condition('theirs', 'Degraded', 'True', 'NotOwned');

  expect(made.spec?.ports).toMatchObject([{ port: 80, targetPort: 'tdset' }]);
  expect((await place.deployment('shop.example'))?.spec.template.spec?.containers).toMatchObject([
    { name: 'shop-example' },
  ]);
  expect((await service('theirs'))?.spec?.ports).toMatchObject([{ port: 1 }]);
  expect((await place.deployment('theirs'))?.spec.replicas).toBe(2);
});

test('TD10: and not by the other one, which has no right to', async () => {
  const place = await startTDSets();

  await place.create('shop', { service: { port: 80 } });
  await place.condition('shop', 'Ready', 'True');

  expect(await place.env.get('v1', 'Service', place.namespace, 'shop')).toBeUndefined();
});

test('TD11: what a Deployment reports besides its counts wakes nobody, and nothing is written again', async () => {
  const place = await startTDSets();
  const { env, namespace } = place;
  await place.create('shop');
  await place.condition('shop', 'Ready', 'True');
  await consistently(() => true);
  const [reconciles, writes] = [place.reconciles(), place.writes()];

  const live = (await place.deployment('shop')) as Deployment;
  const conditions = [...(live.status?.conditions ?? []), { type: 'Weather', status: 'True' }];
  await env.patch('apps/v1', 'Deployment', namespace, 'shop', { status: { conditions } }, 'status');
  await env.patch('apps/v1', 'Deployment', namespace, 'shop', {
    metadata: { annotations: { a: 'b' } },
  });
  await env.patch('schedule.rs/v1', 'TDSet', namespace, 'shop', {
    metadata: { labels: { a: 'b' } },
  });
  await place.create('other'); // reconciled after all that was before it
  await place.condition('other', 'Ready', 'True');

  expect(
    place
      .writes()
      .slice(writes.length)
      .filter((write) => write.startsWith('patch tdsets') && !write.includes('status')),
  ).toEqual([]);
  expect(reconciles).toBeGreaterThan(0);
});
