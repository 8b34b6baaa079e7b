/** What goes wrong around a Prometheus: its own spec, its monitors, its children. */
import type { KubernetesEvent, KubernetesObject, Secret } from 'chancery';
import { eventually } from 'chancery/testing';
import { expect, test } from 'vitest';
import { CHILD, jobs, reconciledAgain, sample, says, set, start } from './support.ts';

test("PR5: a Secret of that name that is somebody else's is left alone, and it is said once", async () => {
  const place = await start();
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
});

test('PR3: a ServiceMonitor that Prometheus would not load is left out, and an Event on it says why', async () => {
  const place = await start();
  await place.apply(sample);
  await place.apply(`
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: hasty, labels: { team: frontend } }
spec:
  selector: {}
  endpoints: [{ port: web, interval: 1s, scrapeTimeout: 2s }]
`);

  const live = await says(place, 'ServiceMonitorsRejected');
  const told = await eventually(async () => {
    const found = await place.events('InvalidConfiguration');
    return found.length > 0 && found;
  });

  const problem = 'spec.endpoints[0]: the scrapeTimeout is longer than the interval';
  expect(live.status?.rejectedServiceMonitors).toEqual([{ name: 'hasty', problem }]);
  expect(await jobs(place)).toEqual([`serviceMonitor/${place.namespace}/shop/0`]);
  expect(told).toMatchObject([
    { type: 'Warning', note: `left out of Prometheus prometheus: ${problem}` },
  ]);
});

test('PR6: a spec that makes no sense gives a condition, an Event and no other write', async () => {
  const place = await start();
  await place.apply(`
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: prometheus }
spec: { scrapeInterval: 0s }
`);

  const live = await says(place, 'InvalidSpec');
  const told = await eventually(async () => {
    const found = await place.events('InvalidSpec');
    return found.length > 0 && found;
  });

  expect(told).toEqual([
    { type: 'Warning', reason: 'InvalidSpec', note: 'spec.scrapeInterval is 0' },
  ]);
  expect(live.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Reconciled', status: 'False' }),
  );
  expect(place.writes()).toEqual(['patch prometheuses.monitoring.coreos.com status']);
});

test('PR7: what is deleted while nobody looks comes back, and what has no owner any more goes', async () => {
  const place = await start();
  await place.apply(sample);
  await says(place, 'ReplicasAvailable');

  await place.operator.stop();
  await place.kubectl('delete', 'secret', CHILD);
  await place.kubectl('delete', 'servicemonitor', 'shop');
  place.startOperator();
  await eventually(async () => {
    const secret = await place.env.get('v1', 'Secret', place.namespace, CHILD);
    return secret !== undefined && (await jobs(place)).length === 0;
  });
  await place.operator.stop();
  await place.kubectl('delete', 'prometheus', 'prometheus');

  await eventually(async () => {
    const left = await place.kubectl('get', 'statefulsets,services,secrets,pods', '-o', 'name');
    return !left.includes(CHILD);
  });
});

test('PR8: what is as it should be costs no write', async () => {
  const place = await start();
  await place.apply(sample);
  await says(place, 'ReplicasAvailable');
  await reconciledAgain(place); // whatever the last change of a Pod has led to comes before it
  const before = place.writes();

  await reconciledAgain(place);

  expect(place.writes()).toEqual(before);
});
