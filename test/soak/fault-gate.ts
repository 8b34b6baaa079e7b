import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer that the API server did not give. */
export interface FalseAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * An HTTP hop between the ambassador and the API server that answers in its place, writes into open
 * watches and breaks lists off. It counts what passes.
 */
export class FaultGate {
  readonly #targetPort: number;
  readonly #watches = new Set<ServerResponse>();
  /** The last piece of each watch, if it was one whole line. */
  readonly #lastLine = new WeakMap<ServerResponse, Buffer>();
  #server: Server | undefined;
  #port = 0;
  #falseAnswer: FalseAnswer | undefined;
  #truncating = false;
  watchCount = 0;
  listCount = 0;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer((request, response) => this.#pass(request, response));
    server.requestTimeout = 0;
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Refuses connections from now on, and cuts the open ones. */
  async refuse(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  /** Until `heal`, every request is answered with this. Open watches go on. */
  answerWith(answer: FalseAnswer): void {
    this.#falseAnswer = answer;
  }

  /** Until `heal`, lists break off in the middle of their body. */
  truncateLists(): void {
    this.#truncating = true;
  }

  /** Writes into every open watch, and ends it if told to. */
  inject(text: string, then: 'go on' | 'end'): void {
    for (const watch of this.#watches) {
      if (then === 'end') watch.end(text);
      else watch.write(text);
    }
  }

  /** Says the last line of every watch again. */
  replay(): void {
    for (const watch of this.#watches) {
      const line = this.#lastLine.get(watch);
      if (line !== undefined) watch.write(line);
    }
  }

  async heal(): Promise<void> {
    this.#falseAnswer = undefined;
    this.#truncating = false;
    await this.listen();
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const isWatch = /[?&]watch=/.test(request.url ?? '');
    if (isWatch) this.watchCount++;
    else this.listCount++;
    if (this.#falseAnswer !== undefined) {
      const { status, headers, body } = this.#falseAnswer;
      response.writeHead(status, headers).end(body);
      return;
    }
    const { method, url, headers } = request;
    const onward = send({ host: '127.0.0.1', port: this.#targetPort, method, path: url, headers });
    onward.once('response', (answer) => {
      if (isWatch) this.#passWatch(answer, response);
      else this.#passList(answer, response);
    });
    onward.once('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  }

  #passWatch(answer: IncomingMessage, response: ServerResponse): void {
    this.#watches.add(response);
    response.once('close', () => this.#watches.delete(response));
    answer.on('error', () => response.destroy());
    answer.on('data', (chunk: Buffer) => {
      if (chunk.indexOf(0x0a) === chunk.length - 1) this.#lastLine.set(response, chunk);
      else this.#lastLine.delete(response);
    });
    response.writeHead(answer.statusCode ?? 500, withoutHopByHop(answer));
    response.flushHeaders();
    answer.pipe(response);
  }

  #passList(answer: IncomingMessage, response: ServerResponse): void {
    response.writeHead(answer.statusCode ?? 500, withoutHopByHop(answer));
    answer.on('error', () => response.destroy());
    if (!this.#truncating) {
      answer.pipe(response);
      return;
    }
    answer.once('data', (chunk: Buffer) => {
      response.write(chunk.subarray(0, chunk.length / 2), () => response.destroy());
      answer.destroy();
    });
  }
}

function withoutHopByHop({ headers }: IncomingMessage): Record<string, string | string[]> {
  const { connection: _, 'keep-alive': __, ...kept } = headers;
  return kept as Record<string, string | string[]>;
}
