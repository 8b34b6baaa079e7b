/** What a controller makes of the stream: one key at a time, the newest state, no key starved. */

import { eventually, settleSockets } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type ControllerOptions, controller } from '../../operator/controller/controller.ts';
import type { Reconciler } from '../../operator/controller/reconciler.ts';
import { ControllerRunner } from '../../operator/controller/run/runner.ts';
import { source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Informer } from '../../operator/store/informer.ts';
import { startOperator } from '../support/cluster.ts';
import { noClient } from '../support/no-client.ts';
import { recordingLog } from '../support/recording-log.ts';
import { PATH, type Scenario, scenario } from './support/scenario.ts';

const settings = source(configMaps);

/** A controller on the scenario's informer; everything is running when this resolves. */
async function control(
  it: Scenario,
  reconcile: Reconciler<ConfigMap>,
  options: Pick<ControllerOptions<ConfigMap>, 'gone' | 'maxConcurrentReconciles'> = {},
): Promise<void> {
  const hardStop = new AbortController();
  const { logFor } = recordingLog();
  const runner = new ControllerRunner({
    controller: controller({ name: 'test', for: settings, reconcile, ...options }),
    informerFor: () => it.informer as unknown as Informer<KubernetesObject>,
    client: noClient,
    events: { record: () => {} },
    clock: it.clock,
    self: { namespace: 'demo', podName: 'me' },
    logFor,
  });
  runner.attach();
  onTestFinished(() => hardStop.abort());
  it.runs({ run: (signal) => runner.run(signal, hardStop.signal) });
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
}

test('[H45] reconciles that throw, reject or never settle hold up neither the other keys nor the watch', async () => {
  const it = await scenario();
  it.serve();
  const attempts: string[] = [];
  const never = Promise.withResolvers<void>();
  onTestFinished(() => never.resolve());
  await control(
    it,
    (_object, { key }) => {
      attempts.push(key);
      if (key === 'demo/throws') throw new Error('thrown');
      if (key === 'demo/rejects') return Promise.reject(new Error('rejected'));
      return key === 'demo/hangs' ? never.promise : Promise.resolve();
    },
    { maxConcurrentReconciles: 2 },
  );

  for (const name of ['hangs', 'throws', 'rejects', 'good']) it.collection.put(name);
  await it.passes(2_000);
  it.collection.put('good');
  it.collection.put('late');
  await it.passes(1_000);

  const count = (key: string): number => attempts.filter((attempt) => attempt === key).length;
  expect(count('demo/throws')).toBeGreaterThan(2);
  expect(count('demo/throws')).toBeLessThan(15);
  expect(count('demo/rejects')).toBeGreaterThan(2);
  expect([count('demo/hangs'), count('demo/good'), count('demo/late')]).toEqual([1, 2, 1]);
  expect(it.asked()).toEqual(['list', 'watch@100']);
  never.resolve();
  await it.converges();
});

test('[H46] 500 updates during one reconcile lead to one more reconcile, with the newest state', async () => {
  const it = await scenario();
  it.serve();
  const seen: (string | undefined)[] = [];
  const first = Promise.withResolvers<void>();
  onTestFinished(() => first.resolve());
  let underWay = 0;
  let most = 0;
  await control(
    it,
    async (object) => {
      most = Math.max(most, ++underWay);
      seen.push(object.data?.n);
      if (seen.length === 1) await first.promise;
      underWay--;
    },
    { maxConcurrentReconciles: 4 },
  );

  it.collection.put('a', { data: { n: '0' } });
  await it.until(() => seen.length === 1);
  for (let n = 1; n <= 500; n++) it.collection.put('a', { data: { n: String(n) } });
  await eventually(() => it.informer.store.list()[0]?.data?.n === '500');
  const before = seen.length;
  first.resolve();
  await it.converges();
  await it.passes(10_000);

  expect(before).toBe(1);
  expect(seen).toEqual(['0', '500']);
  expect(most).toBe(1);
  expect(it.asked()).toEqual(['list', 'watch@100']);
});

test('[H47] the changes of an object that is deleted during a slow reconcile are delivered in order, and the object is gone afterwards', async () => {
  const it = await scenario();
  it.serve();
  const seen: (string | undefined)[] = [];
  const first = Promise.withResolvers<void>();
  onTestFinished(() => first.resolve());
  await control(
    it,
    async (object) => {
      seen.push(object.metadata.resourceVersion);
      if (seen.length === 1) await first.promise;
    },
    { gone: () => void seen.push('gone') },
  );

  it.collection.loseEvents(2);
  const added = it.collection.put('a');
  const modified = it.collection.put('a');
  it.collection.openWatches[0]?.sendEvents(
    { type: 'ADDED', object: added },
    { type: 'MODIFIED', object: modified },
  );
  await it.until(() => seen.length === 1);
  it.collection.remove('a');
  await settleSockets();
  first.resolve();
  await it.converges();
  await it.until(() => seen.length === 2);

  expect(seen).toEqual(['102', 'gone']);
  expect(it.deliveries.told).toEqual(['add a@101', 'update a@102', 'delete a@103']);
  expect(it.asked()).toEqual(['list', 'watch@100']);
});

test('[H47] a slow handler gets the changes in the order of the watch', async () => {
  const it = await scenario();
  it.serve();
  const told: string[] = [];
  const first = Promise.withResolvers<void>();
  onTestFinished(() => first.resolve());
  it.informer.addHandler(async (changes) => {
    if (changes[0]?.object.metadata.resourceVersion === '101') await first.promise;
    for (const { type, object } of changes) told.push(`${type}@${object.metadata.resourceVersion}`);
  });
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.collection.put('a');
  it.collection.put('a');
  await settleSockets();
  it.collection.remove('a');
  await settleSockets();
  const early = [...told];
  first.resolve();
  await it.until(() => told.length === 3);

  expect(early).toEqual([]);
  expect(told).toEqual(['add@101', 'update@102', 'delete@103']);
  await it.converges();
});

test('[H63] two controllers on one source share one list and one watch', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.serve();
  const seen: string[] = [];
  const named = (name: string) =>
    controller({
      name,
      for: source(configMaps, { labelSelector: 'app=web' }),
      reconcile: async (_object, { key }) => {
        seen.push(`${name} ${key}`);
      },
    });

  const operator = startOperator(it.server.url, [named('one'), named('two')]);
  await eventually(() => seen.length === 2 && it.server.watches.length === 1);
  it.collection.put('b');
  await eventually(() => seen.length === 4);
  const lists = it.server.reads.filter(({ path }) => path === PATH);
  await operator.stop();

  expect(seen.toSorted()).toEqual(['one demo/a', 'one demo/b', 'two demo/a', 'two demo/b']);
  expect(lists.map(({ query }) => query.labelSelector)).toEqual(['app=web']);
  expect(it.server.watches.map(({ query }) => query.labelSelector)).toEqual(['app=web']);
});
