import type { Pool } from 'chancery/internal';

/** One answer of a webhook. */
export interface WebhookResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body. For a status other than 200, at most its first 4 KiB. */
  readonly text: string;
}

/** Maximum number of bytes that are read from the body of an error. */
const ERROR_BODY_BYTES = 4 * 1024;

interface ExchangeRequest {
  /** The path of the URL, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly limitBytes: number;
  /** Creates the error for an answer that is longer than `limitBytes`. */
  readonly tooLarge: () => Error;
  /** Closes the connection when aborted. */
  readonly signal: AbortSignal;
}

interface ExchangeController {
  abort(reason: Error): void;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Posts one request and reads the whole answer. A connection is reused after a complete answer.
 *
 * @throws `signal.reason` when aborted; the error of `tooLarge`; the library's error when the
 * connection fails.
 */
export function post(pool: Pool, request: ExchangeRequest): Promise<WebhookResponse> {
  const { path, headers, body, signal } = request;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const answer = new Answer(request, resolve, reject);
    pool.dispatch({ method: 'POST', path, headers: { ...headers }, body }, answer);
  });
}

/** Collects the answer from the callbacks of the HTTP library. */
class Answer {
  readonly #request: ExchangeRequest;
  readonly #resolve: (response: WebhookResponse) => void;
  readonly #reject: (error: unknown) => void;
  #controller: ExchangeController | undefined;
  #status = 0;
  #headers: Headers = {};
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #hasSettled = false;

  constructor(
    request: ExchangeRequest,
    resolve: (response: WebhookResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    request.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: ExchangeController): void {
    // The call reached its time limit while it waited for a connection.
    if (this.#hasSettled) controller.abort(new Error('the call has ended'));
    else this.#controller = controller;
  }

  onResponseStart(_controller: ExchangeController, status: number, headers: Headers): void {
    if (status < 200) return; // informational: the answer is still to come
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: ExchangeController, chunk: Buffer): void {
    if (this.#hasSettled) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#status !== 200 && this.#bytes > ERROR_BODY_BYTES) {
      this.#finish();
      this.#controller?.abort(new Error('the rest of the answer is not needed'));
    } else if (this.#bytes > this.#request.limitBytes) {
      this.#fail(this.#request.tooLarge());
    }
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: ExchangeController | null, error: Error): void {
    this.#fail(error);
  }

  readonly #onAbort = (): void => this.#fail(this.#request.signal.reason);

  #finish(): void {
    if (!this.#settles()) return;
    const bytes = Buffer.concat(this.#chunks);
    const text = (this.#status === 200 ? bytes : bytes.subarray(0, ERROR_BODY_BYTES)).toString();
    this.#resolve({ status: this.#status, headers: joined(this.#headers), text });
  }

  #fail(error: unknown): void {
    if (!this.#settles()) return;
    this.#controller?.abort(new Error('the call has ended'));
    this.#reject(error);
  }

  /**
   * Returns true only at the first call. Events after the first one are ignored, because they are
   * consequences of closing the connection.
   */
  #settles(): boolean {
    if (this.#hasSettled) return false;
    this.#hasSettled = true;
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

function joined(headers: Headers): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return result;
}
