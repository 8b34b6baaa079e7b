/** Watches that begin with more than their client has to read before a slow one is turned away. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../support/cluster.ts';
import { summary, watch } from '../support/watched.ts';

const OBJECTS = 1_500;

async function startFull(bytes = 500): Promise<TestCluster & { first: string }> {
  const cluster = await startCluster({ watchBufferEvents: 100 });
  const { metadata } = cluster.server.create(configMap('first')) as {
    metadata: { resourceVersion?: string };
  };
  for (let i = 0; i < OBJECTS; i++) {
    cluster.server.create(configMap(`c-${i}`, {}, { text: 'x'.repeat(bytes) }));
  }
  return { ...cluster, first: metadata.resourceVersion ?? '' };
}

test('a watch from resourceVersion 0 gets every object of a long list, and then later events', async () => {
  const cluster = await startFull();

  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=0`);
  const found = await watched.take(OBJECTS + 1);
  cluster.server.create(configMap('later'));

  expect(new Set(found.map(summary)).size).toBe(OBJECTS + 1);
  expect(summary((await watched.next()) as never)).toBe('ADDED later');
});

test('a watch that resumes before many past events gets all of them, and then later events', async () => {
  const cluster = await startFull();

  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${cluster.first}`);
  cluster.server.delete('v1', 'ConfigMap', 'default', 'c-7');
  const found = await watched.take(OBJECTS + 1);

  expect(found.map(summary)).toEqual([
    ...Array.from({ length: OBJECTS }, (_, i) => `ADDED c-${i}`),
    'DELETED c-7',
  ]);
});

test('if events happen while a long initial state is sent, they arrive in order, after the state and its bookmark', async () => {
  const cluster = await startFull();
  const query =
    'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const reading = await unread(cluster, `${CONFIG_MAPS}?${query}`);
  for (let i = 0; i < 50; i++) cluster.server.create(configMap(`meanwhile-${i}`));

  const lines = await linesOf(reading, OBJECTS + 1 + 1 + 50);

  const end = lines.findIndex(({ type }) => type === 'BOOKMARK');
  expect(end).toBe(OBJECTS + 1);
  expect(lines.slice(end + 1).map(summary)).toEqual(
    Array.from({ length: 50 }, (_, i) => `ADDED meanwhile-${i}`),
  );
});

test('a client that does not read its initial state is disconnected when too many events follow', async () => {
  // More than the sockets of this machine take.
  const cluster = await startFull(10_000);
  const reading = await unread(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=0`);

  for (let i = 0; i < 150; i++) cluster.server.create(configMap(`meanwhile-${i}`));
  const found = await linesOf(reading, Number.POSITIVE_INFINITY);

  expect(found.length).toBeLessThan(OBJECTS + 1);
  await expect.poll(() => cluster.server.openWatches).toBe(0);
});

/** A watch whose client has seen its headers, and reads nothing yet. */
async function unread({ server }: TestCluster, path: string): Promise<IncomingMessage> {
  const sent = request(server.url + path);
  onTestFinished(() => void sent.destroy());
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function linesOf(
  response: IncomingMessage,
  count: number,
  // biome-ignore lint/suspicious/noExplicitAny: a test reads into an event that it asserts about
): Promise<readonly { readonly type: string; readonly object: any }[]> {
  const lines: string[] = [];
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    if (lines.length >= count) break;
  }
  return lines.map((line) => JSON.parse(line));
}
