import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { HttpRequest, HttpResponse } from './exchange/exchange.ts';

/** A request that reaches the server without a socket. */
export interface InMemoryRequest {
  readonly method: string;
  /** Path and query, starting with `/`. */
  readonly path: string;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Receives the answer of the server in chunks, in the same order as on a socket. */
export interface InMemoryReceiver {
  /** The status and headers: called once, before any data. */
  readonly head: (status: number, headers: Readonly<Record<string, string>>) => void;
  /** Called for each write of the server. For a watch, each call is one event. */
  readonly data: (chunk: Buffer) => void;
  /** Called when the answer is complete. No further calls follow. */
  readonly end: () => void;
  /** Called when the server breaks off the answer. No further calls follow. */
  readonly broken: () => void;
}

/** Converts the request to the type that the server's handlers read. */
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

/**
 * An answer with the methods that the server's handlers call. Everything that they write is passed to
 * `receiver` at once.
 */
export class ResponseInMemory extends EventEmitter implements HttpResponse {
  readonly #receiver: InMemoryReceiver;
  readonly #headers: Record<string, string> = {};
  /** Always false, because a reader in memory is never slow. */
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

  /** Does nothing, because `writeHead` has already sent the head. */
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

  /** Breaks off the answer, like a lost connection. */
  destroy(): void {
    if (this.destroyed || this.writableEnded) return;
    this.#receiver.broken();
    this.abandon();
  }

  /** Called when the client has disconnected. Further output is then dropped. */
  abandon(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#close();
  }

  /**
   * Emits `close` later, like a socket, so that the handler that ended the answer can continue before the
   * event.
   */
  #close(): void {
    process.nextTick(() => this.emit('close'));
  }
}
