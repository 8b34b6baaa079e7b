import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import process from 'node:process';
import type { Clock } from 'chancery';
import { systemClock } from 'chancery/internal-objects';
import type { Reply, ServedRequest } from './exchange.ts';
import { text } from './replies.ts';

/** An `import` of node:http would also load WebSocket and fetch, and each start would take 30 ms longer. */
const { createServer } = process.getBuiltinModule('node:http');

/** Selects the requests that a reply is for. An absent field matches every request. */
export interface RequestMatch {
  readonly method?: string;
  /** The complete path without the query, or a pattern that the path must contain. */
  readonly path?: string | RegExp;
  readonly watch?: boolean;
  /**
   * Which of the matching requests are selected, counted from 1: only one request, or all requests from the
   * first to the second number.
   */
  readonly nth?: number | readonly [from: number, to: number];
}

interface Rule {
  readonly match: RequestMatch;
  readonly reply: Reply;
  seen: number;
}

type Recorded = { -readonly [Name in keyof ServedRequest]: ServedRequest[Name] };

export interface ScriptedServerOptions {
  /**
   * The clock for the times of arrival and for the delays in replies. If omitted, the server uses the system
   * clock.
   */
  readonly clock?: Clock;
}

/**
 * An HTTP server on the loopback that gives the answers of its script, right or wrong, and records
 * every request.
 *
 * The first matching rule answers, in the order in which rules were added. Each rule counts its own
 * requests. A request that no rule matches gets `404 page not found`. To serve a stateful
 * collection, add a rule for it last: `server.on({ path: things.path }, things.reply)`.
 */
export class ScriptedServer {
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #rules: Rule[] = [];
  readonly #requests: Recorded[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #running = new Set<Promise<void>>();
  readonly #bugs: unknown[] = [];
  #accepted = 0;

  constructor({ clock = systemClock }: ScriptedServerOptions = {}) {
    this.#clock = clock;
    // All timeouts of node:http are off, so that only the test closes connections.
    const patience = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };
    this.#server = createServer(patience, (request, response) => this.#take(request, response));
    this.#server.on('connection', (socket: Socket) => {
      this.#accepted++;
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Every request so far, in the order of arrival. */
  get requests(): readonly ServedRequest[] {
    return this.#requests;
  }

  /** All requests so far that are watches. */
  get watches(): readonly ServedRequest[] {
    return this.#requests.filter(({ isWatch }) => isWatch);
  }

  /** GET requests that are not watches: lists, and reads of single objects. */
  get reads(): readonly ServedRequest[] {
    return this.#requests.filter(({ isWatch, method }) => method === 'GET' && !isWatch);
  }

  get openWatches(): readonly ServedRequest[] {
    return this.watches.filter(({ closed }) => !closed);
  }

  /** The number of open connections. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  /** The number of connections that were ever opened. */
  get acceptedCount(): number {
    return this.#accepted;
  }

  /** Answers matching requests with `reply`. */
  on(match: RequestMatch, reply: Reply): this {
    this.#rules.push({ match, reply, seen: 0 });
    return this;
  }

  /** Starts listening. */
  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /**
   * Closes every connection and the port, and waits for the running replies.
   *
   * @throws the error of a reply: a bug in the test, and not in the code under test.
   */
  async close(): Promise<void> {
    if (this.#server.listening) {
      this.#server.close();
      this.#server.closeAllConnections();
      for (const socket of this.#sockets) socket.destroy();
      await once(this.#server, 'close');
    }
    await Promise.all(this.#running);
    if (this.#bugs.length > 0) throw this.#bugs[0];
  }

  #take(message: IncomingMessage, response: ServerResponse): void {
    const running = this.#answer(message, response).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    const atMs = this.#clock.monotonic();
    let record: Recorded | undefined;
    response.on('error', () => {});
    response.once('close', () => {
      if (record !== undefined) record.closed = true;
      gone.abort(new Error('the answer has ended'));
    });
    try {
      const body = message.headers['content-length'] === undefined ? '' : await textOf(message);
      record = { ...requestOf(message, atMs), body, closed: gone.signal.aborted };
      this.#requests.push(record);
      const reply = this.#replyTo(record) ?? text('404 page not found\n', 404);
      await reply({ request: record, response, clock: this.#clock, signal: gone.signal });
    } catch (error) {
      if (gone.signal.aborted) return;
      this.#bugs.push(error);
      response.destroy();
    }
  }

  /** Every rule counts the requests that it matches, even if an earlier rule answers. */
  #replyTo(request: ServedRequest): Reply | undefined {
    const [first] = this.#rules.filter((rule) => {
      if (!matches(rule.match, request)) return false;
      rule.seen++;
      const { nth = [1, Number.POSITIVE_INFINITY] } = rule.match;
      const [from, to] = typeof nth === 'number' ? [nth, nth] : nth;
      return rule.seen >= from && rule.seen <= to;
    });
    return first?.reply;
  }
}

function matches({ method, path, watch }: RequestMatch, request: ServedRequest): boolean {
  if (method !== undefined && method !== request.method) return false;
  if (watch !== undefined && watch !== request.isWatch) return false;
  if (path === undefined) return true;
  return typeof path === 'string' ? path === request.path : path.test(request.path);
}

function requestOf(message: IncomingMessage, atMs: number): Omit<ServedRequest, 'body' | 'closed'> {
  const { method = '', url = '/', headers } = message;
  const { pathname, searchParams } = new URL(url, 'http://server');
  const query = Object.fromEntries(searchParams);
  const isWatch = query.watch === '1' || query.watch === 'true';
  return { method, path: decodeURI(pathname), query, headers, isWatch, atMs };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
