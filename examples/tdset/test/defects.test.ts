/** Defects of the original that show only in a cluster. */

import { consistently, eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Deployment, Service } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { autoscalerOf, startTDSets, type TDSetPlace } from './support/tdset-place.ts';

test('TD3: overlapping windows are reported once, and an empty window is refused before any write', async () => {
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
  expect(await place.told('ScheduleOverlap')).toMatchObject([
    { type: 'Warning', note: overlap.message },
  ]);

  await place.edit('empty', {
    schedulingConfig: [{ startTime: 7, endTime: 6, replica: 2 }],
    defaultReplica: 2,
  });
  await place.replicas('empty', 2);
  await place.condition('empty', 'ScheduleValid', 'True');
});

test('TD6: a changed port is rolled out, even to a Deployment that the original operator created', async () => {
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
  const original = await createAs('manager', place, {
    metadata: { name: 'shop', ownerReferences: [owner] },
    spec: {
      replicas: 2, // as the schedule says: the container alone differs
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  });
  await place.env.patch('apps/v1', 'Deployment', place.namespace, 'shop', {
    metadata: { annotations: { 'example.dev/note': 'ours' } },
  });

  await place.edit('shop', { suspend: false });
  const goneOn = await eventually(async () => {
    const live = await place.deployment('shop');
    return live?.metadata.labels !== undefined && live;
  });
  await place.edit('shop', { container: { image: 'nginx', port: 80 } });
  const taken = await eventually(async () => {
    const live = await place.deployment('shop');
    return live?.spec.template.spec?.containers[0]?.image === 'nginx' && live;
  });
  await place.condition('shop', 'Ready', 'True');

  expect(goneOn.spec).toEqual(original.spec); // without a restart
  expect(taken.metadata.uid).toBe(original.metadata.uid);
  expect(taken.metadata.labels).toEqual(labels);
  expect(taken.metadata.annotations).toMatchObject({ 'example.dev/note': 'ours' });
  expect(taken.spec.template.spec?.containers).toMatchObject([
    { name: 'shop', image: 'nginx', ports: [{ name: 'tdset', containerPort: 80 }] },
  ]);
  expect(taken.spec.template.spec?.containers[0]?.ports).toHaveLength(1);
});

test('TD7: a Deployment with another controller is not changed, and neither is its autoscaler', async () => {
  const place = await startTDSets();
  const { env, namespace } = place;
  const { metadata }: KubernetesObject = await env.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'owner', namespace },
  });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid };
  const labels = { app: 'theirs' };
  const theirs = await env.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace, ownerReferences: [{ ...owner, controller: true }] },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } },
    },
  } as KubernetesObject);
  await env.create(autoscalerOf('shop', namespace));

  await place.create('shop', { adjustHPA: true });
  await place.condition('shop', 'Degraded', 'True', 'NotOwned');
  await place.condition('shop', 'Available', 'False', 'NotOwned');

  expect((await place.deployment('shop'))?.metadata.generation).toBe(theirs.metadata.generation);
  // A cache that does not have it yet makes an attempt to create it, and the name is taken.
  const writes = place.writes().filter((write) => write !== 'create deployments.apps');
  expect(new Set(writes)).toEqual(new Set(['patch tdsets.schedule.rs status']));
});

test('TD8: a refusal by the API server is reported once, and not sent again until the object changes', async () => {
  const place = await startTDSets();
  const sent = () => place.writes().filter((write) => write === 'create deployments.apps').length;

  await place.create('shop', { container: { image: 'nginx', port: 70_000 } });
  const refused = await place.condition('shop', 'Degraded', 'True', 'Refused');
  await place.condition('shop', 'Ready', 'False', 'Refused');
  await place.idle();
  const before = sent();
  await consistently(() => sent() === before, { forMs: 200 });
  await place.edit('shop', { container: { image: 'nginx', port: 7_000 } });
  await place.condition('shop', 'Degraded', 'False');
  const ready = await place.condition('shop', 'Ready', 'True');
  const set = await place.set('shop');

  expect(refused.message).toContain('must be between 1 and 65535');
  expect(await place.told('Refused')).toMatchObject([{ type: 'Warning' }]);
  expect(ready).toMatchObject({ message: '2 of 2 replicas are available', observedGeneration: 2 });
  expect(set?.status?.conditions?.map(({ type, status }) => `${type}=${status}`).sort()).toEqual([
    'Available=True',
    'Degraded=False',
    'Progressing=False',
    'Ready=True',
    'ScheduleValid=True',
  ]);
});

test('TD10: the operator that is configured to create Services creates one, even for a name with dots', async () => {
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

test('TD10: an operator that is not configured to create Services creates none, and has no permission to do so', async () => {
  const place = await startTDSets();

  await place.create('shop', { service: { port: 80 } });
  await place.condition('shop', 'Ready', 'True');

  expect(await place.env.get('v1', 'Service', place.namespace, 'shop')).toBeUndefined();
});

test('TD11: a change in the status of a Deployment causes no reconcile if its counts stay the same', async () => {
  const place = await startTDSets({ workloads: false });
  const { env, namespace } = place;
  await place.create('shop');
  await place.condition('shop', 'Progressing', 'True', 'RollingOut');
  const [before, writes] = await still(() => [place.reconciles(), place.writes().length] as const);

  const conditions = [{ type: 'Weather', status: 'True' }];
  await env.patch('apps/v1', 'Deployment', namespace, 'shop', { status: { conditions } }, 'status');
  const metadata = { labels: { a: 'b' } };
  await env.patch('apps/v1', 'Deployment', namespace, 'shop', { metadata });
  await env.patch('schedule.rs/v1', 'TDSet', namespace, 'shop', { metadata });
  await place.edit('shop', { intervalMint: 60 });
  await eventually(async () => (await place.set('shop'))?.status?.observedGeneration === 2);
  const [after] = await still(() => [place.reconciles()] as const);

  expect(after).toBe(before + 1); // the edit alone
  expect(place.writes().slice(writes)).toEqual(['patch tdsets.schedule.rs status']);
});

/** What `look` says once it says the same for a while. */
function still<T extends readonly unknown[]>(look: () => T): Promise<T> {
  return eventually(async () => {
    const first = look();
    await consistently(() => look().join() === first.join(), { forMs: 200 });
    return first;
  });
}

/** As the program of that name does it, which says nothing of a field manager. */
async function createAs(
  program: string,
  { env, namespace }: TDSetPlace,
  deployment: object,
): Promise<Deployment> {
  const answer = await fetch(`${env.url}/apis/apps/v1/namespaces/${namespace}/deployments`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `${program}/v0.0.0 (linux/amd64)`,
    },
    body: JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', ...deployment }),
  });
  const created = (await answer.json()) as Deployment;
  expect(answer.status, JSON.stringify(created)).toBe(201);
  return created;
}
