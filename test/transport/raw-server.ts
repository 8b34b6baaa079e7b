import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Transport, TransportRequest } from '../../operator/transport/transport.ts';
import {
  type UndiciTransportOptions,
  undiciTransport,
} from '../../operator/transport/undici-transport.ts';

/** One request as it was on the wire. */
export interface WireRequest {
  /** Request line and headers, without the empty line that ends them. */
  readonly head: string;
  readonly body: string;
  readonly socket: Socket;
}

export interface RawServer {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  readonly sockets: readonly Socket[];
  close(): Promise<void>;
}

/** Answers with the bytes that it returns; with none, the test answers through the socket. */
export type Answer = (request: WireRequest, index: number) => string | undefined;

/** An HTTP server that sends the very bytes that a test wants. Closed when the test ends. */
export async function rawServer(answer: Answer, listen?: ListenOptions): Promise<RawServer> {
  const server = await openRawServer(answer, listen);
  onTestFinished(() => server.close());
  return server;
}

/** The same for several tests: who opens it closes it, and makes it forget what it has received. */
export async function openRawServer(
  answer: Answer,
  listen: ListenOptions = { host: '127.0.0.1', port: 0 },
): Promise<RawServer & { forget(): void }> {
  const requests: WireRequest[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let next = takeRequest(received); next !== undefined; next = takeRequest(received)) {
        received = received.slice(next.length);
        const request = { head: next.head, body: next.body, socket };
        requests.push(request);
        const bytes = answer(request, requests.length - 1);
        if (bytes !== undefined) socket.write(bytes, 'latin1');
      }
    });
  });
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  server.listen(listen);
  await once(server, 'listening');
  const address = server.address();
  const url =
    typeof address === 'string'
      ? `unix:${address}`
      : `http://127.0.0.1:${(address as AddressInfo).port}`;
  const forget = (): void => {
    requests.length = 0;
  };
  return { url, requests, sockets, close, forget };
}

function takeRequest(text: string): { head: string; body: string; length: number } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = end + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  return text.length < length ? undefined : { head, body: text.slice(end + 4, length), length };
}

/** The bytes of an answer with a `content-length`. */
export function answerOf(
  status: number,
  body = '{}',
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} X\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`;
}

/** The head of an answer whose body comes in chunks. */
export const CHUNKED_HEAD: string =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';

/** One chunk of such a body; the empty text is the last one. */
export function chunkOf(text: string): string {
  return `${Buffer.byteLength(text, 'latin1').toString(16)}\r\n${text}\r\n`;
}

/** A transport that is closed when the test ends. */
export function transportTo(url: string, options?: UndiciTransportOptions): Transport {
  const transport = undiciTransport(url, options);
  onTestFinished(() => transport.close());
  return transport;
}

/** A call with a signal that nobody aborts. */
export function request(parts: Partial<TransportRequest> = {}): TransportRequest {
  const { signal } = new AbortController();
  return { method: 'GET', path: '/version', purpose: 'call', signal, ...parts };
}
