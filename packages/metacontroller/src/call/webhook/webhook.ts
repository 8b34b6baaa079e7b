import { type Clock, messageOf, withTimeout } from 'chancery';
import { VERSION } from 'chancery/internal';
import { HookError, type HookErrorReason } from '../../hook-error.ts';
import type { HookAnswer, HookCall, HookRequest } from '../../hook-function.ts';
import type { WebhookSpec } from '../../spec.ts';
import type { KeyReader } from '../key-reader.ts';
import { MAX_ANSWER_BYTES } from '../limits.ts';
import { basicAuthorization, readCredentials, requireUsable } from './credentials.ts';
import { post, type WebhookResponse } from './exchange.ts';
import type { OwnAddresses } from './own-addresses.ts';
import { retryAfterMs } from './retry-after.ts';
import { type StoredAnswer, StoredAnswers } from './stored-answers.ts';
import { WebhookPools } from './webhook-pools.ts';

interface WebhookOptions {
  readonly keys: KeyReader;
  readonly ownAddresses: OwnAddresses;
  readonly clock: Clock;
}

/** A message contains at most this number of characters of the original error. */
const SHOWN_CHARS = 200;

/** A hook that is called over HTTP. */
export class Webhook {
  /** The URL without user and password. */
  readonly description: string;
  readonly #spec: WebhookSpec;
  readonly #options: WebhookOptions;
  readonly #url: URL | undefined;
  readonly #pools: WebhookPools | undefined;
  readonly #stored: StoredAnswers | undefined;

  constructor(spec: WebhookSpec, options: WebhookOptions) {
    this.#spec = spec;
    this.#options = options;
    this.#url = URL.canParse(spec.url) ? new URL(spec.url) : undefined;
    this.description = shown(this.#url);
    if (this.#url !== undefined && isHttp(this.#url)) {
      this.#pools = new WebhookPools(this.#url.origin, { ...options, timeoutMs: spec.timeoutMs });
    }
    if (spec.etag !== undefined) {
      this.#stored = new StoredAnswers({ ...spec.etag, clock: options.clock });
    }
  }

  /**
   * Calls the webhook.
   *
   * @throws HookError; `signal.reason` when aborted.
   */
  async call(request: HookRequest, { signal, subject }: HookCall): Promise<HookAnswer> {
    const { timeoutMs } = this.#spec;
    const tooLate = (): Error =>
      this.#error('Timeout', `has not answered within ${timeoutMs / 1_000} s`);
    const { clock } = this.#options;
    return await withTimeout({ clock, signal, timeoutMs, tooLate }, (limited) =>
      this.#call(request, subject, limited),
    );
  }

  async close(): Promise<void> {
    await this.#pools?.close();
  }

  async #call(request: HookRequest, subject: string, signal: AbortSignal): Promise<HookAnswer> {
    const stored = this.#stored?.get(subject);
    const response = await this.#post(request, stored, signal);
    const { status, text } = response;
    if (status === 200) {
      this.#keep(subject, response);
      return { text };
    }
    if (stored !== undefined && (status === 304 || status === 412)) return { text: stored.text };
    throw this.#failure(response);
  }

  #keep(subject: string, { headers, text }: WebhookResponse): void {
    if (headers.etag === undefined) this.#stored?.forget(subject);
    else this.#stored?.put(subject, { etag: headers.etag, text });
  }

  async #post(
    request: HookRequest,
    stored: StoredAnswer | undefined,
    signal: AbortSignal,
  ): Promise<WebhookResponse> {
    const url = this.#url;
    if (url === undefined || this.#pools === undefined) {
      throw this.#error('RefusedAddress', 'is no URL that begins with http:// or https://');
    }
    const { connection } = this.#spec;
    const { tls, authorization } = await readCredentials(connection, this.#options.keys, signal);
    const own = authorization ?? userOf(url);
    const pool = this.#pools.forMaterial(tls, () => requireUsable(tls, connection));
    try {
      return await post(pool, {
        path: `${url.pathname}${url.search}`,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'accept-encoding': 'identity',
          'user-agent': `chancery/${VERSION}`,
          ...(own !== undefined && { authorization: own }),
          ...(stored !== undefined && { 'if-none-match': stored.etag }),
        },
        body: await request.text(),
        limitBytes: MAX_ANSWER_BYTES,
        tooLarge: () => this.#error('TooLarge', `answered more than ${MAX_ANSWER_BYTES} bytes`),
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw this.#explained(error);
    }
  }

  #failure({ status, headers, text }: WebhookResponse): HookError {
    if (status === 429) {
      const waitMs = retryAfterMs(headers['retry-after'], this.#options.clock.now());
      return new HookError(`${this.description} wants to be called later`, {
        reason: 'TooManyRequests',
        retryAfterMs: waitMs,
        context: { hook: this.description, retryAfterMs: waitMs },
      });
    }
    const isRedirect = status >= 300 && status < 400 && headers.location !== undefined;
    const explanation = /^text\/plain\b/.test(headers['content-type'] ?? '') ? firstLine(text) : '';
    const more = isRedirect
      ? '; redirects are not followed'
      : explanation === ''
        ? ''
        : `: ${explanation}`;
    return this.#error('BadStatus', `answered ${status}, and not 200${more}`, { status });
  }

  #explained(error: unknown): HookError {
    if (error instanceof HookError) return error;
    const { code = '', name } = error as NodeJS.ErrnoException;
    if (code === 'UND_ERR_HEADERS_OVERFLOW') {
      return this.#error('TooLarge', 'answered with a head of more than 64 KiB');
    }
    if (name === 'HTTPParserError' && code !== 'HPE_INVALID_EOF_STATE') {
      return this.#error('Unreachable', 'does not answer in HTTP', { cause: code });
    }
    return this.#error('Unreachable', `cannot be called: ${messageOf(error)}`, { cause: code });
  }

  #error(
    reason: HookErrorReason,
    problem: string,
    facts: Readonly<Record<string, string | number>> = {},
  ): HookError {
    return new HookError(`${this.description} ${problem}`, {
      reason,
      context: { hook: this.description, ...facts },
    });
  }
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

/** A URL for messages, without user, password and query, because a query may contain a token. */
function shown(url: URL | undefined): string {
  if (url === undefined) return 'the webhook';
  const query = url.search === '' ? '' : '?…';
  return `${url.protocol}//${url.host}${url.pathname}${query}`;
}

/** The value of `Authorization` for the user and password in a URL, as Go's client sends it. */
function userOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return basicAuthorization(decodeURIComponent(username), decodeURIComponent(password));
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split(/\r?\n/, 1);
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
}
