import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { nodeHttp } from '../../core/builtin-modules.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { HTTP_HOSTS, isAcceptedHost } from '../settings/accepted-host.ts';
import type { ListenAddress } from '../settings/webhook-listen.ts';

interface HttpListenerOptions extends ListenAddress {
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** Creates the error for an address on which the server cannot listen. The error says what to do. */
  readonly unavailable: (cause: NodeJS.ErrnoException) => ConfigurationError;
  /**
   * Methods that `answer` handles. Their bodies are dropped unless `readsBodies` is set. Default: GET and
   * HEAD.
   */
  readonly methods?: readonly string[];
  /**
   * True if `answer` itself reads the body, and limits the size of the body and the time for it. Default
   * false.
   */
  readonly readsBodies?: boolean;
  /**
   * The limits for open connections. Default: 512 that wait for a request, and 128 that wait for the end of
   * an answer.
   */
  readonly limits?: ConnectionLimits;
  /** Milliseconds that a connection without a request stays open. Default: 5 s. */
  readonly keepAliveMs?: number;
}

/**
 * These limits are higher than the number of connections that kubelets, scrapers and people open at once.
 * Each connection costs a few kilobytes. `waiting` covers all connections that Node accepts at once (its
 * backlog is 511). Otherwise a burst of idle peers could close the connection of a probe whose request has
 * not been read yet.
 */
const LIMITS: ConnectionLimits = { waiting: 512, answering: 128 };

/** A client that neither sends nor reads for this many milliseconds is treated as gone. */
const IDLE_MS = 10_000;

/**
 * How many milliseconds the head of a request may take. A head fits into one packet. The connection of a
 * slower client is closed.
 */
const HEAD_MS = 5_000;

/** Milliseconds between Node's checks for late heads and requests. Node's default is 30 s. */
const LOOK_MS = 1_000;

/**
 * A small HTTP server for probes, metrics and the status page. It limits connections, and `stop` closes it at
 * once.
 */
export class HttpListener {
  readonly #options: HttpListenerOptions;
  readonly #server: Server;
  readonly #limit: ConnectionLimit;

  constructor(options: HttpListenerOptions) {
    const { keepAliveMs, limits = LIMITS, readsBodies = false } = options;
    this.#options = options;
    this.#limit = new ConnectionLimit(limits);
    this.#server = nodeHttp().createServer(
      {
        headersTimeout: HEAD_MS,
        requestTimeout: IDLE_MS,
        connectionsCheckingInterval: LOOK_MS,
        maxHeaderSize: 16_384,
        ...(keepAliveMs !== undefined && { keepAliveTimeout: keepAliveMs }),
      },
      (request, response) => this.#answer(request, response),
    );
    this.#server.on('connection', (socket) => this.#limit.opened(socket));
    this.#server.timeout = readsBodies ? 0 : IDLE_MS; // an answer may take longer
  }

  /** @throws ConfigurationError `CONFIG` when the port is not available. */
  async start(): Promise<void> {
    const { port, host, socket, unavailable } = this.#options;
    // All users may use the socket, because the container on the other side may run as another user.
    if (socket !== undefined) {
      this.#server.listen({ path: socket, readableAll: true, writableAll: true });
    } else {
      // When no host is given, Node falls back to IPv4 on a machine without IPv6.
      this.#server.listen(port, host === '::' ? undefined : host);
    }
    try {
      await once(this.#server, 'listening');
    } catch (cause) {
      throw unavailable(cause as NodeJS.ErrnoException);
    }
  }

  get listening(): boolean {
    return this.#server.listening;
  }

  /** The port that the server listens on. Needed when the configured port was 0. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = this.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /**
   * Accepts no more connections, closes those without a request, and resolves when all other requests have
   * been answered.
   */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#limit.answering(request.socket, response);
    const { methods = ['GET', 'HEAD'], readsBodies = false } = this.#options;
    const isTaken = methods.includes(request.method ?? '');
    if (!isTaken || !readsBodies) request.resume(); // an unread body must not block the connection
    // RFC 9112, section 3.2. Node itself refuses an HTTP/1.1 request without a Host header.
    if ((request.headersDistinct.host?.length ?? 0) > 1) {
      send(response, 400, 'a request must have one Host header\n');
    } else if (isTaken) {
      this.#options.answer(request, response);
    } else {
      response.setHeader('allow', methods.join(', '));
      send(response, 405, 'method not allowed\n');
    }
  }
}

/**
 * The error for a port on which the server cannot listen. The message contains the environment variable that
 * chooses another port.
 */
export function portUnavailable(
  purpose: 'health' | 'metrics',
  { port, host }: ListenAddress,
): (cause: NodeJS.ErrnoException) => ConfigurationError {
  return (cause) => {
    const variable = `CHANCERY_${purpose.toUpperCase()}`;
    const { code = 'unknown' } = cause;
    const problem =
      {
        EADDRINUSE: `is taken: another process listens on it. Set ${variable}_PORT to another port, or to 0 for none`,
        EACCES: `is not allowed to this user. Set ${variable}_PORT to a port from 1024 on, or to 0 for none`,
        EADDRNOTAVAIL: `has an address that this machine does not have. Set ${variable}_HOST to one that it has`,
      }[code] ?? `cannot be listened on. Set ${variable}_PORT or ${variable}_HOST`;
    const context = { port, host, cause: code };
    return new ConfigurationError(`the ${purpose} port ${port} ${problem}`, { cause, context });
  };
}

/**
 * Refuses a request if `isAcceptedHost` does not accept its host: 421, or 400 for an HTTP/1.0 request
 * without a host.
 *
 * @param names - the additional names from the setting `CHANCERY_HTTP_HOSTS`, in lower case.
 * @returns true when the function has answered the request.
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

/** Answers with a body that caches must not store. */
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
  /** Connections without a request: they have sent nothing yet, have sent half a head, or are kept alive. */
  readonly waiting: number;
  /** Connections on which a request is being answered. */
  readonly answering: number;
}

/**
 * Limits the open connections of a server. It accepts every new connection. When there are too many, it
 * closes an old connection: the connection that has waited longest for a request, or the connection on which
 * sending an answer has taken longest, because the peer does not read.
 *
 * If the limit refused new connections instead, idle peers could fill it. The kubelet's probes would be
 * refused, and the kubelet would restart the Pod. A limit per address would not help: on loopback, and behind
 * address translation, peers share the address of the kubelet. There are two separate limits, so that peers
 * that do not read leave enough places for waiting connections.
 */
class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  /** Connections without a request, ordered by how long they have waited, longest first. */
  readonly #waiting = new Set<Socket>();
  /**
   * Connections on which at least one request is being answered, oldest first, with the number of unfinished
   * answers.
   */
  readonly #answering = new Map<Socket, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Call when a connection has been accepted. */
  opened(socket: Socket): void {
    socket.once('close', () => this.#forget(socket));
    this.#wait(socket);
  }

  /** Call when the head of a request is complete. `response` answers it. */
  answering(socket: Socket, response: ServerResponse): void {
    this.#waiting.delete(socket);
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + 1);
    response.once('close', () => this.#answered(socket));
    if (this.#answering.size > this.#limits.answering) this.#close(this.#answering.keys());
  }

  #answered(socket: Socket): void {
    const open = this.#answering.get(socket);
    if (open === undefined) return; // closed in the meantime
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
    this.#forget(oldest); // at once: more connections may open before its close event
    oldest.destroy();
  }

  #forget(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#answering.delete(socket);
  }
}
