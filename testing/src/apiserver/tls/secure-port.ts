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
   * The names in the certificate, besides `localhost`, `127.0.0.1`, `::1` and the address that the
   * server listens on: DNS names and IP addresses.
   */
  readonly names?: readonly string[];
}

/** How a server rejects a request in a way that tells the client that the request was not processed. */
export type TurnedAway = 'GOAWAY' | 'REFUSED_STREAM';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Rejection {
  readonly how: TurnedAway;
  readonly wanted: (method: string, path: string) => boolean;
  readonly done: () => void;
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];
/**
 * Error codes of RFC 9113, section 7. They are repeated here, because importing node:http2 would slow down
 * the start of every server.
 */
const NO_ERROR = 0;
const REFUSED_STREAM = 7;

/**
 * The API server's TLS port. It uses HTTP/2 for clients that request it by ALPN, like kubectl, and HTTP/1.1
 * for all other clients. It has its own certificate authority.
 */
export class SecurePort {
  readonly #names: readonly string[];
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #rejections: Rejection[] = [];
  #authority: CertificateAuthority = new CertificateAuthority();
  #server: Http2SecureServer | undefined;

  /** @param address - the address on which the port will listen. */
  constructor({ names = [] }: TlsOptions, address: string) {
    this.#names = [...new Set([...LOCAL_NAMES, address, ...names])];
  }

  /** The certificate authority in PEM, for a client's `certificate-authority` or a Pod's `ca.crt`. */
  get ca(): string {
    return this.#authority.certificate;
  }

  /** The number of open HTTP/2 connections. */
  get connections(): number {
    return this.#sessions.size;
  }

  /**
   * Creates a new certificate authority, and a certificate that it signs, for new connections. Clients that
   * trust only the old authority refuse new connections. Open connections continue, as in a cluster.
   */
  renewAuthority(): void {
    this.#authority = new CertificateAuthority();
    this.#server?.setSecureContext(this.#authority.issue(this.#names));
  }

  /**
   * Makes every HTTP/2 connection refuse new requests and end after its running requests. kube-apiserver does
   * this for load balancing (`--goaway-chance`).
   */
  goAway(): void {
    for (const session of this.#sessions) session.close();
  }

  /**
   * Rejects the next HTTP/2 request for which `wanted` returns true, and tells its client that the request
   * was not processed. The client may then send the request again. The rejected request is not in the list of
   * requests.
   *
   * @param wanted - decides whether a request matches. It is called with the method and the path without the
   * query. If omitted, every request matches.
   * @returns a promise that resolves when a request was rejected.
   */
  turnAway(how: TurnedAway, wanted: Rejection['wanted'] = () => true): Promise<void> {
    return new Promise((done) => {
      this.#rejections.push({ how, wanted, done });
    });
  }

  /**
   * Opens the port.
   * @returns the number of the port: `port` itself, or any free port if `port` is 0.
   */
  async listen(port: number, address: string, answer: Answer): Promise<number> {
    const { createSecureServer } = process.getBuiltinModule('node:http2');
    const certificate = this.#authority.issue(this.#names);
    const server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
      if (this.#isTurnedAway(request)) return;
      // HTTP/2 has the field `:authority` in place of a Host header.
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
    // A watch is silent while nothing changes, so there is no timeout.
    server.setTimeout(0);
    server.listen(port, address);
    await once(server, 'listening');
    this.#server = server;
    return (server.address() as AddressInfo).port;
  }

  /** Stops listening and closes every connection. */
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
    else session.goaway(NO_ERROR, (stream.id ?? 0) - 2); // after the last processed stream
    rejection.done();
    return true;
  }
}

/**
 * HTTP/2 requests and answers, with the types of HTTP/1.1. They have the same properties, except for the
 * socket.
 */
function compatible(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): [IncomingMessage, ServerResponse] {
  return [request as unknown as IncomingMessage, response as unknown as ServerResponse];
}
