import {
  AmbassadorError,
  type OperatorError,
  ProtocolError,
  type RequestFate,
} from '../core/errors.ts';
import { isAdmissionDenied, isUndeclaredText } from '../model/refusal.ts';
import { ApiError, isStatus, type Status } from '../model/status.ts';

/** An answer that is not the one asked for, read as far as it is needed to say whose it is. */
export interface FailedAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or its beginning. */
  readonly text: string;
  /** What it answers. */
  readonly asked?: Asked | undefined;
}

/** A request, as an error may name it. */
export interface Asked {
  readonly method: string;
  /** With or without the query, which is not told. */
  readonly path: string;
}

/** What server-side apply means by `field not declared in schema`, which it calls its own failure. */
const UNDECLARED =
  'the installed definition of this kind does not know the field: upgrade the CustomResourceDefinition; if it is up to date, or the kind is one of Kubernetes’ own, the field is misspelt, or younger than the API server';

/** Marks the ApiError of a path that the server does not serve at all. */
const PATH_NOT_SERVED = 'PathNotServed';

/** What a 401 without a refusal by admission is about: the operator itself sends no credentials. */
const TOKEN_REFUSED =
  'the API server does not accept the ambassador’s token: has it expired, or is the ServiceAccount or the Pod that it was made for gone? kubectl reads the file of the token again within a minute';

/**
 * What a 401 of admission is about. A ValidatingAdmissionPolicy with `reason: Unauthorized` answers 401
 * (reasonToCode in kubernetes/kubernetes,
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/policy_decision.go), and a webhook may
 * choose any code. Both are asked after the token was accepted.
 */
const ADMISSION_DENIED =
  'the ambassador’s token was accepted: a policy or a webhook of the cluster denied this request, and chose the status 401';

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
    return new ApiError(explained(body, httpStatus), { httpStatus, retryAfterMs });
  }
  const isText = mediaType(headers) === 'text/plain';
  const message = isText ? quoted(text) : 'the answer carries no Status';
  if (status === 403 && isText) return filterRefused(answer.asked);
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
  if (status >= 500) return upstreamFailure(status, isText ? text : undefined);
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
function notKubernetes(status: number, headers: Readonly<Record<string, string>>): ProtocolError {
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

/** Where the server's words do not say what is to be done about it. */
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

/** The filter is made of declarations, so what it lacks is one, or it was made of older ones. */
function filterRefused(asked: Asked | undefined): AmbassadorError {
  const [path = ''] = asked?.path.split('?', 1) ?? [];
  const request = asked === undefined ? 'the request' : `${asked.method} ${path}`;
  return new AmbassadorError(
    `kubectl proxy refused ${request}: its filter does not allow it. Declare it in the controller ` +
      '(owns, watches, permissions) and make the arguments of the proxy anew: chancery generate proxy ' +
      '(they open the path in --accept-paths, and the method in --reject-methods)',
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

/** Characters of a text body that a message may quote. */
const QUOTED_CHARS = 300;

/**
 * What stood between the ambassador and the API server: `context.upstream` of an `AMBASSADOR_UPSTREAM`.
 *
 * - `no-credentials`: kubectl has found none, and speaks to its default, port 8080 of its own Pod.
 * - `unreachable`: there is no connection. `silent`: there is one, and nobody speaks TLS on it.
 * - `certificate`: the ambassador does not trust the API server's, or the other way round.
 * - `turned-away`: the server said that it did not process the request (GOAWAY, REFUSED_STREAM).
 * - `broken`: the connection broke, or something else happened on it.
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
  /** What a person does about it; none for what passes by itself. */
  readonly remedy?: string;
}

const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * What `kubectl proxy` says with its `500 text/plain`. The text is Go's error as it is, so the start is
 * fixed; a webhook's failure that an API server reports quotes the same words further in. The first
 * that matches counts; but for the last, the API server cannot have seen the request.
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
  // No connection: refused, no route, no such host, or not in time.
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
  // A certificate that the server refuses is reported late, but before HTTP.
  [
    /^(?:tls: |x509: |remote error: tls: )/,
    {
      upstream: 'certificate',
      fate: 'not-sent',
      remedy:
        'a certificate does not pass: look at its names and dates, and at the clock of the node',
    },
  ],
  // GOAWAY or REFUSED_STREAM named this request as not processed, but its body was spent. Go counts
  // a PROTOCOL_ERROR among them, where the server makes no such promise.
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

/** The error of a 5xx that no API server has sent. @param text - undefined unless it is plain text. */
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

/** The first line, short, without control characters: it ends in logs. */
function quoted(text: string): string {
  const line = text.trim().split(/[\r\n]/, 1)[0] ?? '';
  return line.replace(/\p{Cc}/gu, ' ').slice(0, QUOTED_CHARS) || 'empty answer';
}
