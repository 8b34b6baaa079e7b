import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listenAgain, reservePort } from '../../src/ports/listen-again.ts';

async function listening(port = 0): Promise<Server> {
  const server = createServer((socket) => socket.end());
  onTestFinished(() => void server.close());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** `connected`, or the code of the error. */
function connecting(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve) => {
    socket.on('connect', () => resolve('connected'));
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
  });
}

test('a reserved port refuses connections, and a server can listen on it again', async () => {
  const server = await listening();
  const port = portOf(server);
  server.close();

  const release = await reservePort(port);
  const meanwhile = await connecting(port);
  await listening(port);
  release();

  expect(meanwhile).toBe('ECONNREFUSED');
  expect(await connecting(port)).toBe('connected');
});

test('listenAgain waits for a port that another server uses', async () => {
  const taken = await listening();
  const port = portOf(taken);
  let tries = 0;

  const server = await listenAgain(async () => {
    if (++tries === 2) taken.close();
    return listening(port);
  });

  expect(tries).toBeGreaterThan(1);
  expect(portOf(server)).toBe(port);
});
