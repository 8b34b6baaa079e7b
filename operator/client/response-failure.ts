import {
  AmbassadorError,
  type OperatorError,
  ProtocolError,
  type RequestFate,
} from '../core/errors.ts';
import { isAdmissionDenied, isUndeclaredText } from '../model/refusal.ts';
import { ApiError, isStatus, type Status } from '../model/status.ts';

/** An unexpected answer, of which enough was read to find out who sent it. */
export interface FailedAnswer {
  readonly status: number;
  /** The header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or its beginning. */
  readonly text: string;
  /** The request that was answered. */
  readonly asked?: Asked | undefined;
}

/** The method and path of a request, for errors. */
export interface Asked {
  readonly method: string;
  /** The path, with or without a query. Errors never contain the query. */
  readonly path: string;
}

/** Explains `field not declared in schema`, which server-side apply reports as an internal error. */
const UNDECLARED =
  'the installed definition of this kind does not know the field: upgrade the CustomResourceDefinition; if it is up to date, or the kind is one of Kubernetes’ own, the field is misspelt, or younger than the API server';

/** Explains a 401 that does not come from admission. The operator itself sends no credentials. */
const TOKEN_REFUSED =
  'the API server does not accept the ambassador’s token: has it expired, or is the ServiceAccount or the Pod that it was made for gone? kubectl reads the file of the token again within a minute';

/**
 * Explains a 401 from admission. A ValidatingAdmissionPolicy with `reason: Unauthorized` answers 401
 * (reasonToCode in kubernetes/kubernetes,
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/policy_decision.go), and a webhook can
 * choose any code. Both run after the token was accepted.
 */
const ADMISSION_DENIED =
  'the ambassador’s token was accepted: a policy or a webhook of the cluster denied this request, and chose the status 401';

/**
 * Finds out which program failed and how, and returns the error to throw for an answer:
 *
 * | answer | error |
 * |---|---|
 * | Status | ApiError |
 * | 403 text | AmbassadorError `AMBASSADOR_FORBIDDEN`: the proxy's filter |
 * | 404 text | ApiError without details: the path is not served, see `isUnserved` |
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
    return new ApiError(explained(body, httpStatus), { httpStatus, retryAfterMs });
  }
  const isText = mediaType(headers) === 'text/plain';
  const message = isText ? quoted(text) : 'the answer carries no Status';
  if (status === 403 && isText) return filterRefused(answer.asked);
  if (status === 404 && isText) {
    return new ApiError({ reason: 'NotFound', message }, { httpStatus: status });
  }
  if (status === 429) {
    return new ApiError({ reason: 'TooManyRequests', message }, { httpStatus: 429, retryAfterMs });
  }
  if (status === 503 && isText) {
    const reason = 'ServiceUnavailable';
    return new ApiError({ reason, message }, { httpStatus: 503, retryAfterMs });
  }
  if (status >= 500) return upstreamFailure(status, isText ? text : undefined);
  return notKubernetes(status, headers);
}

/** True when the content type is JSON, with or without parameters such as `;as=Table`. */
export function isJson(headers: Readonly<Record<string, string>>): boolean {
  return mediaType(headers) === 'application/json';
}

/** The error for an answer that the Kubernetes API does not send. */
function notKubernetes(status: number, headers: Readonly<Record<string, string>>): ProtocolError {
  return new ProtocolError(
    'the answer is not one that the Kubernetes API gives: does another server listen at CHANCERY_API_URL?',
    {
      code: 'NOT_KUBERNETES',
      context: { status, contentType: headers['content-type'] ?? 'none' },
    },
  );
}

/**
 * The milliseconds to wait according to a `Retry-After` header, which contains whole seconds or an HTTP date.
 * Undefined when the header is absent or unreadable, and when the date is past.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : httpDate(text) - nowMs;
  return Number.isFinite(waitMs) && waitMs > 0 ? waitMs : undefined;
}

/** `Date.parse` alone would read `-5` as a day in May. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]+, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}

/** Adds a hint if the message of the server does not say what to do. */
function explained(body: Status, httpStatus: number): Status {
  const hint = hintFor(body, httpStatus);
  if (hint === undefined) return body;
  return { ...body, message: `${body.message ?? 'no message'} (${hint})` };
}

function hintFor(body: Status, httpStatus: number): string | undefined {
  const { message = '' } = body;
  if (httpStatus === 401) {
    // The server does not say why it refuses a token, so the hint says whose token it is.
    const isDenied = isAdmissionDenied(new ApiError(body, { httpStatus }));
    return isDenied ? ADMISSION_DENIED : TOKEN_REFUSED;
  }
  return httpStatus === 500 && isUndeclaredText(message) ? UNDECLARED : undefined;
}

const DECLARE =
  'Declare it in the controller (owns, watches, permissions), in this namespace, and make the arguments of the proxy anew: chancery generate proxy ' +
  '(they open the path in --accept-paths, and the method in --reject-methods)';

const GENERATE =
  'Then make the arguments of the proxy anew: chancery generate proxy or manifests (chancery dev does it by itself)';

/**
 * The error for a request that the filter refused. The filter is generated from declarations. So either a
 * declaration is missing, or the filter is out of date.
 *
 * @param why - why the filter refuses the request. If undefined, the message tells the user to declare the
 * request.
 */
export function filterRefused(asked: Asked | undefined, why?: string): AmbassadorError {
  const [path = ''] = asked?.path.split('?', 1) ?? [];
  const request = asked === undefined ? 'the request' : `${asked.method} ${path}`;
  return new AmbassadorError(
    `kubectl proxy refused ${request}: its filter does not allow it${why === undefined ? `. ${DECLARE}` : `: ${why}. ${GENERATE}`}`,
    {
      code: 'AMBASSADOR_FORBIDDEN',
      fate: 'not-sent',
      context: { status: 403, ...(asked && { method: asked.method, path }) },
    },
  );
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

/** Maximum number of characters that a message quotes of a plain-text body. */
const QUOTED_CHARS = 300;

/**
 * The problem in the connection between the ambassador and the API server. It is `context.upstream` of an
 * error with the code `AMBASSADOR_UPSTREAM`.
 *
 * - `no-credentials`: kubectl found no credentials and connects to its default, port 8080 of its own Pod.
 * - `unreachable`: there is no connection. `silent`: there is a connection, but the server sends no TLS
 *   answer.
 * - `certificate`: the ambassador does not trust the API server's certificate, or the API server does not
 *   trust the ambassador's.
 * - `turned-away`: the server said that it did not process the request (GOAWAY, REFUSED_STREAM).
 * - `broken`: the connection broke, or another error occurred on it.
 */
type Upstream =
  | 'no-credentials'
  | 'unreachable'
  | 'silent'
  | 'certificate'
  | 'turned-away'
  | 'broken';

interface Cause {
  readonly upstream: Upstream;
  readonly fate: RequestFate;
  /** What a person can do about the problem; undefined if nothing needs to be done. */
  readonly remedy?: string;
}

const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The messages that `kubectl proxy` sends with `500 text/plain`. Each message is an unchanged Go error, so
 * its beginning is known. An API server that reports a webhook failure quotes the same messages, but not at
 * the beginning. The first match is used. In each of these cases the API server has not received the request,
 * or has not processed it.
 */
const CAUSES: readonly (readonly [pattern: RegExp, cause: Cause])[] = [
  [
    /^dial tcp (?:127\.0\.0\.1|\[::1\]):8080:/,
    {
      upstream: 'no-credentials',
      fate: 'not-sent',
      remedy: `port 8080 of its own Pod is where kubectl turns when it finds no credentials: are token and ca.crt mounted in its container, at ${TOKEN_FOLDER}?`,
    },
  ],
  // There is no connection: it was refused or took too long, there is no route, or the host name is unknown.
  [
    /^(?:proxyconnect \w+: )?dial \w+[ :]/,
    {
      upstream: 'unreachable',
      fate: 'not-sent',
      remedy:
        'is the API server up, and does the network (a NetworkPolicy, a proxy) let the Pod reach it?',
    },
  ],
  [
    /^net\/http: TLS handshake timeout/,
    {
      upstream: 'silent',
      fate: 'not-sent',
      remedy:
        'something takes connections at the API server’s address and does not answer: is the API server overloaded, or the network cut?',
    },
  ],
  [
    /^(?:tls: failed to verify certificate: )?x509: certificate signed by unknown authority/,
    {
      upstream: 'certificate',
      fate: 'not-sent',
      remedy:
        'it does not trust the certificate of the API server: is the ca.crt that is mounted in its container the current one? kubectl before 1.36 reads it at its start alone: restart the container',
    },
  ],
  // A server may refuse a client certificate after the handshake, but before it reads any HTTP.
  [
    /^(?:tls: |x509: |remote error: tls: )/,
    {
      upstream: 'certificate',
      fate: 'not-sent',
      remedy:
        'a certificate does not pass: look at its names and dates, and at the clock of the node',
    },
  ],
  // The server has said by GOAWAY or REFUSED_STREAM that it did not process this request, but Go cannot
  // repeat it, because its body was already read. Go reports PROTOCOL_ERROR with the same words, but that
  // does not mean that the request was not processed.
  [
    /^http2: Transport: cannot retry err \[(?!.*PROTOCOL_ERROR)/,
    { upstream: 'turned-away', fate: 'not-sent' },
  ],
  [
    /^http2: Transport received Server's graceful shutdown GOAWAY/,
    { upstream: 'turned-away', fate: 'not-sent' },
  ],
  [
    /^net\/http: cannot rewind body after connection loss/,
    { upstream: 'turned-away', fate: 'not-sent' },
  ],
];

const BROKEN: Cause = { upstream: 'broken', fate: 'unknown' };

/**
 * The error for a 5xx that did not come from an API server.
 *
 * @param text - the body of the answer; undefined if it is not plain text.
 */
export function upstreamFailure(status: number, text: string | undefined): AmbassadorError {
  const { upstream, fate, remedy } = status === 500 && text !== undefined ? causeOf(text) : BROKEN;
  const detail = text === undefined ? '' : `: ${quoted(text)}`;
  const advice = remedy === undefined ? '' : ` (${remedy})`;
  return new AmbassadorError(
    `the ambassador did not get an answer from the API server${detail}${advice}`,
    { code: 'AMBASSADOR_UPSTREAM', fate, context: { status, upstream } },
  );
}

function causeOf(text: string): Cause {
  return CAUSES.find(([pattern]) => pattern.test(text))?.[1] ?? BROKEN;
}

/** The first line, shortened and without control characters, because it appears in logs. */
function quoted(text: string): string {
  const line = text.trim().split(/[\r\n]/, 1)[0] ?? '';
  return line.replace(/\p{Cc}/gu, ' ').slice(0, QUOTED_CHARS) || 'empty answer';
}
