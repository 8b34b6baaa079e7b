import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { nodeHttp } from '../../core/builtin-modules.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { HTTP_HOSTS, isAcceptedHost } from '../settings/accepted-host.ts';

interface HttpListenerOptions {
  /** What the port is for, in error messages. */
  readonly purpose: 'health' | 'metrics';
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * More than kubelets, scrapers and people have open at once; each costs some kilobytes. As many may wait
 * as Node accepts at once (its backlog is 511): of a burst of idle peers none pushes out a probe
 * whose request has not been read yet.
 */
const LIMITS: ConnectionLimits = { waiting: 512, answering: 128 };

/** A client that sends nothing, or reads nothing, for so long is gone. */
const IDLE_MS = 10_000;

/** The head of a request fits into one packet: a client that needs longer has no use for its place. */
const HEAD_MS = 5_000;

/** How often Node looks for heads and requests that are too late; its default is 30 s. */
const LOOK_MS = 1_000;

/** A small HTTP server for machines that ask how the process is: bounded, and gone when told to. */
export class HttpListener {
  readonly #options: HttpListenerOptions;
  readonly #server: Server;
  readonly #limit = new ConnectionLimit(LIMITS);

  constructor(options: HttpListenerOptions) {
    this.#options = options;
    this.#server = nodeHttp().createServer(
      {
        headersTimeout: HEAD_MS,
        requestTimeout: IDLE_MS,
        connectionsCheckingInterval: LOOK_MS,
        maxHeaderSize: 16_384,
      },
      (request, response) => this.#answer(request, response),
    );
    this.#server.on('connection', (socket) => this.#limit.opened(socket));
    this.#server.timeout = IDLE_MS;
  }

  /** @throws ConfigurationError `CONFIG` when the port cannot be had. */
  async start(): Promise<void> {
    const { port, host, purpose } = this.#options;
    // For "all addresses" Node itself falls back to IPv4 on a machine without IPv6.
    this.#server.listen(port, host === '::' ? undefined : host);
    try {
      await once(this.#server, 'listening');
    } catch (cause) {
      throw new ConfigurationError(`${purpose} port cannot be listened on`, {
        cause,
        context: { port, host },
      });
    }
  }

  /** The port that is listened on; of interest when the configured one was 0. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#limit.answering(request.socket, response);
    request.resume(); // a body, which nobody needs, must not hold up the connection
    // RFC 9112, section 3.2. Node itself refuses an HTTP/1.1 request that has none.
    if ((request.headersDistinct.host?.length ?? 0) > 1) {
      send(response, 400, 'a request must have one Host header\n');
    } else if (request.method === 'GET' || request.method === 'HEAD') {
      this.#options.answer(request, response);
    } else {
      response.setHeader('allow', 'GET, HEAD');
      send(response, 405, 'method not allowed\n');
    }
  }
}

/**
 * Answers a request that names a host which `isAcceptedHost` does not accept: 421, and 400 where a
 * request of HTTP/1.0 names none.
 *
 * @param names - of the setting `CHANCERY_HTTP_HOSTS`.
 * @returns true when it has answered.
 */
export function refusesHost(
  { headers: { host } }: IncomingMessage,
  response: ServerResponse,
  names: readonly string[],
): boolean {
  if (host === undefined) send(response, 400, 'a request must have one Host header\n');
  else if (isAcceptedHost(host, names)) return false;
  else send(response, 421, `this host name is not accepted: add it to ${HTTP_HOSTS}\n`);
  return true;
}

/** Answers with text that nothing on the way may keep. */
export function send(
  response: ServerResponse,
  status: number,
  body: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache, no-store',
  });
  response.end(body);
}

export interface ConnectionLimits {
  /** Connections without a request: one that never sent anything, has sent half a head, or is kept alive. */
  readonly waiting: number;
  /** Connections on which a request is being answered. */
  readonly answering: number;
}

/**
 * Bounds the open connections of a server, and still accepts every new one: it closes an old one
 * instead. Of those that wait for a request it closes the one that has waited longest; of those that
 * are being answered the one that has taken longest, because its peer does not read.
 *
 * A limit that refuses new connections would refuse the kubelet's probes as soon as idle peers fill it,
 * and the kubelet would restart the Pod. A limit for each address would not help: on loopback, and
 * behind address translation, peers have the prober's own address. The two limits are apart so that
 * peers that do not read leave the others enough places to wait in.
 */
class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  /** Connections without a request, the one that has waited longest first. */
  readonly #waiting = new Set<Socket>();
  /** The others, with how many of their requests have no complete answer, the oldest first. */
  readonly #answering = new Map<Socket, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** A connection has been accepted. */
  opened(socket: Socket): void {
    socket.once('close', () => this.#forget(socket));
    this.#wait(socket);
  }

  /** The head of a request is complete, and `response` answers it. */
  answering(socket: Socket, response: ServerResponse): void {
    this.#waiting.delete(socket);
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + 1);
    response.once('close', () => this.#answered(socket));
    if (this.#answering.size > this.#limits.answering) this.#close(this.#answering.keys());
  }

  #answered(socket: Socket): void {
    const open = this.#answering.get(socket);
    if (open === undefined) return; // closed meanwhile
    if (open > 1) {
      this.#answering.set(socket, open - 1);
    } else {
      this.#answering.delete(socket);
      if (!socket.destroyed) this.#wait(socket);
    }
  }

  #wait(socket: Socket): void {
    this.#waiting.add(socket);
    if (this.#waiting.size > this.#limits.waiting) this.#close(this.#waiting);
  }

  #close([oldest]: Iterable<Socket>): void {
    if (oldest === undefined) return;
    this.#forget(oldest); // now: its event comes later, and more connections may come before
    oldest.destroy();
  }

  #forget(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#answering.delete(socket);
  }
}
