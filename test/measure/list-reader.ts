/**
 * The measured process: an operator that reads 100,000 ConfigMaps, with two handlers, an index and a
 * controller that reconciles each of them; then everything changes while its watch is away; then a
 * list verifies what it has. Started by `list.ts`.
 */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { listWatch } from '../../operator/client/source.ts';
import { controller } from '../../operator/controller/controller.ts';
import type { Log } from '../../operator/controller/reconciler.ts';
import { ControllerRunner } from '../../operator/controller/run/runner.ts';
import { source } from '../../operator/controller/source.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { byNamespace } from '../../operator/store/indices.ts';
import { Informer } from '../../operator/store/informer.ts';
import type { SharedInformer } from '../../operator/store/shared-informer.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import { noClient } from '../support/no-client.ts';

/** What one list cost the reader. */
export interface PhaseCost {
  /** The longest time that no timer could fire. */
  readonly longestDelayMs: number;
  /** The part of a delay that a collection of garbage may have been. */
  readonly longestCollectionMs: number;
  /** Until handlers were told of every object and a controller had reconciled it, where that is so. */
  readonly totalMs: number;
  readonly heapMiB: number;
  readonly residentMiB: number;
}

const OBJECTS = 100_000;
const MIB = 2 ** 20;
const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const [, , url = ''] = process.argv;
const clock = systemClock;
const transport = undiciTransport(url);
const informer = new Informer<ConfigMap>(
  listWatch(transport, configMaps),
  { statusChanged: () => {}, drifted: () => {}, handlerFailed: fail },
  { clock, relistIntervalMs: 0 },
);
let told = 0;
let reconciled = 0;
const runner = new ControllerRunner({
  controller: controller<ConfigMap>({
    name: 'measured',
    for: source(configMaps),
    reconcile: async () => {
      reconciled++;
    },
  }),
  informerFor: () => informer as unknown as SharedInformer<KubernetesObject>,
  client: noClient,
  events: { record: () => {} },
  clock,
  self: { namespace: 'demo', podName: 'measured' },
  logFor: () => SILENT,
});
informer.addIndex('namespace', byNamespace);
informer.addHandler((changes) => {
  told += changes.length;
});
informer.addHandler(async (changes) => {
  told += changes.length;
});
runner.attach();

let longestCollectionMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    longestCollectionMs = Math.max(longestCollectionMs, duration);
  }
}).observe({ entryTypes: ['gc'] });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

const { signal } = new AbortController();
informer.run(signal).catch(fail);
runner.run(signal, signal).catch(fail);
const first = await cost(() => reconciledAll(1));
process.send?.('first');
const second = await cost(() => reconciledAll(2));
const third = await cost(async () => {
  const drift = await informer.verify();
  if (drift.length > 0) fail(new Error(`${drift.length} objects differ`));
});
process.send?.([first, second, third] satisfies readonly PhaseCost[], () => process.exit());

/** Two handlers are told of the collection's `count` states, and the controller has seen them. */
async function reconciledAll(count: number): Promise<void> {
  while (told < 2 * OBJECTS * count || reconciled < OBJECTS * count) await wait(5);
}

async function cost(work: () => Promise<void>): Promise<PhaseCost> {
  delay.reset();
  longestCollectionMs = 0;
  const startedAt = performance.now();
  await work();
  const totalMs = performance.now() - startedAt;
  await wait(50); // what came last is measured as well
  const { heapUsed, rss } = process.memoryUsage();
  return {
    longestDelayMs: delay.max / 1e6,
    longestCollectionMs,
    totalMs,
    heapMiB: heapUsed / MIB,
    residentMiB: rss / MIB,
  };
}

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}
