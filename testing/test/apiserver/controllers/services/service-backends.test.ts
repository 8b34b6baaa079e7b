import { expect, test } from 'vitest';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { type SimulatedCluster, simulatedCluster, workload } from '../simulated-cluster.ts';

const SLICES = 'endpointslices.discovery.k8s.io';

function service({ access }: SimulatedCluster, spec: object = {}): void {
  access.create('services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'demo', labels: { team: 'a' } },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  } as StoredObject);
}

function deployment({ access }: SimulatedCluster, replicas: number): void {
  access.create('deployments.apps', workload('Deployment', 'web', { replicas }));
}

function addresses({ access }: SimulatedCluster): readonly unknown[] {
  const { subsets = [] } = access.get('endpoints', 'demo', 'web') as unknown as {
    subsets?: readonly { addresses?: readonly { ip: string }[] }[];
  };
  return subsets.flatMap(({ addresses: all = [] }) => all.map(({ ip }) => ip));
}

interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready: boolean; readonly terminating: boolean };
}

function endpoints({ access }: SimulatedCluster): readonly Endpoint[] {
  return access
    .list(SLICES, 'demo')
    .flatMap((slice) => (slice as unknown as { endpoints: readonly Endpoint[] }).endpoints);
}

function ips({ access }: SimulatedCluster): readonly unknown[] {
  return access
    .list('pods', 'demo')
    .map(({ status }) => (status as { podIP?: string }).podIP)
    .filter((ip) => ip !== undefined);
}

test('a Service has the addresses of the ready Pods that it selects', () => {
  const cluster = simulatedCluster({ podReadyMs: 300 });
  service(cluster);
  deployment(cluster, 2);
  cluster.clock.advance(200);
  const before = addresses(cluster);

  cluster.clock.advance(200);

  expect(before).toEqual([]);
  expect(addresses(cluster)).toEqual(ips(cluster));
  expect(addresses(cluster)).toHaveLength(2);
  expect(cluster.access.get('endpoints', 'demo', 'web')).toMatchObject({
    metadata: {
      labels: { team: 'a', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
    },
    subsets: [{ ports: [{ port: 8080, protocol: 'TCP' }] }],
  });
  expect(endpoints(cluster).flatMap((one) => one.addresses)).toEqual(ips(cluster));
});

test('a Service loses the address of a terminating Pod, and its EndpointSlice reports that the Pod is terminating', () => {
  const cluster = simulatedCluster({ podReadyMs: 100, podStopMs: 5_000 });
  service(cluster);
  deployment(cluster, 1);
  cluster.clock.advance(200);
  const [first] = addresses(cluster);

  cluster.access.delete(
    'pods',
    'demo',
    cluster.access.list('pods', 'demo')[0]?.metadata.name ?? '',
  );
  cluster.clock.advance(200);

  expect(addresses(cluster)).toHaveLength(1);
  expect(addresses(cluster)).not.toContain(first);
  expect(endpoints(cluster)).toContainEqual(
    expect.objectContaining({
      addresses: [first],
      conditions: { ready: false, serving: true, terminating: true },
    }),
  );
});

test('a named target port is resolved in each Pod of the Service', () => {
  const cluster = simulatedCluster();
  service(cluster, { ports: [{ name: 'http', port: 80, targetPort: 'web' }] });
  for (const [name, containerPort] of Object.entries({ a: 8080, b: 9090 })) {
    cluster.access.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'demo', labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort }] }] },
    } as StoredObject);
  }

  cluster.clock.advance(1_000);

  const ports = cluster.access.list(SLICES, 'demo').map((slice) => slice.ports);
  expect(ports).toHaveLength(2);
  expect(ports).toContainEqual([expect.objectContaining({ name: 'http', port: 8080 })]);
  expect(ports).toContainEqual([expect.objectContaining({ name: 'http', port: 9090 })]);
});

test('an EndpointSlice holds at most 100 endpoints, and is deleted with its Service', () => {
  const cluster = simulatedCluster({ podReadyMs: 10 });
  service(cluster);
  deployment(cluster, 150);
  cluster.clock.advance(60_000);
  const lengths = cluster.access
    .list(SLICES, 'demo')
    .map((slice) => (slice as unknown as { endpoints: readonly Endpoint[] }).endpoints.length);

  cluster.access.patch('deployments.apps', 'demo', 'web', { spec: { replicas: 50 } });
  cluster.clock.advance(60_000);
  const fewer = endpoints(cluster).length;
  const slices = cluster.access.list(SLICES, 'demo').length;
  cluster.access.delete('services', 'demo', 'web');
  cluster.clock.advance(1_000);

  expect(lengths.toSorted()).toEqual([100, 50]);
  expect([fewer, slices]).toEqual([50, 1]);
  expect(cluster.access.list(SLICES, 'demo')).toEqual([]);
  expect(cluster.access.get('endpoints', 'demo', 'web')).toBeUndefined();
});

test('overwritten Endpoints and deleted EndpointSlices are restored', () => {
  const cluster = simulatedCluster({ podReadyMs: 10 });
  service(cluster);
  deployment(cluster, 1);
  cluster.clock.advance(1_000);
  const wanted = addresses(cluster);

  cluster.access.patch('endpoints', 'demo', 'web', { subsets: null });
  for (const { metadata } of cluster.access.list(SLICES, 'demo'))
    cluster.access.delete(SLICES, 'demo', metadata.name);
  cluster.clock.advance(1_000);

  expect(addresses(cluster)).toEqual(wanted);
  expect(endpoints(cluster)).toHaveLength(1);
  expect(cluster.clock.pending).toBe(0);
});

test('a Service without a selector gets no Endpoints', () => {
  const cluster = simulatedCluster();
  service(cluster, { selector: null });

  cluster.clock.advance(1_000);

  expect(cluster.access.get('endpoints', 'demo', 'web')).toBeUndefined();
  expect(cluster.access.list(SLICES, 'demo')).toEqual([]);
});
