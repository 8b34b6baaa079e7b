/**
 * The config-restart operator as it runs in its Pod: behind an ambassador with the filter of
 * its own declarations, against whatever API server `CHANCERY_TEST_ENV` names, with Deployments that
 * make Pods.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { TestEnv } from '@chancery/testing';
import {
  chooseBackend,
  configMap,
  customResource,
  deployment,
  eventually,
  RequestLine,
} from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { type ProxyFilter, proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { startOperator, startTestCluster } from '../support/cluster.ts';

const controllers = [configRestart];
const crds = new URL('../../examples/config-restart/crds/', import.meta.url);
const STATE = 'config-restart-state';

const definitions = readdirSync(crds).map((file) => readFileSync(new URL(file, crds), 'utf8'));

/** How long a real cluster takes to roll three Pods. */
const ROLLED = { timeoutMs: chooseBackend(process.env) === 'existing' ? 120_000 : 15_000 };

/** A namespace and an operator's way to it. */
interface Place {
  readonly env: TestEnv;
  readonly namespace: string;
  readonly proxy: Awaited<ReturnType<TestEnv['ambassador']>>;
  /** Starts the operator behind its ambassador, or behind what stands in front of that. */
  readonly run: (settings?: object, url?: string) => ReturnType<typeof startOperator>;
  readonly config: (
    name: string,
    value: string,
    annotations?: Record<string, string>,
  ) => Promise<KubernetesObject>;
  readonly change: (name: string, value: string) => Promise<KubernetesObject>;
}

interface Surroundings {
  /** Changes a definition before it is applied. */
  readonly edit?: (definition: string) => string;
  /** Changes the filter of the ambassador. */
  readonly narrow?: (filter: ProxyFilter) => ProxyFilter;
}

async function start({ edit = same, narrow = same }: Surroundings = {}): Promise<Place> {
  const { env, namespace } = await startTestCluster({ podReadyMs: 20, podStopMs: 10 });
  for (const manifest of definitions) await env.apply(edit(manifest));
  const proxy = await env.ambassador(narrow(proxyFilter(controllers, { namespaces: [namespace] })));
  const self = { podNamespace: namespace, podName: 'config-restart-0', namespace };
  return {
    env,
    namespace,
    proxy,
    run: (settings = {}, url = proxy.url) =>
      startOperator(url, controllers, { ...self, namespaces: [namespace], ...settings }),
    config: (name, value, annotations = {}) =>
      env.create(configMap(name, { namespace, annotations, data: { value } })),
    change: (name, value) => env.patch('v1', 'ConfigMap', namespace, name, { data: { value } }),
  };
}

function same<T>(value: T): T {
  return value;
}

const SELECTOR = { 'k8spatterns.io/podDeleteSelector': 'app=webapp' };

const webapp = ({ env, namespace }: Place, name = 'webapp'): Promise<KubernetesObject> =>
  env.create(deployment(name, { namespace, replicas: 3 }));

interface PodLike extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}

const pods = ({ env, namespace }: Place): Promise<readonly PodLike[]> =>
  env.list('v1', 'Pod', namespace);
const names = async (place: Place): Promise<string[]> =>
  (await pods(place)).map(({ metadata }) => metadata.name);
const isReady = ({ status }: PodLike): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');

/** Exactly `count` Pods, all ready; their names. */
const allReady = (place: Place, count: number): Promise<string[]> =>
  eventually(async () => {
    const all = await pods(place);
    const settled =
      all.length === count &&
      all.every((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
    return settled ? all.map(({ metadata }) => metadata.name) : undefined;
  }, ROLLED);

/** The ReplicaSets of a Deployment: one for each time that it was rolled, and the first. */
const rollouts = async ({ env, namespace }: Place): Promise<number> =>
  (await env.list('apps/v1', 'ReplicaSet', namespace)).length;

/** The operator has acted on `value`, or has taken it as its baseline. */
async function acted(
  { env, namespace }: Place,
  name: string,
  hashBefore?: string,
): Promise<string> {
  return eventually(async () => {
    const state = await env.get<KubernetesObject & { data?: Record<string, string> }>(
      'v1',
      'ConfigMap',
      namespace,
      STATE,
    );
    const entry = state?.data?.[name];
    if (entry === undefined) return undefined;
    const { hash, pending } = JSON.parse(entry) as { hash?: string; pending?: unknown };
    return hash !== undefined && pending === undefined && hash !== hashBefore ? hash : undefined;
  }, ROLLED);
}

/** On an API server by itself nothing makes Pods: what is here has nothing to roll there. */
const onCluster = describe.skipIf(chooseBackend(process.env) === 'kubebuilder');

onCluster('config-restart behind kubectl proxy', { timeout: 60_000 + 4 * ROLLED.timeoutMs }, () => {
  test('CW2 a change of the data restarts the Pods once, and a change of a label restarts no Pod', async () => {
    const place = await start();
    await webapp(place);
    await place.config('settings', 'one', SELECTOR);
    const before = await allReady(place, 3);
    place.run();
    const baseline = await acted(place, 'settings');

    await place.env.patch('v1', 'ConfigMap', place.namespace, 'settings', {
      metadata: { labels: { touched: 'yes' } },
    });
    await place.change('settings', 'two');
    await acted(place, 'settings', baseline);
    await eventually(
      async () => (await names(place)).every((name) => !before.includes(name)),
      ROLLED,
    );
    const after = await allReady(place, 3);

    expect(after.filter((name) => before.includes(name))).toEqual([]);
    await eventually(async () => (await rollouts(place)) === 2);
  });

  test('CW3 a change while the operator is down restarts the Pods once, and a restart of the operator restarts no Pod', async () => {
    const place = await start();
    await webapp(place);
    await place.config('settings', 'one', SELECTOR);
    await allReady(place, 3);
    const first = place.run();
    const baseline = await acted(place, 'settings');
    await first.stop();

    await place.change('settings', 'two');
    const second = place.run();
    const hash = await acted(place, 'settings', baseline);
    await second.stop();
    const third = place.run();
    await eventually(() => third.manager.ready);
    await place.change('settings', 'three'); // proves that the third has looked, and acts on this alone
    await acted(place, 'settings', hash);
    await allReady(place, 3);

    await eventually(async () => (await rollouts(place)) === 3);
  });

  test('the Pods are restarted once when the ConfigMap changes while the proxy is down', async () => {
    const place = await start();
    await webapp(place);
    await place.config('settings', 'one', SELECTOR);
    await allReady(place, 3);
    const { logged } = place.run();
    const baseline = await acted(place, 'settings');

    await place.proxy.kill();
    await eventually(() => logged('warn').includes('source is failing, it retries'));
    await place.change('settings', 'two');
    await place.proxy.start();
    await acted(place, 'settings', baseline);
    await allReady(place, 3);

    await eventually(async () => (await rollouts(place)) === 2);
  });

  test('CW4 each change restarts the Pods even if the server ends every watch after two seconds', async () => {
    const place = await start();
    await webapp(place);
    const quick = { ...SELECTOR, 'k8spatterns.io/debounceSeconds': '0' };
    await place.config('settings', 'zero', quick);
    await allReady(place, 3);
    const line = new RequestLine({ server: place.proxy.url });
    await line.start();
    onTestFinished(() => line.cut());
    // Not one second: a watch that seems to live for less, because its head came late, is followed by a back-off.
    place.run({ watchTimeoutSeconds: [2, 2] }, line.url);
    const watches = (): number => line.requests.count({ verb: 'watch', resource: 'configmaps' });
    let hash = await acted(place, 'settings');

    for (const value of ['one', 'two', 'three']) {
      await place.change('settings', value);
      hash = await acted(place, 'settings', hash);
      const before = watches();
      await eventually(() => watches() > before);
    }

    await eventually(async () => (await rollouts(place)) === 4);
  });

  test('CW1 a change of a ConfigMap without the annotation restarts no Pod', async () => {
    const place = await start();
    await webapp(place);
    await place.config('annotated', 'one', SELECTOR);
    await place.config('plain', 'one');
    await allReady(place, 3);
    place.run();
    const baseline = await acted(place, 'annotated');
    await place.change('annotated', 'two');
    const hash = await acted(place, 'annotated', baseline);

    await place.change('plain', 'two');
    await place.change('annotated', 'three'); // proves that everything before it was looked at
    await acted(place, 'annotated', hash);

    await eventually(async () => (await rollouts(place)) === 3);
  });

  test('CW7 the strategy "evict" keeps all Pods but one available, and at the end all Pods are new', async () => {
    const place = await start();
    await webapp(place);
    const { env, namespace } = place;
    const spec = { minAvailable: 2, selector: { matchLabels: { app: 'webapp' } } };
    await env.create(
      customResource('policy/v1', 'PodDisruptionBudget', 'webapp', { namespace, spec }),
    );
    const evict = {
      ...SELECTOR,
      'k8spatterns.io/restartStrategy': 'evict',
      'k8spatterns.io/debounceSeconds': '0',
    };
    await place.config('settings', 'one', evict);
    const before = await allReady(place, 3);
    place.run();
    const baseline = await acted(place, 'settings');

    await place.change('settings', 'two');
    let fewest = 3;
    await eventually(
      async () => {
        const all = await pods(place);
        fewest = Math.min(fewest, all.filter(isReady).length);
        return all.every(({ metadata }) => !before.includes(metadata.name));
      },
      { timeoutMs: 25_000 + ROLLED.timeoutMs },
    );
    await acted(place, 'settings', baseline);

    expect(fewest).toBeGreaterThanOrEqual(2);
    await eventually(async () => (await rollouts(place)) === 1);
  });

  test.each([
    'k8spatterns.io',
    'k8spatterns.com',
  ])('OP4 a ConfigWatcher of the group %s restarts the Pods, and its status reports the restart', async (group) => {
    const place = await start();
    await webapp(place);
    await place.config('settings', 'one');
    await allReady(place, 3);
    place.run();
    const { env, namespace } = place;
    const spec = { configMap: 'settings', podSelector: { app: 'webapp' } };
    await env.create(customResource(`${group}/v1`, 'ConfigWatcher', 'webapp', { namespace, spec }));
    const baseline = await acted(place, 'settings');

    await place.change('settings', 'two');
    const hash = await acted(place, 'settings', baseline);
    await allReady(place, 3);

    await eventually(async () => {
      const watcher = await env.get(`${group}/v1`, 'ConfigWatcher', namespace, 'webapp');
      expect(watcher).toMatchObject({ status: { observedHash: hash } });
      return true;
    });
    await eventually(async () => (await rollouts(place)) === 2);
  });

  test('OP1 an empty podSelector deletes no Pod, and the status and an Event report that the selector is refused', async () => {
    // Our schema refuses it; the original's did not, and objects from then are still there.
    const edit = (text: string): string => text.replaceAll(/^ *minProperties: 1\n/gm, '');
    const place = await start({ edit });
    const { env, namespace } = place;
    await webapp(place);
    await place.config('settings', 'one');
    const before = await allReady(place, 3);
    place.run();
    const spec = { configmap: 'settings', podSelector: {} };
    await env.create(
      customResource('magalix.com/v1', 'ConfigMonitor', 'webapp', { namespace, spec }),
    );

    await place.change('settings', 'two');
    await eventually(async () => {
      expect(await env.get('magalix.com/v1', 'ConfigMonitor', namespace, 'webapp')).toMatchObject({
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
      const events = await env.list('events.k8s.io/v1', 'Event', namespace);
      return events.some((event) => (event as { reason?: string }).reason === 'EmptySelector');
    });

    expect((await names(place)).sort()).toEqual([...before].sort());
    await eventually(async () => (await rollouts(place)) === 1);
  });

  test("if the filter does not allow DELETE, the ambassador's error is reported, and other keys are still reconciled", async () => {
    const place = await start({
      narrow: (filter) => ({ ...filter, rejectMethods: [...filter.rejectMethods, '^DELETE$'] }),
    });
    await webapp(place);
    await webapp(place, 'other');
    const quick = { 'k8spatterns.io/debounceSeconds': '0' };
    const deleting = { ...SELECTOR, ...quick, 'k8spatterns.io/restartStrategy': 'delete' };
    await place.config('refused', 'one', deleting);
    const other = { ...quick, 'k8spatterns.io/podDeleteSelector': 'app=other' };
    await place.config('allowed', 'one', other);
    await allReady(place, 6);
    const { lines } = place.run();
    await acted(place, 'refused');
    const baseline = await acted(place, 'allowed');

    await place.change('refused', 'two');
    await eventually(() =>
      lines.some(
        ({ fields }) => (fields.err as { code?: string })?.code === 'AMBASSADOR_FORBIDDEN',
      ),
    );
    await place.change('allowed', 'two');
    await acted(place, 'allowed', baseline);

    await eventually(async () => (await rollouts(place)) === 3);
  });
});
