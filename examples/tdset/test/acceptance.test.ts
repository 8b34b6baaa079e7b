/** The acceptance scenarios, with the operator as in its Pod. */

import { eventually, FakeClock } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { jumpTo, passing, startTDSets } from './support/tdset-place.ts';

test.each([
  ['March', '2030-03-31T06:58:00Z', '2030-03-31T07:00:00Z', '2030-03-31T15:00:00Z'],
  ['October', '2030-10-27T07:58:00Z', '2030-10-27T08:00:00Z', '2030-10-27T16:00:00Z'],
])('acceptance 2: office hours in Berlin begin at nine local time, even on the day of the clock change in %s', async (_, from, nine, five) => {
  const clock = new FakeClock(Date.parse(from));
  const place = await startTDSets({ clock });
  await place.create('office', {
    timeZone: 'Europe/Berlin',
    schedulingConfig: [{ startTime: 9, endTime: 17, replica: 5 }],
    defaultReplica: 1,
  });
  const next = async () => (await place.set('office'))?.status?.nextTransitionTime;

  await passing(clock, async () => (await next()) === nine);
  expect((await place.deployment('office'))?.spec.replicas).toBe(1);
  await jumpTo(clock, nine, place);
  await passing(clock, async () => (await next()) === five);

  expect((await place.deployment('office'))?.spec.replicas).toBe(5);
  expect(clock.now()).toBeLessThan(Date.parse(nine) + 60_000);
});

test('acceptance 3: a foreign Deployment is never changed, and a new Deployment is created once it is gone', async () => {
  const place = await startTDSets();
  const { env, namespace } = place;
  const labels = { app: 'theirs' };
  const theirs = await env.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } },
    },
  } as KubernetesObject);

  await place.create('shop');
  const degraded = await place.condition('shop', 'Degraded', 'True', 'NotOwned');
  await place.edit('shop', { defaultReplica: 9 });
  await place.condition('shop', 'Degraded', 'True', 'NotOwned');

  expect(degraded.message).toContain('shop');
  expect((await place.deployment('shop'))?.spec).toEqual(
    (theirs as typeof theirs & { spec: object }).spec,
  );
  expect(place.writes().filter((write) => write.includes('deployments'))).toEqual([]);
  await place.told('NotOwned');
  expect(await place.told('NotOwned')).toMatchObject([{ type: 'Warning' }]);

  await env.delete('apps/v1', 'Deployment', namespace, 'shop');
  await place.condition('shop', 'Degraded', 'False');
  await place.replicas('shop', 2);
});

test('acceptance 4: a changed image is rolled out, and manually changed replicas are reset', async () => {
  const place = await startTDSets();
  await place.create('shop');
  await place.condition('shop', 'Ready', 'True');

  await place.edit('shop', { container: { image: 'nginx:1.30', port: 8080 } });
  const rolled = await eventually(async () => {
    const live = await place.deployment('shop');
    const [container] = live?.spec.template.spec?.containers ?? [];
    return container?.image === 'nginx:1.30' && container;
  });
  await place.condition('shop', 'Ready', 'True');
  await place.env.patch('apps/v1', 'Deployment', place.namespace, 'shop', {
    spec: { replicas: 7 },
  });
  await place.replicas('shop', 2);
  const told = await place.told('Corrected');

  expect(rolled.ports).toEqual([{ name: 'tdset', containerPort: 8080, protocol: 'TCP' }]);
  expect(told).toEqual([
    {
      type: 'Normal',
      reason: 'Corrected',
      note: 'the Deployment had 7 replicas, and the schedule says 2',
    },
  ]);
});

test('acceptance 5 and 6: an object written for the original operator is accepted unchanged, and deleted together with its Deployment', async () => {
  const place = await startTDSets({ allNamespaces: true });
  const { env } = place;
  // The repository's own example: with its namespace, and a window over every hour that there is.
  await env.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'temp' } });
  await env.create({
    apiVersion: 'schedule.rs/v1',
    kind: 'TDSet',
    metadata: { name: 'tdset-hello-world', namespace: 'temp' },
    spec: {
      container: { image: 'crccheck/hello-world', port: 8000 },
      schedulingConfig: [
        { startTime: 18, endTime: 19, replica: 5 },
        { startTime: 1, endTime: 2, replica: 1 },
      ],
      defaultReplica: 3,
    },
  } as KubernetesObject);
  const made = () => env.get('apps/v1', 'Deployment', 'temp', 'tdset-hello-world');

  const deployment = await eventually(made);
  await env.delete('schedule.rs/v1', 'TDSet', 'temp', 'tdset-hello-world');
  await eventually(async () => (await made()) === undefined);
  await eventually(async () => (await env.list('v1', 'Pod', 'temp')).length === 0);

  expect(deployment).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'TDSet', name: 'tdset-hello-world', controller: true }] },
    spec: { template: { spec: { containers: [{ name: 'tdset-hello-world' }] } } },
  });
});
