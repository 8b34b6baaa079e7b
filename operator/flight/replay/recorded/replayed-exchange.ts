import { Readable } from 'node:stream';
import { AmbassadorError, type ErrorCode } from '../../../core/errors.ts';
import type { TransportRequest, TransportResponse } from '../../../transport/transport.ts';
import type { ReplyLine } from './recorded-run.ts';

/** A request of the replayed operator, which is answered chunk by chunk. */
export class ReplayedExchange {
  readonly request: TransportRequest;
  readonly response: Promise<TransportResponse>;
  readonly #head = Promise.withResolvers<TransportResponse>();
  readonly #body = new Readable({ read() {} });
  #isOver = false;

  constructor(request: TransportRequest) {
    this.request = request;
    this.response = this.#head.promise;
    this.#body.on('error', () => {}); // the reader of the body gets the error
    const { signal } = request;
    if (signal.aborted) this.#abort(signal.reason);
    else signal.addEventListener('abort', () => this.#abort(signal.reason), { once: true });
  }

  /** True when nothing more can arrive, because the request was answered, has failed, or was canceled. */
  get isOver(): boolean {
    return this.#isOver;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.#isOver) this.#head.resolve({ status, headers, body: this.#body });
  }

  text(text: string): void {
    if (!this.#isOver && text !== '') this.#body.push(Buffer.from(text, 'utf8'));
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#body.push(null);
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#head.reject(error);
    this.#head.promise.catch(() => {});
    this.#body.destroy(error);
  }

  /** Sends a complete answer at once. */
  answer(status: number, body: unknown): void {
    this.head(status, { 'content-type': 'application/json' });
    this.text(typeof body === 'string' ? body : JSON.stringify(body));
    this.end();
  }

  /**
   * Passes one line of the recorded reply to the operator. If the recorded operator has aborted the request,
   * the abort is not replayed.
   */
  replay(line: ReplyLine): void {
    if (line.kind === 'answer') this.head(line.status, line.headers);
    else if (line.kind === 'chunk') this.text(line.text);
    else if (line.error === undefined) this.end();
    else if (line.error.code !== 'ABORTED') this.fail(failureOf(line.error));
  }

  #abort(reason: unknown): void {
    this.fail(reason instanceof Error ? reason : new Error(String(reason)));
    this.#head.reject(reason);
  }
}

type Code = AmbassadorError['code'] &
  (
    | 'AMBASSADOR_UNREACHABLE'
    | 'AMBASSADOR_TIMEOUT'
    | 'AMBASSADOR_FORBIDDEN'
    | 'AMBASSADOR_UPSTREAM'
    | 'CONNECTION_LOST'
  );

const CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'AMBASSADOR_UNREACHABLE',
  'AMBASSADOR_TIMEOUT',
  'AMBASSADOR_FORBIDDEN',
  'AMBASSADOR_UPSTREAM',
  'CONNECTION_LOST',
]);

/** Converts a recorded failure into the error that a transport would throw. */
function failureOf({ code, message }: { readonly code: string; readonly message: string }): Error {
  if (!CODES.has(code)) return new Error(message);
  const fate = code === 'AMBASSADOR_UNREACHABLE' ? 'not-sent' : 'unknown';
  return new AmbassadorError(message, { code: code as Code, fate });
}
