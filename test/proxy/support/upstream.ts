import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Upstream {
  readonly url: string;
  /** `METHOD path` of every request, as it stood on the wire. */
  readonly seen: string[];
}

/** Stands in for the API server: remembers what reaches it, and answers `{}`. */
export async function startUpstream(): Promise<Upstream> {
  const upstream = await openUpstream();
  onTestFinished(() => upstream.stop());
  return upstream;
}

/** The same, for who stops it. */
export async function openUpstream(): Promise<
  Upstream & { stop(): Promise<void>; forget(): void }
> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{}');
  });
  server.on('upgrade', (request, socket) => {
    seen.push(`${request.method} ${request.url} upgrade: ${request.headers.upgrade}`);
    socket.on('error', () => {});
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${request.headers.upgrade}\r\n\r\n`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    forget: () => {
      seen.length = 0;
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
