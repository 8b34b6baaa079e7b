import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../src/apiserver/api-server.ts';
import { settleSockets } from '../src/faults/settle-sockets.ts';
import { TcpProxy } from '../src/faults/tcp-proxy.ts';
import { listenAgain } from '../src/listen-again.ts';

/** Another program on a port. */
async function stranger(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

test('a server that is started again waits until its port is free', async () => {
  const api = await ApiServer.start();
  onTestFinished(() => api.close());
  const proxy = new TcpProxy({ port: api.port });
  await proxy.start();
  onTestFinished(() => proxy.close());
  await api.stop();
  proxy.refuse();
  const ports = [api.port, proxy.port];
  const strangers = await Promise.all(ports.map(stranger));

  const backs = Promise.all([api.listen(), proxy.accept()]);
  await settleSockets();
  for (const server of strangers) server.close();
  await backs;

  expect([api.port, proxy.port]).toEqual(ports);
  expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200);
});

test('a port that was asked for and is taken fails at once', async () => {
  const taken = await stranger(0);
  const { port } = taken.address() as { port: number };

  await expect(ApiServer.start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('any other error is passed on', async () => {
  const error = Object.assign(new Error('not allowed'), { code: 'EACCES' });
  let calls = 0;

  const listening = listenAgain(() => {
    calls++;
    return Promise.reject(error);
  });

  await expect(listening).rejects.toBe(error);
  expect(calls).toBe(1);
});
