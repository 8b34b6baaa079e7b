import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { HttpRequest, HttpResponse } from './exchange/exchange.ts';

/** A request that reaches the server without a socket. */
export interface InMemoryRequest {
  readonly method: string;
  /** Path and query, starting with `/`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Gets the answer of the server, part by part, in the order in which a socket would carry it. */
export interface InMemoryReceiver {
  /** The head: once, and before any data. */
  readonly head: (status: number, headers: Readonly<Record<string, string>>) => void;
  /** One call for each write of the server: of a watch, that is one event. */
  readonly data: (chunk: Buffer) => void;
  /** The answer is complete. Nothing comes after it. */
  readonly end: () => void;
  /** The server broke the answer off. Nothing comes after it. */
  readonly broken: () => void;
}

/** The request as the handlers of the server read it. */
export function requestInMemory({ method, path, headers, body }: InMemoryRequest): HttpRequest {
  const bytes = new Readable({ read() {} });
  if (body !== undefined && body !== '') bytes.push(body);
  bytes.push(null);
  return Object.assign(bytes, {
    method,
    url: path,
    headers: headers as IncomingHttpHeaders,
    rawHeaders: Object.entries(headers).flat(),
    httpVersionMajor: 1,
  });
}

/** The answer as the handlers of the server write it. What they write goes to `receiver` at once. */
export class ResponseInMemory extends EventEmitter implements HttpResponse {
  readonly #receiver: InMemoryReceiver;
  readonly #headers: Record<string, string> = {};
  /** A reader in memory is never behind. */
  readonly writableNeedDrain: boolean = false;
  readonly writableLength: number = 0;
  readonly socket: { resetAndDestroy(): void } = { resetAndDestroy: () => this.destroy() };
  headersSent = false;
  writableEnded = false;
  destroyed = false;

  constructor(receiver: InMemoryReceiver) {
    super();
    this.#receiver = receiver;
  }

  setHeader(name: string, value: string): void {
    this.#headers[name.toLowerCase()] = value;
  }

  writeHead(status: number, headers: OutgoingHttpHeaders): void {
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.setHeader(name, String(value));
    }
    this.headersSent = true;
    this.#receiver.head(status, this.#headers);
  }

  /** The head went out with `writeHead`. */
  flushHeaders(): void {}

  write(chunk: string | Buffer): boolean {
    if (!this.destroyed && !this.writableEnded) this.#receiver.data(Buffer.from(chunk));
    return true;
  }

  end(chunk?: string | Buffer): void {
    if (this.destroyed || this.writableEnded) return;
    if (chunk !== undefined) this.write(chunk);
    this.writableEnded = true;
    this.#receiver.end();
    this.#close();
  }

  /** As a connection that breaks. */
  destroy(): void {
    if (this.destroyed || this.writableEnded) return;
    this.#receiver.broken();
    this.abandon();
  }

  /** The client has gone: nobody reads what the server would write. */
  abandon(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#close();
  }

  /** Later, as a socket does: the handler that ends the answer goes on first. */
  #close(): void {
    process.nextTick(() => this.emit('close'));
  }
}
