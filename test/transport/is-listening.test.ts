import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type ListenOptions } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isListening } from '../../operator/client/connection.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';

/** A listener, and the bytes that were sent to it. */
async function listener(at: ListenOptions) {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (chunk) => received.push(String(chunk)));
    socket.on('error', () => {});
  }).listen(at);
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  onTestFinished(close);
  return { server, received, close };
}

test('[P-18] isListening is true only while a server listens, and sends nothing', async () => {
  const { server, received, close } = await listener({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const before = await isListening(url, systemClock);
  await close();
  const after = await isListening(url, systemClock);

  expect([before, after]).toEqual([true, false]);
  expect(received).toEqual([]);
});

test('[P-18] isListening supports a unix socket that may not exist yet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'api.sock');

  const before = await isListening(`unix:${path}`, systemClock);
  await listener({ path });
  const after = await isListening(`unix:${path}`, systemClock);

  expect([before, after]).toEqual([false, true]);
});

test('isListening refuses a URL that is not the address of an ambassador', () => {
  expect(() => isListening('https://127.0.0.1', systemClock)).toThrow(ConfigurationError);
});
