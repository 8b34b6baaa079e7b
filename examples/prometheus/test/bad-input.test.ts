/** What goes wrong around a Prometheus: its own spec, its monitors, its children. */

import { eventually, FakeClock } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { KubernetesEvent, Secret } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { CHILD, jobs, reconciledAgain, remove, sample, says, set, start } from './support.ts';

test('PR5: a foreign Secret of the same name stays, is reported once, and the operator waits for its deletion', async () => {
  const clock = new FakeClock(Date.now());
  const place = await start({ clock });
  const theirs: Secret & KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: CHILD },
    data: { 'prometheus.yml': Buffer.from('theirs').toString('base64') },
  };
  await place.apply([theirs]);

  await place.apply(sample);
  const live = await says(place, 'NotOwned');
  await reconciledAgain(place);
  const told = await eventually(async () => {
    const { env, namespace } = place;
    const found = await env.list<KubernetesEvent>('events.k8s.io/v1', 'Event', namespace);
    const warnings = found.filter(({ type }) => type === 'Warning');
    return warnings.length > 0 && warnings;
  });

  const secret = await place.env.get<Secret>('v1', 'Secret', place.namespace, CHILD);
  expect(secret?.data).toEqual(theirs.data);
  expect(await set(place)).toBeUndefined();
  expect(live.status?.conditions).toMatchObject([
    { type: 'Available', status: 'False' },
    { type: 'Reconciled', status: 'False', reason: 'NotOwned' },
  ]);
  expect(told).toMatchObject([{ reason: 'NotOwned' }]);
  expect(told[0]?.series).toBeUndefined(); // told once, and not counted

  // No source shows it, for want of the label: it is looked at now and then.
  await place.env.delete('v1', 'Secret', place.namespace, CHILD);
  await eventually(async () => {
    clock.advance(1_000);
    return (await jobs(place)).length === 1;
  });
});

const monitor = (name: string, spec: object): KubernetesObject & { readonly spec: object } => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: { name, labels: { team: 'frontend' } },
  spec,
});

test('PR3: a ServiceMonitor that Prometheus would not load is omitted, and an Event on it gives the reason', async () => {
  const place = await start();
  await place.apply(sample);
  const endpoint = { port: 'web', interval: '1s', scrapeTimeout: '2s' };
  await place.apply([monitor('hasty', { selector: {}, endpoints: [endpoint] })]);

  const live = await says(place, 'ServiceMonitorsRejected');
  const told = await place.told('InvalidConfiguration');

  const problem = 'spec.endpoints[0]: the scrapeTimeout is longer than the interval';
  expect(live.status?.rejectedServiceMonitors).toEqual([{ name: 'hasty', problem }]);
  expect(await jobs(place)).toEqual([`serviceMonitor/${place.namespace}/shop/0`]);
  expect(told).toMatchObject([
    { type: 'Warning', note: `left out of Prometheus prometheus: ${problem}` },
  ]);
});

test('PR6: an invalid spec causes a condition and an Event, and no other write', async () => {
  const place = await start();
  await place.apply(`
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: prometheus }
spec: { scrapeInterval: 0s }
`);

  const live = await says(place, 'InvalidSpec');
  const told = await place.told('InvalidSpec');

  expect(told).toEqual([
    { type: 'Warning', reason: 'InvalidSpec', note: 'spec.scrapeInterval is 0' },
  ]);
  expect(live.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Reconciled', status: 'False' }),
  );
  expect(place.writes()).toEqual(['patch prometheuses.monitoring.coreos.com status']);
});

test('PR6: a refusal by the API server is reported, and existing objects stay', async () => {
  const place = await start();
  await place.apply(sample);
  await says(place, 'ReplicasAvailable');
  const values = Array.from({ length: 17_000 }, (_, at) => String(at).padStart(63, 'v'));
  const selector = { matchExpressions: [{ key: 'app', operator: 'In', values }] };

  await place.apply([monitor('long', { selector, endpoints: [{}] })]); // a Secret has not the room
  const refused = await says(place, 'Refused');
  const told = await place.told('Refused');
  const writes = place.writes();
  await reconciledAgain(place);
  const later = await eventually(() => {
    const more = place.writes().slice(writes.length);
    return more.length > 0 && more;
  });

  expect(refused.status).toMatchObject({ replicas: 1, availableReplicas: 1 });
  expect((await jobs(place)).length).toBeGreaterThan(0);
  expect(told).toMatchObject([{ type: 'Warning', note: expect.stringContaining('Too long') }]);
  expect(new Set(later)).toEqual(new Set(['patch secrets'])); // asked again, and nothing else
});

test('PR9: the report on many invalid ServiceMonitors contains some names and the number of the rest', async () => {
  const place = await start();
  const names = Array.from({ length: 30 }, (_, at) => `bad-${String(at).padStart(2, '0')}`);
  const matchExpressions = [{ key: 'a'.repeat(2_000), operator: 'In', values: ['b'] }];
  const spec = { selector: { matchExpressions }, endpoints: [{ port: 'web' }] };
  await place.apply(names.map((name) => monitor(name, spec)));

  await place.apply(sample);
  const { status } = await says(place, 'ServiceMonitorsRejected');
  await eventually(async () => (await jobs(place)).length > 0);

  expect(status?.rejectedServiceMonitors?.map(({ name }) => name)).toEqual(names.slice(0, 20));
  const reconciled = status?.conditions?.find(({ type }) => type === 'Reconciled');
  expect(reconciled?.message).toMatch(/and 10 more$/);
  expect(await jobs(place)).toEqual([`serviceMonitor/${place.namespace}/shop/0`]);
});

test('PR7: objects deleted while the operator is down are created again, and objects without an owner are deleted', async () => {
  const place = await start();
  await place.apply(sample);
  await says(place, 'ReplicasAvailable');

  const { env, namespace } = place;
  await place.operator.stop();
  await env.delete('v1', 'Secret', namespace, CHILD);
  await remove(place, 'ServiceMonitor', 'shop');
  place.startOperator();
  await eventually(async () => {
    const secret = await env.get('v1', 'Secret', namespace, CHILD);
    return secret !== undefined && (await jobs(place)).length === 0;
  });
  await place.operator.stop();
  await remove(place, 'Prometheus', 'prometheus');

  await eventually(async () => {
    const left = await Promise.all([
      env.list('apps/v1', 'StatefulSet', namespace),
      env.list('v1', 'Service', namespace),
      env.list('v1', 'Secret', namespace),
      env.list('v1', 'Pod', namespace),
    ]);
    return left.flat().length === 0;
  });
});

test('PR8: an unchanged Prometheus causes no write', async () => {
  const place = await start();
  await place.apply(sample);
  await says(place, 'ReplicasAvailable');
  await reconciledAgain(place); // whatever the last change of a Pod has led to comes before it
  const before = place.writes();

  await reconciledAgain(place);

  expect(place.writes()).toEqual(before);
});
