import { Readable } from 'node:stream';
import type { Cancel, Clock } from '../core/clock.ts';
import { AmbassadorError, type ErrorContext, messageOf, ProtocolError } from '../core/errors.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/**
 * Number of bytes of an answer that are buffered while the reader is busy. When the buffer is full, the
 * socket is paused. The parser and the socket may each hold one more read of 64 KiB. For a watch, all of this
 * together is less than a thousand events, because no event is smaller than 200 bytes.
 */
const BODY_BUFFER_BYTES = { call: 64 * 1024, election: 64 * 1024, watch: 16 * 1024 } as const;

/** The object by which a request controls its connection in the HTTP library. */
interface ExchangeController {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

interface ExchangeLimits {
  /**
   * Maximum milliseconds between the time when the request gets a connection and the arrival of the headers
   * of the answer.
   */
  readonly headersTimeoutMs: number;
  /** Maximum milliseconds from `start` to the last byte of the answer. Undefined if there is no deadline. */
  readonly deadlineMs: number | undefined;
}

/**
 * One request and its answer, with the callbacks that the HTTP library calls.
 *
 * The exchange ends with the first of these events: the last byte, a failure, a timer, an abort by the
 * caller, or the destruction of the body. At its end, the timers and the listener are removed, and the
 * connection is closed unless the answer is complete.
 */
export class Exchange {
  readonly #request: TransportRequest;
  readonly #limits: ExchangeLimits;
  readonly #clock: Clock;
  #controller: ExchangeController | undefined;
  #body: Readable | undefined;
  #ended = false;
  #failure: Error | undefined;
  #cancelDeadline: Cancel | undefined;
  #cancelHeadersTimeout: Cancel | undefined;
  readonly #head = Promise.withResolvers<TransportResponse>();

  constructor(request: TransportRequest, limits: ExchangeLimits, clock: Clock) {
    this.#request = request;
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Starts the deadline timer and the abort listener. Call this before the exchange is given to the HTTP
   * library. Resolves with the headers of the answer.
   *
   * @throws `signal.reason`, at once, when the request is already aborted.
   */
  start(): Promise<TransportResponse> {
    const { signal } = this.#request;
    signal.throwIfAborted();
    signal.addEventListener('abort', this.#onAbort, { once: true });
    const { deadlineMs } = this.#limits;
    if (deadlineMs !== undefined) {
      this.#cancelDeadline = this.#clock.schedule(deadlineMs, () =>
        this.#fail(this.#timeout('the answer was not complete in time', deadlineMs)),
      );
    }
    return this.#head.promise;
  }

  onRequestStart(controller: ExchangeController): void {
    try {
      this.#request.beforeSend?.();
    } catch (error) {
      this.#fail(error as Error);
    }
    if (this.#failure !== undefined) {
      controller.abort(this.#failure);
      return;
    }
    this.#controller = controller;
    const { headersTimeoutMs } = this.#limits;
    this.#cancelHeadersTimeout = this.#clock.schedule(headersTimeoutMs, () =>
      this.#fail(this.#timeout('the ambassador did not answer in time', headersTimeoutMs)),
    );
  }

  onResponseStart(
    controller: ExchangeController,
    status: number,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): void {
    if (status < 200) return; // informational: the answer is still to come
    this.#cancelHeadersTimeout?.();
    const body = new Readable({
      highWaterMark: BODY_BUFFER_BYTES[this.#request.purpose],
      read: () => controller.resume(),
      destroy: (error, done) => {
        this.#abandon();
        done(error);
      },
    });
    // Without this listener, a body that fails while nothing reads it would end the process. A reader gets
    // the failure nevertheless.
    body.on('error', () => {});
    this.#body = body;
    this.#head.resolve({ status, headers: joined(headers), body });
  }

  onResponseData(controller: ExchangeController, chunk: Buffer): void {
    if (this.#body?.push(chunk) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#release();
    this.#body?.push(null);
  }

  onResponseError(_controller: ExchangeController | null, error: Error): void {
    this.#fail(this.#explain(error));
  }

  readonly #onAbort = (): void => this.#fail(this.#request.signal.reason as Error);

  /**
   * Ends the exchange with a failure. Only the first failure is reported, because later failures result from
   * closing the connection.
   */
  #fail(error: Error): void {
    if (this.#failure !== undefined || this.#ended) return;
    this.#failure = error;
    this.#release();
    this.#controller?.abort(error);
    if (this.#body === undefined) this.#head.reject(error);
    else this.#body.destroy(error);
  }

  /** Called when the reader has destroyed the body. All of the body may have arrived by then. */
  #abandon(): void {
    if (this.#ended || this.#failure !== undefined) return;
    this.#fail(new Error('the reader left'));
  }

  #release(): void {
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    this.#cancelDeadline?.();
    this.#cancelHeadersTimeout?.();
  }

  #explain(error: Error): Error {
    if (this.#body === undefined && isNotHttp(error)) {
      return this.#notHttp('the answer is not HTTP', error);
    }
    if (this.#body !== undefined) {
      return new AmbassadorError('the answer broke off', {
        code: 'CONNECTION_LOST',
        fate: 'unknown',
        cause: error,
        context: this.#context(error),
      });
    }
    const sent = this.#controller !== undefined;
    return new AmbassadorError(
      sent
        ? 'the connection to the ambassador broke before it answered'
        : `the ambassador cannot be reached: ${messageOf(error)}${startAdvice(error)}`,
      {
        code: 'AMBASSADOR_UNREACHABLE',
        fate: sent ? 'unknown' : 'not-sent',
        cause: error,
        context: this.#context(error),
      },
    );
  }

  #timeout(message: string, timeoutMs: number): AmbassadorError {
    return new AmbassadorError(message, {
      code: 'AMBASSADOR_TIMEOUT',
      fate: this.#controller === undefined ? 'not-sent' : 'unknown',
      context: { ...this.#context(), timeoutMs },
    });
  }

  #notHttp(message: string, cause: Error | undefined): ProtocolError {
    return new ProtocolError(message, { code: 'NOT_KUBERNETES', cause, context: this.#context() });
  }

  #context(error?: Error): ErrorContext {
    const { method, path } = this.#request;
    const facts = { method, path: path.split('?', 1)[0] ?? '' };
    const code = error === undefined ? undefined : codeOf(error);
    return code === undefined ? facts : { ...facts, cause: code };
  }
}

/** Advice to start `kubectl proxy` when nothing listens at the address; empty for other failures. */
function startAdvice(error: Error): string {
  const { code, address, port } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  if (code !== 'ECONNREFUSED' && code !== 'ENOENT') return '';
  const where = port === undefined ? `--unix-socket=${address}` : `--port=${port}`;
  return ` (nothing listens there: is kubectl proxy ${where} running?)`;
}

/** HPE_INVALID_EOF_STATE is a parser error as well, but it means that the connection ended too early. */
function isNotHttp(error: Error): boolean {
  const code = codeOf(error);
  if (code === 'HPE_INVALID_EOF_STATE') return false;
  return error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW';
}

function codeOf(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}

function joined(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return result;
}
