import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../support/cluster.ts';
import { watch } from '../support/watched.ts';

/** A watch whose client does not read; `read` lets it, until the server has closed. */
async function unreadWatch({ server }: TestCluster): Promise<{ read(): Promise<string> }> {
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write(`GET ${CONFIG_MAPS}?watch=1&resourceVersion=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await expect.poll(() => server.openWatches).toBe(1);
  return {
    async read() {
      let text = '';
      const ended = new Promise<string>((resolve) => {
        socket.on('data', (chunk) => {
          text += String(chunk);
          if (text.endsWith('0\r\n\r\n')) resolve(text);
        });
      });
      socket.resume();
      return ended;
    },
  };
}

/** Writes changes of 100 kB, one in each turn of the event loop. */
async function writeMany({ server }: TestCluster, count: number): Promise<void> {
  server.create(configMap('big'));
  for (let i = 0; i < count; i++) {
    server.patch('v1', 'ConfigMap', 'default', 'big', {
      data: { i: `${i}${'x'.repeat(100_000)}` },
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('[F-2] the watch of a client with too many unread events ends without an error', async () => {
  const cluster = await startCluster({ watchBufferEvents: 20 });
  const watched = await unreadWatch(cluster);

  await writeMany(cluster, 200);
  const text = await watched.read();

  const events = text.match(/"type":"MODIFIED"/g)?.length ?? 0;
  expect(events).toBeGreaterThanOrEqual(20);
  expect(events).toBeLessThan(200);
  await expect.poll(() => cluster.server.openWatches).toBe(0);
});

test('[F-2] the watch of a client with too many unread bytes ends', async () => {
  const cluster = await startCluster({ watchBufferBytes: 1_000_000 });
  const watched = await unreadWatch(cluster);

  await writeMany(cluster, 200);
  const text = await watched.read();

  expect(text.match(/"type":"MODIFIED"/g)?.length ?? 0).toBeLessThan(200);
});

test('[F-2] a client that reads keeps its watch, however many events it gets', async () => {
  const cluster = await startCluster({ watchBufferEvents: 20 });
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=1`);
  cluster.server.create(configMap('big'));

  for (let i = 0; i < 50; i++) {
    cluster.server.patch('v1', 'ConfigMap', 'default', 'big', { data: { i: `${i}` } });
    await watched.next();
  }

  expect(cluster.server.openWatches).toBe(1);
});
