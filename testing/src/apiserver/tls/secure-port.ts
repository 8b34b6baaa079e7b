import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  Http2SecureServer,
  Http2ServerRequest,
  Http2ServerResponse,
  ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { CertificateAuthority } from './certificate-authority.ts';

export interface TlsOptions {
  /**
   * What the certificate is for beside `localhost`, `127.0.0.1`, `::1` and the address that the server
   * listens on: DNS names and IP addresses.
   */
  readonly names?: readonly string[];
}

/** How a server turns a request away in a way that tells the client: it was not processed. */
export type TurnedAway = 'GOAWAY' | 'REFUSED_STREAM';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Rejection {
  readonly how: TurnedAway;
  readonly wanted: (method: string, path: string) => boolean;
  readonly done: () => void;
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];
/** RFC 9113, section 7. Importing node:http2 for them would cost every server's start. */
const NO_ERROR = 0;
const REFUSED_STREAM = 7;

/**
 * The API server's port with TLS: HTTP/2 for those who ask for it (ALPN), as kubectl does, and
 * HTTP/1.1 for the others. Its certificate authority is its own.
 */
export class SecurePort {
  readonly #names: readonly string[];
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #rejections: Rejection[] = [];
  #authority: CertificateAuthority = new CertificateAuthority();
  #server: Http2SecureServer | undefined;

  /** @param address - that it will listen on. */
  constructor({ names = [] }: TlsOptions, address: string) {
    this.#names = [...new Set([...LOCAL_NAMES, address, ...names])];
  }

  /** PEM of the certificate authority: a client's `certificate-authority`, a Pod's `ca.crt`. */
  get ca(): string {
    return this.#authority.certificate;
  }

  /** HTTP/2 connections that are open. */
  get connections(): number {
    return this.#sessions.size;
  }

  /**
   * A new certificate authority and a certificate by it, for connections made from now on. Clients
   * that trust the old one alone refuse these; open connections go on, as they do in a cluster.
   */
  renewAuthority(): void {
    this.#authority = new CertificateAuthority();
    this.#server?.setSecureContext(this.#authority.issue(this.#names));
  }

  /**
   * Tells every HTTP/2 connection to take no new requests and to end when those under way are done,
   * as kube-apiserver's `--goaway-chance` does to balance load.
   */
  goAway(): void {
    for (const session of this.#sessions) session.close();
  }

  /**
   * Does not process the next request over HTTP/2 that is `wanted`, and says so to its client, which
   * may send it again. It is in no log of requests.
   *
   * @param wanted - default: every request. Told the method and the path without the query.
   * @returns resolves when it has happened.
   */
  turnAway(how: TurnedAway, wanted: Rejection['wanted'] = () => true): Promise<void> {
    return new Promise((done) => {
      this.#rejections.push({ how, wanted, done });
    });
  }

  /** @returns the port, which is `port` unless that is 0. */
  async listen(port: number, address: string, answer: Answer): Promise<number> {
    const { createSecureServer } = process.getBuiltinModule('node:http2');
    const certificate = this.#authority.issue(this.#names);
    const server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
      if (this.#isTurnedAway(request)) return;
      // No header of HTTP/2, which has a field of its own for it.
      if (request.authority) request.headers.host ??= request.authority;
      answer(...compatible(request, response));
    });
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    // A watch is silent for as long as nothing happens.
    server.setTimeout(0);
    server.listen(port, address);
    await once(server, 'listening');
    this.#server = server;
    return (server.address() as AddressInfo).port;
  }

  /** Stops listening and cuts every connection. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #isTurnedAway({ method, url, stream }: Http2ServerRequest): boolean {
    const path = url.split('?', 1)[0] ?? '';
    const index = this.#rejections.findIndex(({ wanted }) => wanted(method, path));
    const rejection = this.#rejections[index];
    const session = stream?.session;
    if (rejection === undefined || !session) return false;
    this.#rejections.splice(index, 1);
    if (rejection.how === 'REFUSED_STREAM') stream.close(REFUSED_STREAM);
    else session.goaway(NO_ERROR, (stream.id ?? 0) - 2); // this one is after the last that counts
    rejection.done();
    return true;
  }
}

/** HTTP/2's requests and answers have what those of HTTP/1.1 have, but for the socket. */
function compatible(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): [IncomingMessage, ServerResponse] {
  return [request as unknown as IncomingMessage, response as unknown as ServerResponse];
}
