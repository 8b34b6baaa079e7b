import { readFileSync } from 'node:fs';
import {
  type KubernetesEvent,
  type KubernetesObject,
  parseYaml,
  type Secret,
  type StatefulSet,
} from 'chancery';
import { crdYaml } from 'chancery/schema';
import { eventually } from 'chancery/testing';
import { expect, test } from 'vitest';
import { type Place, startExample } from '../../testing/place.ts';
import { prometheusController } from '../operator.ts';
import { type Prometheus, prometheuses, serviceMonitors } from '../resources.ts';

const CHILD = 'prometheus-prometheus';

function start(stopped = false): Promise<Place> {
  return startExample({
    name: 'prometheus',
    controllers: [prometheusController()],
    manifests: [new URL('../crds/', import.meta.url)],
    stopped,
  });
}

const sample = new URL('../sample/', import.meta.url);

const prometheus = ({ env, namespace }: Place): Promise<Prometheus | undefined> =>
  env.get<Prometheus>('monitoring.coreos.com/v1', 'Prometheus', namespace, 'prometheus');

/** The status of the current spec, when its condition of that type has this reason. */
function says(place: Place, reason: string): Promise<Prometheus> {
  return eventually(async () => {
    const live = await prometheus(place);
    if (live?.status?.observedGeneration !== live?.metadata.generation) return undefined;
    return live?.status?.conditions?.some((each) => each.reason === reason) === true && live;
  });
}

/** A change that changes nothing has been looked at. */
async function reconciledAgain(place: Place): Promise<void> {
  const count = (): number =>
    Object.entries(place.operator.meter.snapshot())
      .filter(([series]) => series.startsWith('controller_runtime_reconcile_total'))
      .reduce((sum, [, each]) => sum + Number(each), 0);
  const before = count();
  await place.kubectl('annotate', 'servicemonitor', 'shop', `seen=${before}`, '--overwrite');
  await eventually(() => count() > before);
}

const set = ({ env, namespace }: Place): Promise<StatefulSet | undefined> =>
  env.get<StatefulSet>('apps/v1', 'StatefulSet', namespace, CHILD);

/** The names of the jobs in the generated configuration. */
async function jobs({ env, namespace }: Place): Promise<readonly string[]> {
  const secret = await env.get<Secret>('v1', 'Secret', namespace, CHILD);
  const text = Buffer.from(secret?.data?.['prometheus.yml'] ?? '', 'base64').toString();
  const { scrape_configs = [] } = (parseYaml(text) ?? {}) as { scrape_configs?: Job[] };
  return scrape_configs.map(({ job_name }) => job_name);
}

interface Job {
  readonly job_name: string;
}

interface Scale {
  readonly spec: { readonly replicas: number };
  readonly status: { readonly replicas: number; readonly selector: string };
}

async function scale(place: Place): Promise<Scale> {
  const group = '/apis/monitoring.coreos.com/v1';
  const path = `${group}/namespaces/${place.namespace}/prometheuses/prometheus/scale`;
  return JSON.parse(await place.kubectl('get', '--raw', path));
}

test.each([
  ['prometheuses', prometheuses],
  ['servicemonitors', serviceMonitors],
] as const)('the definition of %s that is shipped is the one of the schema', async (name, own) => {
  await expect(crdYaml(own)).toMatchFileSnapshot(`../crds/${name}.monitoring.coreos.com.yaml`);
});

test('PR1: the subresources stand in the version, where the API server looks for them', () => {
  const { spec } = prometheuses.definition;

  expect(spec).not.toHaveProperty('subresources');
  expect(spec.versions[0]?.subresources).toEqual({
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.labelSelector',
    },
  });
});

test('PR2: the sample names no replicas, and /scale shows one all the same', async () => {
  const place = await start(true); // by the definition alone: nothing has written a status

  await place.apply(sample);

  expect(await scale(place)).toMatchObject({ spec: { replicas: 1 } });
  const text = readFileSync(new URL('prometheus.yaml', sample), 'utf8');
  expect(text).not.toContain('replicas');
});

test('acceptance 1: kubectl scale reaches the StatefulSet, and /scale shows it with the selector', async () => {
  const place = await start();
  await place.apply(sample);
  await says(place, 'ReplicasAvailable');

  await place.kubectl('scale', 'prometheus/prometheus', '--replicas=3');
  const live = await eventually(async () => {
    const found = await prometheus(place);
    return found?.status?.availableReplicas === 3 && found;
  });

  expect((await set(place))?.spec?.replicas).toBe(3);
  expect(await scale(place)).toMatchObject({
    spec: { replicas: 3 },
    status: {
      replicas: 3,
      selector: 'app.kubernetes.io/name=prometheus,app.kubernetes.io/instance=prometheus',
    },
  });
  expect(live.status?.conditions).toMatchObject([
    { type: 'Available', status: 'True' },
    { type: 'Reconciled', status: 'True' },
  ]);
});

test('acceptance 2: writing .status through the main resource changes nothing', async () => {
  const place = await start();
  await place.apply(sample);
  const before = await says(place, 'ReplicasAvailable');

  const status = { replicas: 99, labelSelector: 'app=other' };
  await place.kubectl(
    ...['patch', 'prometheus', 'prometheus', '--type=merge'],
    ...['-p', JSON.stringify({ status })],
  );

  const after = await prometheus(place);
  expect(after?.status).toEqual(before.status);
  expect(after?.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});

test('acceptance 3: a ServiceMonitor appears in the configuration by its label, and goes with it', async () => {
  const place = await start();
  await place.apply(new URL('prometheus.yaml', sample));
  await says(place, 'ReplicasAvailable');
  expect(await jobs(place)).toEqual([]);
  const job = `serviceMonitor/${place.namespace}/shop/0`;

  await place.apply(new URL('service-monitor.yaml', sample));
  await eventually(async () => (await jobs(place)).includes(job));
  await place.kubectl('label', 'servicemonitor', 'shop', 'team=backend', '--overwrite');
  await eventually(async () => (await jobs(place)).length === 0);
  await place.kubectl('label', 'servicemonitor', 'shop', 'team=frontend', '--overwrite');
  await eventually(async () => (await jobs(place)).includes(job));
  await place.kubectl('delete', 'servicemonitor', 'shop');
  await eventually(async () => (await jobs(place)).length === 0);
});

test('acceptance 4: an autoscaler finds the Pods by the selector that it reads', async () => {
  const place = await start();
  await place.apply(sample);
  await place.kubectl('scale', 'prometheus/prometheus', '--replicas=2');
  await eventually(async () => (await prometheus(place))?.status?.availableReplicas === 2);

  await place.kubectl('autoscale', 'prometheus/prometheus', '--min=1', '--max=4');
  const { status } = await scale(place);
  const pods = await place.kubectl('get', 'pods', '-o', 'name', '-l', status.selector);

  expect(await place.kubectl('get', 'hpa', 'prometheus', '-o', 'yaml')).toContain(
    'kind: Prometheus',
  );
  expect(pods.trim().split('\n')).toEqual([`pod/${CHILD}-0`, `pod/${CHILD}-1`]);
});

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
    const found = await place.env.list<KubernetesEvent>('events.k8s.io/v1', 'Event');
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
