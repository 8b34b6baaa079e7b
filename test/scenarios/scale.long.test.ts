/** Many of everything: counts and bounds, no timings. */
import { getEventListeners } from 'node:events';
import { eventually, json, settleSockets, stream } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { restClient } from '../../operator/client/rest-client.ts';
import { listWatch } from '../../operator/client/source.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { Informer } from '../../operator/store/informer.ts';
import { Deliveries } from './support/deliveries.ts';
import { type Scenario, scenario } from './support/scenario.ts';

/** Megabytes take a second, and more on a machine that has other work. */
const PATIENT = { timeoutMs: 50_000 } as const;
const TIMEOUT_MS = 60_000;

test('[H57] for 200 watches that end at their own timeout, one list is enough, and they leak nothing and cause no warning', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const it = await scenario({ watchTimeoutSeconds: [60, 61] });
  it.serve();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  void it.run(it.informer, stop.signal);
  await it.until(() => it.collection.openWatches.length === 1);
  const sizes = (): readonly number[] => [
    it.server.openConnections,
    getEventListeners(stop.signal, 'abort').length,
    it.clock.pending,
  ];
  const before = sizes();
  const resources = process.getActiveResourcesInfo().length;

  for (let cycle = 1; cycle <= 200; cycle++) {
    it.collection.put('a', { data: { cycle: String(cycle) } });
    await settleSockets();
    it.clock.advance(60_000); // the server's timeout
    await settleSockets();
    it.clock.advance(100); // the least distance of two watches
    await settleSockets();
  }
  await it.until(() => it.collection.openWatches.length === 1);

  expect(it.server.watches).toHaveLength(201);
  expect(it.server.reads).toHaveLength(1);
  expect(it.server.watches.at(-1)?.query.resourceVersion).toBe('300');
  expect(Math.max(...sizes().map((size, index) => size - (before[index] ?? 0)))).toBeLessThan(2);
  expect(process.getActiveResourcesInfo().length - resources).toBeLessThan(5);
  expect(warnings).toEqual([]);
  await it.converges();
  stop.abort();
});

test('[H58] 50 calls do not wait for 60 open watches, and each watch uses one socket', async () => {
  const it = await scenario();
  const list = json({
    apiVersion: 'v1',
    kind: 'ConfigMapList',
    metadata: { resourceVersion: '1' },
    items: [],
  });
  const patched = json({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  const release = Promise.withResolvers<void>();
  onTestFinished(() => release.resolve());
  it.server
    .on({ watch: true }, stream([], { end: 'hang' }))
    .on({ method: 'GET' }, list)
    .on({ method: 'PATCH' }, async (exchange) => {
      await release.promise; // so that all of them are under way at a time
      await patched(exchange);
    });
  for (let n = 0; n < 60; n++) {
    it.runs(
      new Informer<ConfigMap>(
        listWatch(it.transport, configMaps, { namespace: `ns-${n}` }, { clock: it.clock }),
        { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
        { clock: it.clock, relistIntervalMs: 0 },
      ),
    );
  }
  await eventually(() => it.server.openWatches.length === 60);

  const client = restClient({ transport: it.transport, fieldManager: 'test', clock: it.clock });
  const { signal } = new AbortController();
  const calls = Array.from({ length: 50 }, () =>
    client.patch(
      configMaps,
      { namespace: 'demo', name: 'a' },
      { type: 'merge', body: { data: {} } },
      { signal },
    ),
  );
  const patches = (): number =>
    it.server.requests.filter(({ method }) => method === 'PATCH').length;
  await eventually(() => patches() === 50);
  const sockets = it.server.openConnections;
  release.resolve();
  await Promise.all(calls);

  expect(sockets).toBeLessThanOrEqual(60 + 64);
  expect(it.server.openWatches).toHaveLength(60);
  expect(it.server.watches).toHaveLength(60);
});

/** Breaks the watch off, and lets 100 000 events of 500 objects (50 MB) happen before the next one. */
function burst(it: Scenario): void {
  it.disconnects();
  const data = { filling: 'x'.repeat(300) };
  for (let n = 0; n < 100_000; n++) it.collection.put(`o-${n % 500}`, { data });
}

test(
  '[H59] 100 000 events at once wait in the socket for a slow handler with back-pressure',
  async () => {
    const it = await scenario();
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const batches: number[] = [];
    const slow = async (changes: readonly unknown[]): Promise<void> => {
      batches.push(changes.length);
      await held.promise;
    };
    it.informer.addHandler(slow, { backpressure: true });
    it.serve();
    void it.run();
    await it.until(() => it.collection.openWatches.length === 1);

    burst(it);
    await it.until(() => it.collection.openWatches.length === 1);
    await eventually(() => batches.length > 0, PATIENT);
    await settleSockets();
    const delivered = it.deliveries.changes.length;
    const unreadBytes = it.collection.openWatches[0]?.unreadBytes ?? 0;
    held.resolve();
    await eventually(() => it.deliveries.changes.length === 100_000, PATIENT);

    // Most of it stays with the server: a reader that takes all would leave nothing.
    expect(delivered).toBeLessThan(5_000);
    expect(unreadBytes).toBeGreaterThan(25 * 1024 * 1024);
    expect(Math.max(...batches)).toBeLessThan(5_000);
    expect(it.asked()).toEqual(['list', 'watch@100', 'watch@100']);
    await it.converges();
  },
  TIMEOUT_MS,
);

test(
  '[H59] 100 000 events at once are merged by object for a slow handler without back-pressure',
  async () => {
    const it = await scenario();
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const told = new Deliveries();
    const slow = it.informer.addHandler(async (changes) => {
      told.take(changes);
      await held.promise;
    });
    it.serve();
    void it.run();
    await it.until(() => it.collection.openWatches.length === 1);

    burst(it);
    await it.until(() => it.collection.openWatches.length === 1);
    await eventually(() => it.deliveries.changes.length === 100_000, PATIENT);
    const waiting = slow.pending;
    held.resolve();
    await eventually(() => slow.pending === 0, PATIENT);
    await it.converges();

    expect(waiting).toBeLessThanOrEqual(1_000);
    expect(told.changes.length).toBeLessThan(5_000);
    expect(told.problems()).toEqual([]);
    expect(told.alive()).toEqual(it.deliveries.alive());
    expect(it.asked()).toEqual(['list', 'watch@100', 'watch@100']);
  },
  TIMEOUT_MS,
);

test(
  '[H60] 20 000 objects of 4 KB are read in pages of 500',
  async () => {
    const it = await scenario();
    const data = { filling: 'x'.repeat(4_000) };
    for (let n = 0; n < 20_000; n++) it.collection.put(`o-${n}`, { data });
    it.serve();

    void it.run();
    await eventually(() => it.informer.synced && it.collection.openWatches.length === 1, PATIENT);

    expect(it.server.reads).toHaveLength(40);
    expect(it.server.reads.every(({ query }) => query.limit === '500')).toBe(true);
    expect(it.informer.store.list()).toHaveLength(20_000);
    expect(it.server.watches.map(({ query }) => query.resourceVersion)).toEqual(['20100']);
    await it.converges();
  },
  TIMEOUT_MS,
);
