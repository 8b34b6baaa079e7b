import { expect, test } from 'vitest';
import { FakeClock } from '../../src/time/fake-clock.ts';
import { settle } from '../../src/time/settle.ts';
import { CONFIG_MAPS, configMap, startCluster } from './support/cluster.ts';
import { summary, watch } from './support/watched.ts';

test('a watch from a resourceVersion gets past and future events', async () => {
  const cluster = await startCluster();
  const first = cluster.server.create(configMap('a'));
  cluster.server.create(configMap('b'));

  const watched = await watch(
    cluster,
    `${CONFIG_MAPS}?watch=1&resourceVersion=${first.metadata.resourceVersion}`,
  );
  const before = await watched.next();
  cluster.server.patch('v1', 'ConfigMap', 'default', 'b', { data: { k: 'w' } });
  cluster.server.delete('v1', 'ConfigMap', 'default', 'b');
  const after = await watched.take(2);

  expect([before, ...after].map((line) => line && summary(line))).toEqual([
    'ADDED b',
    'MODIFIED b',
    'DELETED b',
  ]);
  expect(after[1]?.object.data).toEqual({ k: 'w' });
  const [modified, deleted] = after.map(({ object }) => Number(object.metadata.resourceVersion));
  expect(deleted).toBe(Number(modified) + 1);
});

test.each([
  '',
  '&resourceVersion=0',
])('a watch%s without a resourceVersion begins with the existing objects, in the order of names', async (from) => {
  const cluster = await startCluster();
  for (const name of ['b', 'c', 'a']) cluster.server.create(configMap(name));

  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1${from}`);
  const lines = await watched.take(4);

  expect(lines.slice(0, 3).map(summary)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
  expect(lines[3]).toMatchObject({
    type: 'BOOKMARK',
    object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
});

test('a watch without bookmarks gets no marker at the end of the initial state', async () => {
  const cluster = await startCluster();
  const path = `${CONFIG_MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;

  const watched = await watch(cluster, path);
  cluster.server.create(configMap('a'));

  expect(summary((await watched.next()) as never)).toBe('ADDED a');
});

test('[W-17] [F-2] a watch with a label selector gets DELETED when an object stops matching, and ADDED when it starts matching', async () => {
  const cluster = await startCluster();
  cluster.server.create(configMap('a', { labels: { app: 'web' } }));
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&labelSelector=app%3Dweb`);
  await watched.next();

  for (const app of ['other', 'another', 'web']) {
    cluster.server.patch('v1', 'ConfigMap', 'default', 'a', { metadata: { labels: { app } } });
  }
  const [left, entered] = await watched.take(2);

  expect(left).toMatchObject({ type: 'DELETED', object: { metadata: { labels: { app: 'web' } } } });
  expect(entered).toMatchObject({
    type: 'ADDED',
    object: { metadata: { labels: { app: 'web' } } },
  });
  const between = Number(entered?.object.metadata.resourceVersion);
  expect(Number(left?.object.metadata.resourceVersion)).toBe(between - 2);
});

test('a watch of one namespace or one name gets no events of other objects', async () => {
  const cluster = await startCluster();
  const one = await watch(cluster, `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Db`);
  const all = await watch(cluster, '/api/v1/configmaps?watch=1');

  cluster.server.create(configMap('a'));
  cluster.server.create(configMap('b', { namespace: 'kube-system' }));
  cluster.server.create(configMap('b'));

  expect((await all.take(3)).map(summary)).toEqual(['ADDED a', 'ADDED b', 'ADDED b']);
  expect((await one.next())?.object.metadata).toMatchObject({ name: 'b', namespace: 'default' });
});

test('[F-1] a write without effect causes no event and no new resourceVersion', async () => {
  const cluster = await startCluster();
  const created = await cluster.send('POST', CONFIG_MAPS, configMap('a'));
  const watched = await watch(
    cluster,
    `${CONFIG_MAPS}?watch=1&resourceVersion=${rv(created.body)}`,
  );

  const same = await cluster.send('PATCH', `${CONFIG_MAPS}/a`, { data: { k: 'v' } });
  const other = await cluster.send('PATCH', `${CONFIG_MAPS}/a`, { data: { k: 'w' } });

  expect(rv(same.body)).toBe(rv(created.body));
  expect(Number(rv(other.body))).toBe(Number(rv(created.body)) + 1);
  expect((await watched.next())?.object.data).toEqual({ k: 'w' });
});

test('[F-2] a watch from compacted history is answered 200 with one ERROR event', async () => {
  const cluster = await startCluster();
  const created = cluster.server.create(configMap('a'));
  cluster.server.patch('v1', 'ConfigMap', 'default', 'a', { data: { k: 'w' } });
  cluster.server.compact();

  const path = `${CONFIG_MAPS}?watch=1&resourceVersion=${rv(created)}`;
  const watched = await watch(cluster, path);

  expect(watched.status).toBe(200);
  expect(await watched.rest()).toEqual([
    {
      type: 'ERROR',
      object: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `too old resource version: ${rv(created)} (${Number(rv(created)) + 1})`,
        reason: 'Expired',
        code: 410,
      },
    },
  ]);
});

test('[F-2] history beyond historyLimit is dropped, beginning with the oldest events', async () => {
  const cluster = await startCluster({ historyLimit: 2 });
  const first = cluster.server.create(configMap('a'));
  for (const k of ['1', '2']) {
    cluster.server.patch('v1', 'ConfigMap', 'default', 'a', { data: { k } });
  }

  const within = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${rv(first)}`);
  const before = Number(rv(first)) - 1;
  const beyond = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${before}`);

  expect((await within.take(2)).map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED']);
  expect((await beyond.next())?.type).toBe('ERROR');
});

test('[F-2] a watch ends without an error after timeoutSeconds, with a last bookmark', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock });
  const created = cluster.server.create(configMap('a'));
  const watched = await watch(
    cluster,
    `${CONFIG_MAPS}?watch=1&resourceVersion=${rv(created)}&allowWatchBookmarks=1&timeoutSeconds=90`,
  );
  const later = cluster.server.create(configMap('b'));

  clock.advance(90_000);
  const lines = await watched.rest();

  const bookmark = {
    type: 'BOOKMARK',
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: rv(later) } },
  };
  expect(lines.slice(1)).toEqual([bookmark, bookmark]);
});

test('a closed watch no longer counts as open', async () => {
  const cluster = await startCluster();
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1`);
  expect(cluster.server.openWatches).toBe(1);

  cluster.server.closeWatches('clean');

  expect(await watched.rest()).toEqual([]);
  await expect.poll(() => cluster.server.openWatches).toBe(0);
});

test('a watch that is reset ends with a broken connection', async () => {
  const cluster = await startCluster();
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1`);

  cluster.server.closeWatches('reset');

  await expect(watched.rest()).rejects.toThrow('terminated');
});

test('a list at a future resourceVersion fails after three seconds, unless that version is reached', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock });
  const created = cluster.server.create(configMap('a'));
  const next = Number(rv(created)) + 1;
  const waiting = cluster.send('GET', `${CONFIG_MAPS}?resourceVersion=${next}`);
  const hopeless = cluster.send('GET', `${CONFIG_MAPS}?resourceVersion=99999`);
  await expect.poll(() => clock.pending).toBe(2);

  cluster.server.create(configMap('b'));
  clock.advance(3_000);
  await settle();

  expect((await waiting).status).toBe(200);
  const failed = await hopeless;
  expect(failed.status).toBe(504);
  expect(failed.headers.get('retry-after')).toBe('1');
  expect(failed.body.details.causes).toEqual([
    { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
  ]);
});

function rv({ metadata }: { metadata: { resourceVersion?: string } }): string {
  return metadata.resourceVersion ?? '';
}
