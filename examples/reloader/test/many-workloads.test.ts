/** One ConfigMap of many workloads, in one process without an API server. */
import { configMap, FakeClock } from '@chancery/testing';
import { type KubernetesObject, keyOf, type ReconcileContext, type Source } from 'chancery';
import type { Deployment } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import type { ArgumentValues } from '../contract/arguments.ts';
import { optionsOf } from '../contract/options.ts';
import { reloader } from '../operator.ts';
import { BASELINE } from '../record/baseline.ts';
import { AUTO } from './support/start.ts';

const COUNT = 1_000;

interface Failing {
  /** Names of Deployments whose patch the server refuses. */
  readonly refused?: ReadonlySet<string>;
  /** How many reads fail before one is answered. */
  failures?: number;
}

function world({ refused = new Set(), failures = 0 }: Failing) {
  let failing = failures;
  const config = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'app', namespace: 'demo', uid: 'u', resourceVersion: '2' },
    data: { mode: 'fast' },
  };
  const workloads = Array.from({ length: COUNT }, (_, at) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: `web-${at}`,
      namespace: 'demo',
      uid: `u-${at}`,
      resourceVersion: '1',
      annotations: { ...AUTO, [BASELINE]: '{"configmap/app":"before"}' },
    },
    spec: {
      template: {
        spec: { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'app' } }] }] },
      },
    },
  })) as unknown as readonly Deployment[];
  const counts = { reads: 0, patches: 0 };
  const client = {
    find: async () => {
      counts.reads++;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (failing-- > 0) throw new Error('the server is busy');
      return config;
    },
    patch: async (_resource: unknown, { name }: { readonly name: string }) => {
      if (refused.has(name)) throw new Error('no');
      counts.patches++;
      return {};
    },
  };
  const store = ({ resource }: Source) => ({
    synced: true,
    get: () => (resource.kind === 'ConfigMap' ? config : undefined),
    byIndex: () => [],
  });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = new FakeClock();
  const events = { record() {} };
  const { signal } = new AbortController();
  const context = { client, store, log, clock, events, signal, attempt: 0, dryRun: false };
  return {
    workloads,
    counts,
    clock,
    config,
    contextOf: (object: KubernetesObject) =>
      ({ ...context, key: keyOf(object) }) as unknown as ReconcileContext<KubernetesObject>,
  };
}

function deploymentController(values: ArgumentValues = {}) {
  const { controllers } = reloader(optionsOf({ debounce: '0s', ...values }, {}), {});
  const found = controllers.find(({ name }) => name === 'reloader-deployments');
  if (found === undefined) throw new Error('no controller of Deployments');
  return found;
}

test('a ConfigMap that 1,000 workloads use is read once, and each workload is patched once', async () => {
  const { workloads, counts, contextOf } = world({});
  const controller = deploymentController();

  await Promise.all(workloads.map((each) => controller.reconcile(each, contextOf(each))));

  expect(counts).toEqual({ reads: 1, patches: COUNT });
});

test('[reloader R24] if the patch of some workloads is refused, the other workloads still restart', async () => {
  const refused = new Set(['web-0', 'web-500']);
  const { workloads, counts, contextOf } = world({ refused });
  const controller = deploymentController();

  const done = await Promise.allSettled(
    workloads.map((each) => controller.reconcile(each, contextOf(each))),
  );

  expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(refused.size);
  expect(counts.patches).toBe(COUNT - refused.size);
});

test('the workloads of a changed ConfigMap are found by an index, without visiting all workloads', () => {
  const [mapping] = deploymentController().watches;
  const asked: string[] = [];
  const store = () => ({
    byIndex: (_name: string, value: string) => {
      asked.push(value);
      return [];
    },
  });
  mapping?.map(configMap('app', { namespace: 'demo' }), { store } as never);

  expect(asked).toEqual(['demo/configmap/app', 'demo/CONFIGMAP/*']);
});

test('[reloader 29] [reloader R8] a failed read restarts and records nothing, and a successful retry does both', async () => {
  const { workloads, counts, contextOf } = world({ failures: 1 });
  const controller = deploymentController({
    'reload-on-create': 'true',
    'reload-on-delete': 'true',
  });
  const [web] = workloads;
  if (web === undefined) throw new Error('no workload');
  const reconcile = () => controller.reconcile(web, contextOf(web));

  await expect(reconcile()).rejects.toThrow('busy');
  expect(counts.patches).toBe(0);
  await reconcile();
  expect(counts).toEqual({ reads: 2, patches: 1 });
});

test('the hash of a ConfigMap is dropped from memory when the last workload that uses it is deleted', async () => {
  const { workloads, counts, contextOf } = world({});
  const controller = deploymentController();
  const [first, second] = workloads;
  if (first === undefined || second === undefined) throw new Error('no workloads');

  await controller.reconcile(first, contextOf(first));
  await controller.reconcile(second, contextOf(second));
  await controller.gone?.(keyOf(first), contextOf(first));
  await controller.reconcile(second, contextOf(second));
  expect(counts.reads).toBe(1);
  const unconcerned = { ...second, metadata: { ...second.metadata, annotations: {} } };
  await controller.reconcile(unconcerned, contextOf(unconcerned));
  await controller.reconcile(first, contextOf(first));
  expect(counts.reads).toBe(2);
});

test('[reloader 12] endless changes delay a restart for 30 s at most', async () => {
  const { workloads, counts, clock, config, contextOf } = world({});
  const controller = deploymentController({ debounce: '10s' });
  const [web] = workloads;
  if (web === undefined) throw new Error('no workload');
  const patches: number[] = [];
  for (let round = 0; round < 5; round++) {
    config.data.mode = `${round}`;
    config.metadata.resourceVersion = `${round}`;
    await controller.reconcile(web, contextOf(web));
    patches.push(counts.patches);
    clock.advance(9_000);
  }

  expect(patches).toEqual([0, 0, 0, 0, 1]);
});
