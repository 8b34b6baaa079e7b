import { AmbassadorError, type RequestFate } from '../core/errors.ts';

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
export function quoted(text: string): string {
  const line = text.trim().split(/[\r\n]/, 1)[0] ?? '';
  return line.replace(/\p{Cc}/gu, ' ').slice(0, QUOTED_CHARS) || 'empty answer';
}
