import { once } from 'node:events';
import { createSecureServer, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { CertificateAuthority } from '../../../testing/src/apiserver/tls/certificate-authority.ts';

const MiB = 1024 * 1024;

export interface BulkUpstream {
  readonly url: string;
  /** Connections that were made, in the order of making. */
  readonly sessions: ServerHttp2Session[];
  /** Of every path that is no other: its head has been sent, and the test writes its body. */
  readonly watches: Http2ServerResponse[];
  /** How much of the last big body has been written. */
  readonly writtenMiB: () => number;
  stop(): Promise<void>;
  forget(): void;
}

/**
 * An upstream as API servers are, TLS and HTTP/2, for much of everything: `GET /big/64` sends 64 MiB, `PUT`
 * counts what it is sent, `/small` is answered at once, and anything else is a watch.
 */
export async function openBulkUpstream(): Promise<BulkUpstream> {
  const sessions: ServerHttp2Session[] = [];
  const watches: Http2ServerResponse[] = [];
  const block = Buffer.alloc(MiB, 'x');
  let writtenMiB = 0;

  const certificate = new CertificateAuthority().issue(['127.0.0.1']);
  const server = createSecureServer(certificate, async (request, response) => {
    request.on('error', () => {});
    response.on('error', () => {});
    response.stream.on('error', () => {});
    if (request.method === 'PUT') {
      let length = 0;
      for await (const chunk of request) length += (chunk as Buffer).length;
      response.end(JSON.stringify({ length }));
    } else if (request.url.startsWith('/big/')) {
      const bodyMiB = Number(request.url.slice('/big/'.length));
      writtenMiB = 0;
      const blocks = Readable.from(
        (function* () {
          for (; writtenMiB < bodyMiB; writtenMiB++) yield block;
        })(),
      );
      blocks.pipe(response);
    } else if (request.url === '/small') {
      response.end('{}');
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.stream.write(Buffer.alloc(0));
      watches.push(response);
    }
  });
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions,
    watches,
    writtenMiB: () => writtenMiB,
    forget: () => {
      watches.length = 0;
    },
    stop: async () => {
      server.close();
      for (const session of sessions) session.destroy();
    },
  };
}
