import { once } from 'node:events';
import {
  createSecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { CertificateAuthority } from '../../../testing/src/apiserver/tls/certificate-authority.ts';
import { untilTestEnds } from './kubectl-process.ts';

export interface H2Request {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly stream: ServerHttp2Stream;
  readonly session: Http2Session;
}

export interface H2Upstream {
  readonly url: string;
  /** PEM: who signed its certificate. */
  readonly authority: string;
  /** Every request that arrived, refused ones too. */
  readonly requests: readonly H2Request[];
  /** Connections that were made, in the order of making. */
  readonly sessions: readonly ServerHttp2Session[];
}

/** An upstream as API servers are, TLS and HTTP/2; `handle` answers through the stream. */
export async function startH2Upstream(
  handle: (request: H2Request, index: number) => void,
): Promise<H2Upstream> {
  return untilTestEnds(openH2Upstream(handle));
}

/** The same, for who stops it. */
export async function openH2Upstream(
  handle: (request: H2Request, index: number) => void,
): Promise<H2Upstream & { stop(): Promise<void>; forget(): void }> {
  const requests: H2Request[] = [];
  const sessions: ServerHttp2Session[] = [];
  const authority = new CertificateAuthority();
  const server = createSecureServer(authority.issue(['127.0.0.1']));
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
  });
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => {});
    const { session } = stream;
    const body = await text(stream).catch(() => '');
    if (session === undefined) return;
    const method = headers[':method'] ?? '';
    const path = headers[':path'] ?? '';
    requests.push({ method, path, headers, body, stream, session });
    handle({ method, path, headers, body, stream, session }, requests.length - 1);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority: authority.certificate,
    requests,
    sessions,
    forget: () => {
      requests.length = 0;
    },
    stop: async () => {
      server.close();
      for (const session of sessions) session.destroy();
    },
  };
}

/** Answers with JSON. */
export function answer(stream: ServerHttp2Stream, status: number, body: object): void {
  stream.respond({ ':status': status, 'content-type': 'application/json' });
  stream.end(JSON.stringify(body));
}
