import {
  AmbassadorError,
  type OperatorError,
  ProtocolError,
  type RequestFate,
} from '../core/errors.ts';
import { ApiError, isStatus } from '../model/status.ts';

/** An answer that is not the one asked for, read as far as it is needed to say whose it is. */
export interface FailedAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or its beginning. */
  readonly text: string;
}

/** Marks the ApiError of a path that the server does not serve at all. */
const PATH_NOT_SERVED = 'PathNotServed';

/** Characters of a text body that a message may quote. */
const QUOTED_CHARS = 300;

/**
 * Who failed, and how: an answer → the error to throw.
 *
 * | answer | error |
 * |---|---|
 * | Status | ApiError |
 * | 403 text | AmbassadorError `AMBASSADOR_FORBIDDEN`: the proxy's filter |
 * | 404 text | ApiError, recognised by `isUnserved`: no such group, version or resource |
 * | 429 without Status, 503 text | ApiError: the API server sheds load before it handles a request |
 * | other 5xx without Status | AmbassadorError `AMBASSADOR_UPSTREAM` |
 * | anything else: redirects, HTML, a 2xx that is not JSON | ProtocolError `NOT_KUBERNETES` |
 *
 * @param nowMs - wall time, for a `Retry-After` that is a date.
 */
export function responseFailure(answer: FailedAnswer, nowMs: number): OperatorError {
  const { status, headers, text } = answer;
  const retryAfterMs = parseRetryAfter(headers['retry-after'], nowMs);
  const body = isJson(headers) ? parseJson(text) : undefined;
  if (isStatus(body)) {
    const httpStatus = status >= 300 ? status : (body.code ?? status);
    return new ApiError(body, { httpStatus, retryAfterMs });
  }
  const isText = mediaType(headers) === 'text/plain';
  const message = isText ? quoted(text) : 'the answer carries no Status';
  if (status === 403 && isText) return filterRefused();
  if (status === 404 && isText) {
    const details = { causes: [{ reason: PATH_NOT_SERVED, message }] };
    return new ApiError({ reason: 'NotFound', message, details }, { httpStatus: status });
  }
  if (status === 429) {
    return new ApiError({ reason: 'TooManyRequests', message }, { httpStatus: 429, retryAfterMs });
  }
  if (status === 503 && isText) {
    const reason = 'ServiceUnavailable';
    return new ApiError({ reason, message }, { httpStatus: 503, retryAfterMs });
  }
  if (status >= 500) return upstreamFailed(status, isText, text);
  return notKubernetes(status, headers);
}

/** True when the server serves no such path: the group, version or resource does not exist. */
export function isUnserved(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 404 &&
    (error.details.causes ?? []).some((cause) => cause.reason === PATH_NOT_SERVED)
  );
}

/** True when the headers announce JSON, with or without parameters such as `;as=Table`. */
export function isJson(headers: Readonly<Record<string, string>>): boolean {
  return mediaType(headers) === 'application/json';
}

/** An answer of a success status that is not what the Kubernetes API sends. */
export function notKubernetes(
  status: number,
  headers: Readonly<Record<string, string>>,
): ProtocolError {
  return new ProtocolError('the answer is not one that the Kubernetes API gives', {
    code: 'NOT_KUBERNETES',
    context: { status, contentType: headers['content-type'] ?? 'none' },
  });
}

/**
 * Milliseconds that a `Retry-After` header asks for: whole seconds or an HTTP date. Undefined when
 * absent, unreadable or past.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : httpDate(text) - nowMs;
  return Number.isFinite(waitMs) && waitMs > 0 ? waitMs : undefined;
}

/** Alone, `Date.parse` would take `-5` for a day in May. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]+, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}

function filterRefused(): AmbassadorError {
  return new AmbassadorError('kubectl proxy refused the request: its filter does not allow it', {
    code: 'AMBASSADOR_FORBIDDEN',
    fate: 'not-sent',
    context: { status: 403 },
  });
}

function upstreamFailed(status: number, isText: boolean, text: string): AmbassadorError {
  const detail = isText ? `: ${quoted(text)}` : '';
  return new AmbassadorError(`the ambassador did not get an answer from the API server${detail}`, {
    code: 'AMBASSADOR_UPSTREAM',
    fate: isText && status === 500 ? fateOf(text) : 'unknown',
    context: { status },
  });
}

/**
 * What `kubectl proxy` says with its `500 text/plain` when the API server cannot have seen the
 * request. The text is Go's error as it is, so the start is fixed; a webhook's failure that an API
 * server reports quotes the same words further in.
 */
const NOT_SENT: readonly RegExp[] = [
  // No connection: refused, no route, no such host, or not in time.
  /^(?:proxyconnect \w+: )?dial \w+[ :]/,
  // No TLS session. A certificate that the server refuses is reported late, but before HTTP.
  /^net\/http: TLS handshake timeout/,
  /^(?:tls: |x509: |remote error: tls: )/,
  // GOAWAY or REFUSED_STREAM named this request as not processed, but its body was spent. Go counts
  // a PROTOCOL_ERROR among them, where the server makes no such promise.
  /^http2: Transport: cannot retry err \[(?!.*PROTOCOL_ERROR)/,
  /^http2: Transport received Server's graceful shutdown GOAWAY/,
  /^net\/http: cannot rewind body after connection loss/,
];

function fateOf(text: string): RequestFate {
  return NOT_SENT.some((pattern) => pattern.test(text)) ? 'not-sent' : 'unknown';
}

function mediaType(headers: Readonly<Record<string, string>>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first line, short, without control characters: it ends in logs. */
function quoted(text: string): string {
  const line = text.trim().split(/[\r\n]/, 1)[0] ?? '';
  return line.replace(/\p{Cc}/gu, ' ').slice(0, QUOTED_CHARS) || 'empty answer';
}
