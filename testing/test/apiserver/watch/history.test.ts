import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { CONFIG_MAPS, configMap, startCluster } from '../support/cluster.ts';
import { summary, watch } from '../support/watched.ts';

const EVENTS = '/api/v1/namespaces/default/events';

function event(name: string): KubernetesObject {
  const fields = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
    reason: 'Tested',
    message: 'a test writes this',
    type: 'Normal',
    source: { component: 'test' },
  };
  return fields;
}

test('[F-2] a watch of Events from compacted history gets the message of etcd', async () => {
  const cluster = await startCluster();
  const first = cluster.server.create(event('a.1')).metadata.resourceVersion;
  cluster.server.create(event('a.2'));

  cluster.server.compact('pages');
  const watched = await watch(cluster, `${EVENTS}?watch=1&resourceVersion=${first}`);

  expect(watched.status).toBe(200);
  expect(await watched.rest()).toEqual([
    {
      type: 'ERROR',
      object: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'The resourceVersion for the provided watch is too old.',
        reason: 'Expired',
        code: 410,
      },
    },
  ]);
});

test('[F-2] the option `uncached` lists the resources that have no watch cache', async () => {
  const cluster = await startCluster({ uncached: ['configmaps'] });
  const first = cluster.server.create(configMap('a')).metadata.resourceVersion;
  cluster.server.create(configMap('b'));

  cluster.server.compact('pages');
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${first}`);

  expect((await watched.next())?.object.message).toBe(
    'The resourceVersion for the provided watch is too old.',
  );
});

test('[F-2] an etcd compaction does not shorten the window of the watch cache', async () => {
  const cluster = await startCluster();
  const first = cluster.server.create(configMap('a')).metadata.resourceVersion;
  cluster.server.create(configMap('b'));

  cluster.server.compact('pages');
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${first}`);

  expect(summary((await watched.next()) as never)).toBe('ADDED b');
});

test('[F-2] when a cache is refilled, its watches end, and older watches cannot resume', async () => {
  const cluster = await startCluster();
  const first = cluster.server.create(configMap('a')).metadata.resourceVersion;
  const second = cluster.server.create(configMap('b')).metadata.resourceVersion;
  const open = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${second}`);

  cluster.server.refillCache('v1', 'ConfigMap');
  const again = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${first}`);

  expect(await open.rest()).toEqual([]);
  expect((await again.next())?.object).toMatchObject({
    code: 410,
    message: `too old resource version: ${first} (${second})`,
  });
});

test('[F-2] a watch from a future resourceVersion gets no events until that version is reached', async () => {
  const cluster = await startCluster();
  const now = Number(cluster.server.create(configMap('a')).metadata.resourceVersion);

  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${now + 2}`);
  for (const name of ['b', 'c', 'd']) cluster.server.create(configMap(name));

  expect(summary((await watched.next()) as never)).toBe('ADDED d');
});

test('[F-2] a watch from a malformed resourceVersion is answered 500 without a reason, and a list is answered 400', async () => {
  const cluster = await startCluster();

  const watched = await cluster.send('GET', `${CONFIG_MAPS}?watch=1&resourceVersion=abc`);
  const listed = await cluster.send('GET', `${CONFIG_MAPS}?resourceVersion=abc`);

  expect(watched.body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message:
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    code: 500,
  });
  expect(listed.body).toMatchObject({ code: 400, reason: 'BadRequest' });
});

test('[F-2] watches of one namespace and of all namespaces get each deletion once', async () => {
  const cluster = await startCluster();
  const a = cluster.server.create(configMap('a'));
  const from = `watch=1&resourceVersion=${a.metadata.resourceVersion}`;
  const namespaced = await watch(cluster, `${CONFIG_MAPS}?${from}`);
  const everywhere = await watch(cluster, `/api/v1/configmaps?${from}`);
  const elsewhere = await watch(cluster, `/api/v1/namespaces/kube-system/configmaps?${from}`);

  cluster.server.delete('v1', 'ConfigMap', 'default', 'a');
  cluster.server.create(configMap('b'));
  cluster.server.create(configMap('c', { namespace: 'kube-system' }));

  expect((await namespaced.take(2)).map(summary)).toEqual(['DELETED a', 'ADDED b']);
  expect((await everywhere.take(3)).map(summary)).toEqual(['DELETED a', 'ADDED b', 'ADDED c']);
  expect(summary((await elsewhere.next()) as never)).toBe('ADDED c');
});

test('[F-2] a watch with a label selector gets no event for the deletion of an object that no longer matches', async () => {
  const cluster = await startCluster();
  cluster.server.create(configMap('a', { labels: { app: 'web' } }));
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&labelSelector=app%3Dweb`);
  await watched.next();

  cluster.server.patch('v1', 'ConfigMap', 'default', 'a', { metadata: { labels: { app: 'x' } } });
  cluster.server.delete('v1', 'ConfigMap', 'default', 'a');
  cluster.server.create(configMap('b', { labels: { app: 'web' } }));

  expect((await watched.take(2)).map(summary)).toEqual(['DELETED a', 'ADDED b']);
});

test('[F-2] a watch without timeoutSeconds ends after minRequestTimeoutSeconds', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock, minRequestTimeoutSeconds: 10 });
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=1`);

  clock.advance(9_999);
  const open = cluster.server.openWatches;
  clock.advance(1);

  expect(open).toBe(1);
  expect(await watched.rest()).toEqual([]);
});

test('a watch leaves no timer behind, however it ends', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock });
  const before = clock.pending;
  const path = `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=100`;
  await watch(cluster, path);
  await watch(cluster, `${path}&resourceVersion=1`);

  cluster.server.closeWatches('clean');

  await expect.poll(() => cluster.server.openWatches).toBe(0);
  expect(clock.pending).toBe(before);
});
