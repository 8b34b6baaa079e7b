import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nodeHttp } from '../core/builtin-modules.ts';
import { ConfigurationError } from '../core/errors.ts';

export interface HttpListenerOptions {
  /** What the port is for, in error messages. */
  readonly purpose: 'health' | 'metrics';
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
}

/** More than kubelets, scrapers and people have open at once; each costs some kilobytes. */
const MAX_CONNECTIONS = 256;

/** A client that sends nothing, or reads nothing, for so long is gone. */
const IDLE_MS = 10_000;

/** A small HTTP server for machines that ask how the process is: bounded, and gone when told to. */
export class HttpListener {
  readonly #options: HttpListenerOptions;
  readonly #server: Server;

  constructor(options: HttpListenerOptions) {
    this.#options = options;
    this.#server = nodeHttp().createServer(
      { headersTimeout: IDLE_MS, requestTimeout: IDLE_MS, maxHeaderSize: 16_384 },
      (request, response) => this.#answer(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
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
    request.resume(); // a body, which nobody needs, must not hold up the connection
    if (request.method === 'GET' || request.method === 'HEAD') {
      this.#options.answer(request, response);
    } else {
      response.setHeader('allow', 'GET, HEAD');
      send(response, 405, 'method not allowed\n');
    }
  }
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
