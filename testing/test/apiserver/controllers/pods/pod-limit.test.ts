/** The bound on the Pods of a workload, for any number in its spec, and the condition and Event that report it. */
import { describe, expect, test } from 'vitest';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import {
  podTemplate,
  type SimulatedCluster,
  simulatedCluster,
  workload,
} from '../simulated-cluster.ts';

const MEBIBYTE = 1024 * 1024;
const BILLION = 1_000_000_000;

/** Pods of a mebibyte each: as many as 15 of one workload, or 31 of all, find room. */
function heavy(app: string, restartPolicy?: string): object {
  const env = [{ name: 'LONG', value: 'x'.repeat(MEBIBYTE) }];
  const spec = { containers: [{ name: 'app', image: 'nginx:1.27', env }], restartPolicy };
  return { ...podTemplate(app), spec };
}

const KINDS: readonly (readonly [string, string, object])[] = [
  ['ReplicaSet', 'replicasets.apps', { replicas: BILLION }],
  ['Deployment', 'deployments.apps', { replicas: 2_147_483_647 }],
  [
    'StatefulSet',
    'statefulsets.apps',
    { replicas: BILLION, serviceName: 's', podManagementPolicy: 'Parallel' },
  ],
  ['StatefulSet', 'statefulsets.apps', { replicas: BILLION, serviceName: 's' }],
  ['Job', 'jobs.batch', { completions: BILLION, parallelism: BILLION }],
  ['Job', 'jobs.batch', { parallelism: 2_147_483_647 }],
];

function start(): SimulatedCluster {
  return simulatedCluster({ podReadyMs: 0, podRunMs: 3_600_000 });
}

function podsOf({ access }: SimulatedCluster, app?: string): readonly StoredObject[] {
  const pods = access.list('pods', 'demo');
  return app === undefined ? pods : pods.filter(({ metadata }) => metadata.labels?.app === app);
}

interface Failing {
  readonly conditions?: readonly {
    type: string;
    status: string;
    reason: string;
    message: string;
  }[];
}

function failureOf({ access }: SimulatedCluster, resource: string, name: string) {
  const status = access.get(resource, 'demo', name)?.status as Failing | undefined;
  return status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
}

interface Event extends StoredObject {
  readonly reason: string;
  readonly message: string;
}

function refusalsIn({ access }: SimulatedCluster): readonly string[] {
  return (access.list('events', 'demo') as readonly Event[]).flatMap(({ reason, message }) =>
    reason === 'FailedCreate' ? message : [],
  );
}

function heavyJob(name: string, spec: object): StoredObject {
  const job = workload('Job', name, spec as Record<string, unknown>) as StoredObject & {
    spec: object;
  };
  const { selector: _, ...rest } = job.spec as Record<string, unknown>;
  return { ...job, spec: { ...rest, template: heavy(name, 'Never') } } as StoredObject;
}

function heavyWorkload(kind: string, name: string, spec: object): StoredObject {
  return kind === 'Job'
    ? heavyJob(name, spec)
    : workload(kind, name, { template: heavy(name), ...spec });
}

describe('[found 6] a workload that wants more Pods than the server allows', () => {
  test.each(
    KINDS,
  )('a %s of %s with %j gets some Pods, and reports why it gets no more', (kind, resource, spec) => {
    const cluster = start();
    cluster.access.create(resource, heavyWorkload(kind, 'web', spec));

    cluster.clock.advance(2_000);

    const words = 'of one workload of the embedded API server: 16 MiB as JSON, which 15 Pods fill';
    expect(podsOf(cluster)).toHaveLength(15);
    expect(failureOf(cluster, resource, 'web')).toEqual(
      // Other kinds have no condition for it.
      kind !== 'ReplicaSet' && kind !== 'Deployment'
        ? undefined
        : expect.objectContaining({
            status: 'True',
            reason: 'FailedCreate',
            message: expect.stringMatching(
              new RegExp(
                `^pods "web-.*" is forbidden: exceeded the limit of simulated Pods ${words}$`,
              ),
            ),
          }),
    );
    expect(refusalsIn(cluster)).toContainEqual(expect.stringContaining(words));
  });

  test('a DaemonSet on more nodes than the server allows gets some Pods, and an Event reports why', () => {
    const cluster = start();
    for (let at = 0; at < 20; at++) {
      const metadata = { name: `node-${at}` };
      cluster.access.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata });
    }
    cluster.access.create('daemonsets.apps', heavyWorkload('DaemonSet', 'web', {}));

    cluster.clock.advance(2_000);

    expect(podsOf(cluster)).toHaveLength(15);
    expect(failureOf(cluster, 'daemonsets.apps', 'web')).toBeUndefined();
    expect(refusalsIn(cluster)).toHaveLength(1);
  });

  test('a workload of small Pods gets at most 2,000 Pods', { timeout: 60_000 }, () => {
    const cluster = simulatedCluster({ only: ['replicaSet'] });
    cluster.access.create('replicasets.apps', workload('ReplicaSet', 'web', { replicas: 2_001 }));

    cluster.clock.advance(0);

    expect(podsOf(cluster)).toHaveLength(2_000);
    expect(failureOf(cluster, 'replicasets.apps', 'web')?.message).toMatch(/: 2000 Pods$/);
    // Hundreds of Events of what was created do not hide it.
    expect(refusalsIn(cluster)).toHaveLength(1);
  });

  test('a workload that reaches its limit does not limit other workloads', () => {
    const cluster = start();
    cluster.access.create('replicasets.apps', heavyWorkload('ReplicaSet', 'big', { replicas: 99 }));
    cluster.clock.advance(1_000);

    cluster.access.create('replicasets.apps', workload('ReplicaSet', 'small', { replicas: 3 }));
    cluster.clock.advance(1_000);

    expect(podsOf(cluster, 'small')).toHaveLength(3);
    expect(failureOf(cluster, 'replicasets.apps', 'small')).toBeUndefined();
  });
});

describe('[found 6] the limit for the Pods of all workloads together', () => {
  test('all workloads together get at most 32 MiB of Pods, and workloads that lack Pods report the reason', () => {
    const cluster = start();
    for (const name of ['a', 'b', 'c']) {
      cluster.access.create(
        'replicasets.apps',
        heavyWorkload('ReplicaSet', name, { replicas: 14 }),
      );
    }

    cluster.clock.advance(2_000);

    expect(podsOf(cluster)).toHaveLength(31);
    const failures = ['a', 'b', 'c'].flatMap(
      (name) => failureOf(cluster, 'replicasets.apps', name) ?? [],
    );
    expect(failures.length).toBeGreaterThan(0);
    for (const { message } of failures) {
      expect(message).toContain('of all workloads of the embedded API server: 32 MiB as JSON');
    }
  });

  test('the limit for all workloads counts Pods that exist before the controllers start', () => {
    const cluster = simulatedCluster({}, (access) => {
      for (let at = 0; at < 31; at++) {
        const metadata = { name: `p-${at}`, namespace: 'demo' };
        access.create('pods', {
          apiVersion: 'v1',
          kind: 'Pod',
          ...heavy('own'),
          metadata,
        } as never);
      }
    });
    cluster.access.create('replicasets.apps', heavyWorkload('ReplicaSet', 'web', { replicas: 1 }));

    cluster.clock.advance(1_000);

    expect(podsOf(cluster, 'web')).toEqual([]);
    expect(failureOf(cluster, 'replicasets.apps', 'web')?.message).toContain('all workloads');
  });

  test('the limit for all workloads does not apply to Pods that clients create', () => {
    const cluster = start();
    for (const name of ['a', 'b', 'c']) {
      cluster.access.create(
        'replicasets.apps',
        heavyWorkload('ReplicaSet', name, { replicas: 14 }),
      );
    }
    cluster.clock.advance(2_000);

    const metadata = { name: 'own', namespace: 'demo' };
    cluster.access.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      ...heavy('own'),
      metadata,
    } as never);

    expect(podsOf(cluster)).toHaveLength(32);
  });
});

test('[found 6] a workload that no longer exceeds its limit creates its Pods and drops the failure condition', () => {
  const cluster = start();
  cluster.access.create('replicasets.apps', heavyWorkload('ReplicaSet', 'web', { replicas: 17 }));
  cluster.clock.advance(1_000);
  expect(failureOf(cluster, 'replicasets.apps', 'web')?.status).toBe('True');

  cluster.access.patch('replicasets.apps', 'demo', 'web', { spec: { replicas: 12 } });
  cluster.clock.advance(120_000);

  expect(podsOf(cluster)).toHaveLength(12);
  expect(failureOf(cluster, 'replicasets.apps', 'web')).toBeUndefined();
});

test('[found 6] deleted and released Pods no longer count for the limit', () => {
  const cluster = start();
  for (let round = 0; round < 4; round++) {
    const name = `web-${round}`;
    cluster.access.create('replicasets.apps', heavyWorkload('ReplicaSet', name, { replicas: 10 }));
    cluster.clock.advance(1_000);
    for (const { metadata } of podsOf(cluster, name).slice(0, 3)) {
      // Without its label a Pod is let go, and another takes its place.
      cluster.access.patch('pods', 'demo', metadata.name, {
        metadata: { labels: { app: 'gone' } },
      });
    }
    cluster.clock.advance(1_000);
    expect(podsOf(cluster, name)).toHaveLength(10);
    cluster.access.delete('replicasets.apps', 'demo', name, { propagationPolicy: 'Background' });
    for (const { metadata } of podsOf(cluster, 'gone')) {
      cluster.access.delete('pods', 'demo', metadata.name);
    }
    cluster.clock.advance(60_000);
    expect(podsOf(cluster)).toEqual([]);
  }
});
