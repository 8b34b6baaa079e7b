/**
 * The config-restart operator as it runs in its Pod: behind a real `kubectl proxy` with the filter of
 * its own declarations, against the embedded API server with Deployments that make Pods.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { proxyFilter } from '../../operator/generate/proxy-filter.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { ApiServer } from '../../operator/testing/apiserver/api-server.ts';
import { eventually } from '../../operator/testing/eventually.ts';
import { NAMESPACE, startCluster, startOperator } from '../support/cluster.ts';

const controllers = [configRestart];
const filter = proxyFilter(controllers, { namespace: NAMESPACE });
const crds = new URL('../../examples/config-restart/crds/', import.meta.url);
const STATE = 'config-restart-state';

const definitions = readdirSync(crds).map((file) => readFileSync(new URL(file, crds), 'utf8'));

/** @param edit - changes a definition before it is applied. */
async function start(edit = (definition: string): string => definition) {
  const cluster = await startCluster({ workloads: { podReadyMs: 20, podStopMs: 10 }, filter });
  for (const manifest of definitions) cluster.server.applyManifest(edit(manifest));
  return cluster;
}

const SELF = { podNamespace: NAMESPACE, podName: 'config-restart-0' };
const run = (url: string) => startOperator(url, controllers, SELF);

function configMap(name: string, value: string, annotations: Record<string, string> = {}) {
  const metadata = { name, namespace: NAMESPACE, annotations };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
}

const SELECTOR = { 'k8spatterns.io/podDeleteSelector': 'app=webapp' };

function deployment(name: string, labels: Record<string, string>, replicas = 3) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
    },
  };
}

interface PodLike extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}

const pods = (server: ApiServer): readonly PodLike[] => server.list('v1', 'Pod', NAMESPACE);
const names = (server: ApiServer): string[] => pods(server).map(({ metadata }) => metadata.name);
const isReady = ({ status }: PodLike): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');

/** Exactly `count` Pods, all ready; their names. */
const allReady = (server: ApiServer, count: number): Promise<string[]> =>
  eventually(() => {
    const all = pods(server);
    const settled =
      all.length === count &&
      all.every((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
    return settled ? names(server) : undefined;
  });

/** The ReplicaSets of a Deployment: one for each time that it was rolled, and the first. */
const rollouts = (server: ApiServer): number =>
  server.list('apps/v1', 'ReplicaSet', NAMESPACE).length;

/** The operator has acted on `value`, or has taken it as its baseline. */
async function acted(server: ApiServer, name: string, hashBefore?: string): Promise<string> {
  return eventually(() => {
    const state = server.get('v1', 'ConfigMap', NAMESPACE, STATE) as
      | { data?: Record<string, string> }
      | undefined;
    const entry = state?.data?.[name];
    if (entry === undefined) return undefined;
    const { hash, pending } = JSON.parse(entry) as { hash?: string; pending?: unknown };
    return hash !== undefined && pending === undefined && hash !== hashBefore ? hash : undefined;
  });
}

const change = (server: ApiServer, name: string, value: string): unknown =>
  server.patch('v1', 'ConfigMap', NAMESPACE, name, { data: { value } });

describe('config-restart behind kubectl proxy', { timeout: 60_000 }, () => {
  test('CW2 a change of the data rolls the Pods once; a change of a label rolls nothing', async () => {
    const { server, proxy } = await start();
    server.create(deployment('webapp', { app: 'webapp' }));
    server.create(configMap('settings', 'one', SELECTOR));
    const before = await allReady(server, 3);
    run(proxy.url);
    const baseline = await acted(server, 'settings');

    server.patch('v1', 'ConfigMap', NAMESPACE, 'settings', {
      metadata: { labels: { touched: 'yes' } },
    });
    change(server, 'settings', 'two');
    await acted(server, 'settings', baseline);
    await eventually(() => names(server).every((name) => !before.includes(name)));
    const after = await allReady(server, 3);

    expect(after.filter((name) => before.includes(name))).toEqual([]);
    expect(rollouts(server)).toBe(2);
  });

  test('CW3 a change made while the operator is down acts once, and a restart of it acts never', async () => {
    const { server, proxy } = await start();
    server.create(deployment('webapp', { app: 'webapp' }));
    server.create(configMap('settings', 'one', SELECTOR));
    await allReady(server, 3);
    const first = run(proxy.url);
    const baseline = await acted(server, 'settings');
    await first.stop();

    change(server, 'settings', 'two');
    const second = run(proxy.url);
    const hash = await acted(server, 'settings', baseline);
    await second.stop();
    const third = run(proxy.url);
    await eventually(() => third.manager.ready);
    change(server, 'settings', 'three'); // proves that the third has looked, and acts on this alone
    await acted(server, 'settings', hash);
    await allReady(server, 3);

    expect(rollouts(server)).toBe(3);
  });

  test('the proxy is killed, the ConfigMap changes, the proxy comes back: the Pods roll once', async () => {
    const { server, proxy } = await start();
    server.create(deployment('webapp', { app: 'webapp' }));
    server.create(configMap('settings', 'one', SELECTOR));
    await allReady(server, 3);
    const { manager } = run(proxy.url);
    const baseline = await acted(server, 'settings');

    await proxy.kill();
    await eventually(() => !manager.ready);
    change(server, 'settings', 'two');
    await proxy.start();
    await acted(server, 'settings', baseline);
    await allReady(server, 3);

    expect(rollouts(server)).toBe(2);
  });

  test('CW4 the server ends every watch after a second: each change acts, and the operator lives on', async () => {
    const { server, proxy } = await start();
    server.create(deployment('webapp', { app: 'webapp' }));
    const quick = { ...SELECTOR, 'k8spatterns.io/debounceSeconds': '0' };
    server.create(configMap('settings', 'zero', quick));
    await allReady(server, 3);
    startOperator(proxy.url, controllers, { ...SELF, watchTimeoutSeconds: [1, 1] });
    let hash = await acted(server, 'settings');

    for (const value of ['one', 'two', 'three']) {
      change(server, 'settings', value);
      hash = await acted(server, 'settings', hash);
      server.closeWatches('clean');
    }

    expect(rollouts(server)).toBe(4);
  });

  test('CW1 a ConfigMap without the annotation is nobody’s trigger, whatever was changed before', async () => {
    const { server, proxy } = await start();
    server.create(deployment('webapp', { app: 'webapp' }));
    server.create(configMap('annotated', 'one', SELECTOR));
    server.create(configMap('plain', 'one'));
    await allReady(server, 3);
    run(proxy.url);
    const baseline = await acted(server, 'annotated');
    change(server, 'annotated', 'two');
    const hash = await acted(server, 'annotated', baseline);

    change(server, 'plain', 'two');
    change(server, 'annotated', 'three'); // proves that everything before it was looked at
    await acted(server, 'annotated', hash);

    expect(rollouts(server)).toBe(3);
  });

  test('CW7 evict: never more than one Pod is missing, and all are new at the end', async () => {
    const { server, proxy } = await start();
    server.create(deployment('webapp', { app: 'webapp' }));
    server.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'webapp', namespace: NAMESPACE },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'webapp' } } },
    } as KubernetesObject);
    const evict = {
      ...SELECTOR,
      'k8spatterns.io/restartStrategy': 'evict',
      'k8spatterns.io/debounceSeconds': '0',
    };
    server.create(configMap('settings', 'one', evict));
    const before = await allReady(server, 3);
    run(proxy.url);
    const baseline = await acted(server, 'settings');

    change(server, 'settings', 'two');
    let fewest = 3;
    await eventually(
      () => {
        fewest = Math.min(fewest, pods(server).filter(isReady).length);
        return names(server).every((name) => !before.includes(name));
      },
      { timeoutMs: 40_000 },
    );
    await acted(server, 'settings', baseline);

    expect(fewest).toBeGreaterThanOrEqual(2);
    expect(rollouts(server)).toBe(1);
  });

  test.each([
    'k8spatterns.io',
    'k8spatterns.com',
  ])('OP4 a ConfigWatcher of %s rolls the Pods, and says so in its status', async (group) => {
    const { server, proxy } = await start();
    server.create(deployment('webapp', { app: 'webapp' }));
    server.create(configMap('settings', 'one'));
    await allReady(server, 3);
    run(proxy.url);
    server.create({
      apiVersion: `${group}/v1`,
      kind: 'ConfigWatcher',
      metadata: { name: 'webapp', namespace: NAMESPACE },
      spec: { configMap: 'settings', podSelector: { app: 'webapp' } },
    } as KubernetesObject);
    const baseline = await acted(server, 'settings');

    change(server, 'settings', 'two');
    const hash = await acted(server, 'settings', baseline);
    await allReady(server, 3);

    const watcher = (): unknown => server.get(`${group}/v1`, 'ConfigWatcher', NAMESPACE, 'webapp');
    await eventually(() => {
      expect(watcher()).toMatchObject({ status: { observedHash: hash } });
      return true;
    });
    expect(rollouts(server)).toBe(2);
  });

  test('OP1 an empty podSelector deletes nothing, and is refused in status and by an Event', async () => {
    // Our schema refuses it; the original's did not, and objects from then are still there.
    const { server, proxy } = await start((text) => text.replaceAll(/^ *minProperties: 1\n/gm, ''));
    server.create(deployment('webapp', { app: 'webapp' }));
    server.create(configMap('settings', 'one'));
    const before = await allReady(server, 3);
    run(proxy.url);
    server.create({
      apiVersion: 'magalix.com/v1',
      kind: 'ConfigMonitor',
      metadata: { name: 'webapp', namespace: NAMESPACE },
      spec: { configmap: 'settings', podSelector: {} },
    } as KubernetesObject);

    change(server, 'settings', 'two');
    await eventually(() => {
      expect(server.get('magalix.com/v1', 'ConfigMonitor', NAMESPACE, 'webapp')).toMatchObject({
        status: {
          conditions: expect.arrayContaining([
            expect.objectContaining({
              type: 'SelectorValid',
              status: 'False',
              reason: 'EmptySelector',
            }),
          ]),
        },
      });
      return server
        .list('events.k8s.io/v1', 'Event', NAMESPACE)
        .some((event) => (event as { reason?: string }).reason === 'EmptySelector');
    });

    expect(names(server).sort()).toEqual([...before].sort());
    expect(rollouts(server)).toBe(1);
  });

  test('a filter without DELETE: the refusal is the ambassador’s, and other keys go on', async () => {
    const closed = { ...filter, rejectMethods: [...filter.rejectMethods, '^DELETE$'] };
    const { server, proxy } = await startCluster({
      workloads: { podReadyMs: 20, podStopMs: 10 },
      filter: closed,
    });
    server.create(deployment('webapp', { app: 'webapp' }));
    server.create(deployment('other', { app: 'other' }));
    const quick = { 'k8spatterns.io/debounceSeconds': '0' };
    const deleting = { ...SELECTOR, ...quick, 'k8spatterns.io/restartStrategy': 'delete' };
    server.create(configMap('refused', 'one', deleting));
    const other = { ...quick, 'k8spatterns.io/podDeleteSelector': 'app=other' };
    server.create(configMap('allowed', 'one', other));
    await allReady(server, 6);
    const { lines } = run(proxy.url);
    await acted(server, 'refused');
    const baseline = await acted(server, 'allowed');

    change(server, 'refused', 'two');
    await eventually(() =>
      lines.some(
        ({ fields }) => (fields.err as { code?: string })?.code === 'AMBASSADOR_FORBIDDEN',
      ),
    );
    change(server, 'allowed', 'two');
    await acted(server, 'allowed', baseline);

    expect(server.list('apps/v1', 'ReplicaSet', NAMESPACE)).toHaveLength(3);
  });
});
