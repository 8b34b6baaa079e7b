import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { pipeline } from 'node:stream';
import { listenAgain } from '../ports/listen-again.ts';
import { type LoggedRequest, loggedRequest, RequestLog } from './request-log.ts';

/** An `import` of node:http would also load WebSocket and fetch, and each start would take 30 ms longer. */
const { Agent, createServer, request } = process.getBuiltinModule('node:http');

/**
 * Decides about requests. `pass` is the default. `hold` drops the request; the caller then calls
 * `cut`.
 */
export interface RequestGate {
  /** Called before the request is forwarded. */
  before?(call: LoggedRequest): 'pass' | 'hold';
  /**
   * Called when the answer is complete, or a watch has begun, but before any data of the answer is forwarded.
   */
  after?(call: LoggedRequest): 'pass' | 'hold';
}

/**
 * A proxy between an operator and its API server, on the loopback. It records requests and forwards them
 * unchanged. It can break the connection before it forwards a request or an answer.
 */
export class RequestLine {
  /** Every request that was received. */
  readonly requests: RequestLog;
  readonly #upstream: URL;
  readonly #gate: RequestGate;
  readonly #log: LoggedRequest[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  /** The port. Before the first start it is 0. The first start picks any free port. */
  #port = 0;

  constructor({ server, gate = {} }: { readonly server: string; readonly gate?: RequestGate }) {
    this.#upstream = new URL(server);
    this.#gate = gate;
    this.requests = new RequestLog(() => this.#log);
    this.#server = createServer((incoming, response) => this.#carry(incoming, response));
    this.#server.requestTimeout = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens. After `cut`, listens again on the same port. */
  async start(): Promise<void> {
    await listenAgain(async () => {
      this.#server.listen(this.#port, '127.0.0.1');
      await once(this.#server, 'listening');
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /**
   * Breaks every connection on both sides, and accepts none until `start`. Further calls do
   * nothing.
   */
  async cut(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  #carry(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = incoming;
    const call = loggedRequest(method, url, headers['user-agent'] ?? '');
    this.#log.push(call);
    if (this.#gate.before?.(call) === 'hold') return;
    const { hostname, port, host } = this.#upstream;
    const onward = request({
      hostname,
      port,
      method,
      path: url,
      headers: { ...headers, host },
      agent: this.#agent,
    });
    onward.on('response', (answer) => void this.#answer(call, answer, response));
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    pipeline(incoming, onward, () => {});
  }

  async #answer(
    call: LoggedRequest,
    answer: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { statusCode = 502, rawHeaders } = answer;
    if (call.verb === 'watch') {
      if (this.#gate.after?.(call) === 'hold') return;
      response.writeHead(statusCode, rawHeaders);
      response.flushHeaders();
      pipeline(answer, response, () => {});
      return;
    }
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of answer) chunks.push(chunk);
    } catch {
      response.destroy();
      return;
    }
    if (this.#gate.after?.(call) === 'hold') return;
    response.writeHead(statusCode, rawHeaders);
    response.end(Buffer.concat(chunks));
  }
}
