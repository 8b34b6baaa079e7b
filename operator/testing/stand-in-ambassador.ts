import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { AmbassadorFilter } from './kubectl-proxy.ts';

const ACCEPT_HOSTS = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Belongs to one connection, and is no business of the next. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-authorization', 'te', 'upgrade']);

/**
 * What `kubectl proxy` does as far as an operator sees it, for machines without kubectl: the same
 * filter, the same refusals, the same answer when the API server is away. It holds no credentials.
 */
export class StandInAmbassador {
  readonly #server: Server;
  readonly #upstream: URL;
  readonly #filter: AmbassadorFilter;

  constructor(options: { readonly server: string; readonly filter: AmbassadorFilter }) {
    this.#upstream = new URL(options.server);
    this.#filter = options.filter;
    this.#server = createServer((request, response) => this.#handle(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async kill(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#accepts(request)) {
      answer(response, 403, 'Forbidden\n');
      return;
    }
    const headers = Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.has(name));
    const upstream = send({
      host: this.#upstream.hostname,
      port: this.#upstream.port,
      method: request.method,
      path: request.url,
      headers: { ...Object.fromEntries(headers), host: this.#upstream.host },
    });
    upstream.on('response', (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      response.flushHeaders();
      pipeline(answered, response, () => {});
    });
    upstream.on('error', (error) => {
      if (response.headersSent) response.destroy();
      else answer(response, 500, `dial tcp ${this.#upstream.host}: connect: ${error.message}`);
    });
    response.on('close', () => upstream.destroy());
    pipeline(request, upstream, () => {});
  }

  #accepts({ url = '/', method = '', headers }: IncomingMessage): boolean {
    const path = decoded(url.split('?', 1)[0] ?? ''); // as kubectl does since 1.30: dots stay
    const host = (headers.host ?? '').replace(/:[0-9]+$/, '');
    const { acceptPaths, rejectPaths, rejectMethods } = this.#filter;
    return (
      path !== undefined &&
      !rejectPaths.some((pattern) => new RegExp(pattern).test(path)) &&
      !rejectMethods.some((pattern) => new RegExp(pattern).test(method)) &&
      acceptPaths.some((pattern) => new RegExp(pattern).test(path)) &&
      ACCEPT_HOSTS.test(host)
    );
  }
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}
