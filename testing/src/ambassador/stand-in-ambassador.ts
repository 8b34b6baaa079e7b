import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream';
import { isLoopbackHost } from 'chancery/internal-objects';
import { TcpProxy } from '../faults/tcp-proxy.ts';
import type { AmbassadorFilter } from './kubectl-proxy.ts';

/** An `import` of node:http would also load WebSocket and fetch, and each start would take 30 ms longer. */
const { createServer, request: send } = process.getBuiltinModule('node:http');

/** Headers that apply to one connection, and are not forwarded. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-authorization', 'te', 'upgrade']);

/** The defaults of kubectl proxy: `--accept-paths`, `--reject-paths`, `--reject-methods`. */
const DEFAULT_FILTER: AmbassadorFilter = {
  acceptPaths: ['^.*'],
  rejectPaths: ['^/api/.*/pods/.*/exec', '^/api/.*/pods/.*/attach'],
  rejectMethods: ['^$'],
};

/**
 * Behaves like `kubectl proxy` as far as an operator notices, for machines without kubectl: the
 * same filter, the same refusals, and the same answer when the API server is unreachable. It has no
 * credentials.
 */
export class StandInAmbassador {
  readonly #upstream: URL;
  readonly #filter: AmbassadorFilter;
  #server: Server | undefined;
  /** A proxy that listens in front of the server. It can freeze connections, and it keeps its port. */
  #line: TcpProxy | undefined;
  #port = 0;

  constructor(options: { readonly server: string; readonly filter?: AmbassadorFilter }) {
    this.#upstream = new URL(options.server);
    this.#filter = options.filter ?? DEFAULT_FILTER;
  }

  /** The URL of the stand-in: `http://127.0.0.1:PORT`. After a restart, the port is the same. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Resolves when the stand-in listens. After `kill`, it can be started again on the same port. */
  async start(): Promise<void> {
    const server = createServer((request, response) => this.#handle(request, response));
    this.#server = server;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const line = new TcpProxy({ port: (server.address() as AddressInfo).port });
    this.#line = line;
    await line.start(this.#port);
    this.#port = line.port;
  }

  /** Ends the stand-in at once, like a crash: its connections break. Further calls do nothing. */
  async kill(): Promise<void> {
    const [server, line] = [this.#server, this.#line];
    if (server === undefined || line === undefined) return;
    this.#server = undefined;
    this.#line = undefined;
    await line.close();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  /** Keeps connections open without answering, until `thaw`. */
  freeze(): void {
    this.#line?.freeze();
  }

  thaw(): void {
    this.#line?.thaw();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const tidied = tidiedUrl(request.url ?? '/');
    if (tidied !== undefined) {
      redirect(request, response, tidied);
      return;
    }
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
    const path = decoded(url.split('?', 1)[0] ?? ''); // dots are kept, like in kubectl since 1.30
    const { acceptPaths, rejectPaths, rejectMethods } = this.#filter;
    return (
      path !== undefined &&
      !rejectPaths.some((pattern) => new RegExp(pattern).test(path)) &&
      !rejectMethods.some((pattern) => new RegExp(pattern).test(method)) &&
      acceptPaths.some((pattern) => new RegExp(pattern).test(path)) &&
      isLoopbackHost(headers.host ?? '')
    );
  }
}

/**
 * The URL to which kubectl redirects a client whose path has double slashes or dots. Go's multiplexer cleans
 * paths before kubectl's filter (`cleanPath` in net/http). Encoded characters are not decoded, and their
 * percent signs are encoded again.
 *
 * @returns undefined for a clean path.
 */
function tidiedUrl(url: string): string | undefined {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const tidy = posix.normalize(path.startsWith('/') ? path : `/${path}`);
  if (tidy === path) return undefined;
  return tidy.replaceAll('%', '%25') + (mark < 0 ? '' : url.slice(mark));
}

function redirect({ method }: IncomingMessage, response: ServerResponse, location: string): void {
  const isRead = method === 'GET' || method === 'HEAD';
  response.writeHead(301, {
    location,
    ...(isRead ? { 'content-type': 'text/html; charset=utf-8' } : {}),
  });
  const text = `<a href="${htmlText(location)}">Moved Permanently</a>.\n\n`;
  response.end(method === 'GET' ? text : undefined);
}

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML[character] ?? character);
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
