import { once } from 'node:events';
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { nodeHttp } from '../../core/builtin-modules.ts';
import type { Clock } from '../../core/clock.ts';
import { isLoopbackHost } from '../../core/loopback.ts';
import { Budget } from './kept-bytes.ts';
import { Passage, type ReadProtobuf } from './passage.ts';
import type { Omission, RecordedExchange, RecordLimits, WatchEnd } from './recorded-exchange.ts';

interface RecorderOptions {
  /** The URL of the proxy to the cluster. Its path has no slash at the end. */
  readonly server: URL;
  readonly clock: Clock;
  readonly limits: RecordLimits;
  readonly readProtobuf: ReadProtobuf;
  /** Called when an exchange has ended. The exchange still contains its secrets. */
  readonly onExchange: (exchange: RecordedExchange | Omission) => void;
}

/**
 * Request headers that are not passed on. Some belong to one connection. Others would allow the
 * server to answer with a compressed body or without a body, and such an answer could not be
 * recorded.
 */
const OF_CONNECTION =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|upgrade|expect|accept-encoding|accept|if-.*)$/;

/** A server on loopback that forwards each request to another server, and reports the exchanges. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #http: Server;
  readonly #budget: Budget;
  /** Exchanges that are not reported yet, each with the request to the server. */
  readonly #open = new Map<Passage, ClientRequest>();
  #startedAt = 0;
  #count = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#budget = new Budget(options.limits.heldBytes);
    this.#http = nodeHttp().createServer((request, response) => this.#pass(request, response));
    this.#http.on('upgrade', (_request: IncomingMessage, socket: Duplex) => refuseUpgrade(socket));
  }

  /**
   * Starts the server. Resolves to its URL when it listens.
   *
   * @throws Error when the port cannot be opened.
   */
  async start(port: number): Promise<string> {
    this.#http.listen(port, '127.0.0.1');
    await once(this.#http, 'listening');
    this.#startedAt = this.#options.clock.monotonic();
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /**
   * Ends all connections. Active exchanges are reported first: watches in their current state, and
   * all other exchanges as omitted.
   */
  async close(): Promise<void> {
    for (const [passage, upstream] of [...this.#open]) {
      this.#finish(passage, passage.isWatch ? 'open' : 'reset');
      upstream.destroy();
    }
    if (!this.#http.listening) return;
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  #now(): number {
    return Math.round(this.#options.clock.monotonic() - this.#startedAt);
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { url = '', method, headers } = request;
    if (!isLoopbackHost(headers.host ?? '') || !url.startsWith('/')) {
      answer(response, 403, 'chancery record answers to the names of loopback only\n');
      return;
    }
    const { server, limits } = this.#options;
    // Change the header before the exchange is recorded, because the recording must contain the
    // request that the server gets.
    headers.accept = readableTypes(headers.accept ?? '*/*');
    const place = { id: ++this.#count, at: this.#now() };
    const passage = new Passage(place, request, limits, this.#budget);
    const upstream = nodeHttp().request({
      hostname: server.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: server.port || 80,
      path: server.pathname.replace(/^\/$/, '') + url,
      ...(method !== undefined && { method }),
      headers: { ...passedOn(request), accept: headers.accept, host: server.host },
      agent: false,
    });
    this.#open.set(passage, upstream);
    request.on('error', () => {}); // the client is gone
    response.on('error', () => {});
    request.on('data', (chunk: Buffer) => passage.addBody(chunk));
    pipeline(request, upstream, () => {});
    upstream.on('response', (answered) => this.#passBack(passage, answered, response));
    upstream.on('error', (error) => this.#failed(passage, response, error));
    response.on('close', () => this.#left(passage, request, upstream));
  }

  #passBack(passage: Passage, answered: IncomingMessage, response: ServerResponse): void {
    passage.begin(answered);
    if (!response.destroyed) {
      response.writeHead(answered.statusCode ?? 502, headersBack(answered));
      response.flushHeaders();
    }
    answered.on('data', (chunk: Buffer) => {
      passage.addAnswer(chunk, this.#now());
      if (response.destroyed) {
        if (passage.isOver) answered.destroy();
        return;
      }
      if (response.write(chunk)) return;
      answered.pause();
      response.once('drain', () => answered.resume());
    });
    response.on('close', () => answered.resume());
    answered.on('end', () => {
      this.#finish(passage, 'eof');
      response.end();
    });
    answered.on('error', () => {}); // 'close' follows
    answered.on('close', () => {
      this.#finish(passage, 'reset');
      if (!response.writableEnded) response.destroy();
    });
  }

  /**
   * Handles a server that cannot be reached, or that has broken the connection before an answer.
   */
  #failed(passage: Passage, response: ServerResponse, error: Error): void {
    if (response.headersSent) return;
    this.#finish(passage, 'reset');
    const { origin } = this.#options.server;
    answer(response, 502, `chancery record: no answer from ${origin}: ${error.message}\n`);
  }

  /**
   * Handles a client that has its answer, or is gone. If the request was complete, the server still
   * carries it out. So the recording waits for the answer.
   */
  #left(passage: Passage, request: IncomingMessage, upstream: ClientRequest): void {
    if (passage.isWatch) {
      this.#finish(passage, 'client closed');
      upstream.destroy();
    } else if (!request.complete) {
      this.#finish(passage, 'reset');
      upstream.destroy();
    }
  }

  /** Reports an exchange, unless it was reported before. */
  #finish(passage: Passage, how: WatchEnd['how']): void {
    if (!this.#open.delete(passage)) return;
    const { onExchange, readProtobuf } = this.#options;
    onExchange(passage.finish({ at: this.#now(), how }, readProtobuf));
  }
}

function passedOn({ headersDistinct }: IncomingMessage): NodeJS.Dict<string[]> {
  return Object.fromEntries(
    Object.entries(headersDistinct).filter(([name]) => !OF_CONNECTION.test(name)),
  );
}

/**
 * Headers of the answer, names and values in turn. Headers about the transfer of the body are
 * omitted, because Node sets them.
 */
function headersBack({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, at) => {
    const name = rawHeaders[at - (at % 2)]?.toLowerCase() ?? '';
    return !/^(?:connection|keep-alive|transfer-encoding|trailer|upgrade)$/.test(name);
  });
}

/**
 * The header `accept` without protobuf, CBOR and YAML, in which secrets cannot be found. Clients
 * that accept one of these types usually accept JSON, too. A client that accepts nothing else gets
 * the requested type, and the body is not recorded.
 */
function readableTypes(accept: string): string {
  const types = accept.split(',').filter((type) => !/protobuf|cbor|yaml/i.test(type));
  return types.length === 0 ? accept : types.join(',').trim();
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

function refuseUpgrade(socket: Duplex): void {
  const text =
    'chancery record does not pass exec, attach and port-forward: use the server itself\n';
  const head = ['HTTP/1.1 501 Not Implemented', 'content-type: text/plain', 'connection: close'];
  const lines = [...head, `content-length: ${text.length}`, '', text];
  socket.on('error', () => {});
  socket.end(lines.join('\r\n'), () => socket.destroy());
}
