/** Back-pressure and endings of one exchange, without a socket: each turn is the test's. */

import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { Exchange } from '../../operator/transport/exchange.ts';
import type { TransportRequest, TransportResponse } from '../../operator/transport/transport.ts';
import { request } from './raw-server.ts';

/** The HTTP library's side of an exchange, and whether it may read from the socket. */
class Connection {
  paused = false;
  aborted: Error | undefined;

  abort(reason: Error): void {
    this.aborted = reason;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}

async function answered(purpose: TransportRequest['purpose'] = 'watch'): Promise<{
  exchange: Exchange;
  connection: Connection;
  response: TransportResponse;
}> {
  const limits = { headersTimeoutMs: 1_000, deadlineMs: undefined };
  const exchange = new Exchange(request({ purpose }), limits, new FakeClock());
  const connection = new Connection();
  const head = exchange.start();
  exchange.onRequestStart(connection);
  exchange.onResponseStart(connection, 200, {});
  const response = await head;
  return { exchange, connection, response };
}

test.each([
  ['watch', 16],
  ['call', 64],
] as const)('[W-11] the socket of a %s is paused at %i KiB of unread data, and resumed by a reader', async (purpose, heldKiB) => {
  const { exchange, connection, response } = await answered(purpose);

  let sentBytes = 0;
  while (!connection.paused) {
    exchange.onResponseData(connection, Buffer.alloc(1_024));
    sentBytes += 1_024;
  }
  await settle();
  const isPausedUnread = connection.paused;
  response.body.read();
  await settle();

  expect(sentBytes).toBe(heldKiB * 1_024);
  expect(isPausedUnread).toBe(true);
  expect(connection.paused).toBe(false);
});

test('[W-11] data that arrived before the pause is read completely and in order', async () => {
  const { exchange, connection, response } = await answered();
  const chunks = Array.from({ length: 200 }, (_, at) => Buffer.alloc(1_024, at));

  for (const chunk of chunks) exchange.onResponseData(connection, chunk);
  exchange.onResponseEnd();
  const read = Buffer.concat(await response.body.toArray());

  expect(read.equals(Buffer.concat(chunks))).toBe(true);
  expect(connection.aborted).toBeUndefined();
});

test('[P-6] data that arrives after the reader left is dropped, and the connection is closed', async () => {
  const { exchange, connection, response } = await answered();
  const seen: unknown[] = [];
  response.body.on('data', (chunk) => seen.push(chunk));

  response.body.destroy();
  exchange.onResponseData(connection, Buffer.from('late'));
  await settle();

  expect(seen).toEqual([]);
  expect(connection.aborted).toBeInstanceOf(Error);
});
