/** Lists that come as the initial events of a watch. */

import { settleSockets, stream } from '@chancery/testing';
import { expect, test } from 'vitest';
import { scenario } from './support/scenario.ts';
import { line } from './support/wire.ts';

test('[H55] a streamed list is published at its bookmark, and the watch continues from there', async () => {
  const it = await scenario({ list: 'stream' });
  const a = it.collection.put('a'); // 101
  const b = it.collection.put('b'); // 102
  it.collection.skipTo(500);
  const listed = Promise.withResolvers<void>();
  const live = Promise.withResolvers<string>();
  const metadata = {
    resourceVersion: '500',
    annotations: { 'k8s.io/initial-events-end': 'true' },
  };
  const end = line('BOOKMARK', { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  it.server.on({ watch: true, nth: 1 }, async (exchange) => {
    const initial = [line('ADDED', b), line('ADDED', a), { until: listed.promise }, end];
    await stream(initial, { end: 'hang' })(exchange);
    exchange.response.write(await live.promise);
  });
  it.serve();

  void it.run();
  await it.until(() => it.server.openWatches.length === 1);
  const before = { synced: it.informer.synced, told: [...it.deliveries.told] };
  listed.resolve();
  await it.until(() => it.informer.synced);
  const after = [...it.deliveries.told];
  live.resolve(line('ADDED', it.collection.put('c'))); // 501
  await it.converges();

  expect(before).toEqual({ synced: false, told: [] });
  expect(after.toSorted()).toEqual(['add a@101', 'add b@102']);
  expect(it.deliveries.told.at(-1)).toBe('add c@501');
  expect(it.server.reads).toEqual([]);
  expect(it.server.watches.map(({ query }) => query)).toMatchObject([
    {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    },
  ]);
});

test('[H55] a streamed list that breaks off is not published, and starts over', async () => {
  const it = await scenario({ list: 'stream' });
  const a = it.collection.put('a');
  it.collection.put('b');
  it.server.on({ watch: true, nth: 1 }, stream([line('ADDED', a)], { end: 'cut' }));
  it.serve();

  void it.run();
  await it.until(() => it.server.requests.length >= 1);
  await settleSockets();
  const told = [...it.deliveries.told];
  await it.converges();
  it.disconnects();
  it.collection.put('c');
  await it.converges();

  expect(told).toEqual([]);
  expect(it.server.watches.at(-1)?.query).toMatchObject({ resourceVersion: '102' });
  expect(it.server.watches.filter(({ query }) => query.resourceVersion === '101')).toEqual([]);
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102', 'add c@103']);
});
