import { type Clock, systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { VERSION } from '../core/version.ts';
import { parseApiUrl } from './api-url.ts';
import { connector } from './connector.ts';
import { Exchange } from './exchange.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { type Pool, undiciPool } from './undici-pool.ts';

/** Options of `undiciTransport`: the name of the transport, and its limits. Each option has a default. */
export interface UndiciTransportOptions {
  /** The user agent that is sent to the API server. Default `chancery/VERSION`. */
  readonly userAgent?: string;
  /** Maximum number of concurrent calls, without watches and Leases. Further calls wait. Default 64. */
  readonly maxInFlight?: number;
  /**
   * Milliseconds from `send` to the last byte of a call's answer, including the wait for a connection.
   * Default 65 s, because the API server ends a read after 60 s.
   */
  readonly callDeadlineMs?: number;
  /**
   * Like `callDeadlineMs`, for a request about a Lease. Default 5 s: a leader that cannot renew its Lease
   * must stop after 10 s, so there is time for a second attempt.
   */
  readonly leaseDeadlineMs?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** Defaults of `callDeadlineMs` and `leaseDeadlineMs`, by purpose. Watches have no deadline. */
export const DEADLINES_MS: {
  readonly call: number;
  readonly election: number;
  readonly watch: undefined;
} = { call: 65_000, election: 5_000, watch: undefined };

const DEFAULT_TRANSPORT_OPTIONS: Required<UndiciTransportOptions> = {
  userAgent: `chancery/${VERSION}`,
  maxInFlight: 64,
  callDeadlineMs: DEADLINES_MS.call,
  leaseDeadlineMs: DEADLINES_MS.election,
  clock: systemClock,
};

/**
 * Milliseconds until the headers of an answer must arrive. These times are longer than the time limits of the
 * servers, so that the answers of the servers arrive first and report what happened: the API server ends a
 * write after 34 s, and `kubectl proxy` reports an unreachable API server after 30 s. A watch gets more time
 * because it may be queued in the server.
 */
const HEADERS_TIMEOUT_MS = { call: 40_000, election: 40_000, watch: 60_000 } as const;

/**
 * Maximum number of connections for Leases: one for a renewal, and one for the next attempt while the first
 * attempt hangs.
 */
const LEASE_CONNECTIONS = 2;

/**
 * Time limit for connecting in milliseconds. On loopback, connecting takes 0.1 ms unless something is wrong.
 */
const CONNECT_TIMEOUT_MS = 4_000;

/**
 * Milliseconds for which an idle connection is kept. The time is short because a proxy that restarts closes
 * its connections.
 */
const KEEP_ALIVE_MS = 3_000;

/** Maximum bytes of the headers of an answer. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * A Transport to the ambassador at `http://127.0.0.1:8001` or `unix:/path.sock`.
 *
 * Calls share at most `maxInFlight` connections. Leases have their own connections, so many calls cannot make
 * a leader lose its Lease. Each watch has its own connection and never delays a call. The number of requests
 * per second is not limited, because the API server divides its capacity fairly. The transport does not
 * follow redirects, does not read `HTTP_PROXY` and never retries. It opens no connection before the first
 * request. Whoever creates it must call `close`.
 *
 * @throws ConfigurationError `CONFIG` for any other kind of URL, and for a limit below 1.
 */
export function undiciTransport(apiUrl: string, options: UndiciTransportOptions = {}): Transport {
  const { userAgent, maxInFlight, callDeadlineMs, leaseDeadlineMs, clock } = {
    ...DEFAULT_TRANSPORT_OPTIONS,
    ...options,
  };
  requirePositive('maxInFlight', maxInFlight);
  requirePositive('callDeadlineMs', callDeadlineMs);
  requirePositive('leaseDeadlineMs', leaseDeadlineMs);
  const deadlinesMs = { ...DEADLINES_MS, call: callDeadlineMs, election: leaseDeadlineMs };
  const { origin, socketPath, host } = parseApiUrl(apiUrl);

  const shared: Pool.Options = {
    connect: connector({ socketPath, timeoutMs: CONNECT_TIMEOUT_MS, clock }),
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The timers of the library are turned off, because its default of 300 s would end a silent watch. An
    // exchange has its own timers.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  };
  const PoolOfUndici = undiciPool();
  const pools = {
    call: new PoolOfUndici(origin, { ...shared, connections: maxInFlight, pipelining: 1 }),
    election: new PoolOfUndici(origin, {
      ...shared,
      connections: LEASE_CONNECTIONS,
      pipelining: 1,
    }),
    // `pipelining: 0` makes the library send `connection: close`, because the connection of a watch is not
    // used again.
    watch: new PoolOfUndici(origin, { ...shared, connections: null, pipelining: 0 }),
  };

  return {
    async send(request: TransportRequest): Promise<TransportResponse> {
      const { method, path, body, purpose } = request;
      requirePath(path);
      const headers = requestHeaders(request.headers ?? {}, { userAgent, host });
      const exchange = new Exchange(
        request,
        {
          headersTimeoutMs: request.headersTimeoutMs ?? HEADERS_TIMEOUT_MS[purpose],
          deadlineMs: deadlinesMs[purpose],
        },
        clock,
      );
      const head = exchange.start();
      pools[purpose].dispatch({ method, path, headers, body: body ?? null }, exchange);
      return head;
    },

    async close(): Promise<void> {
      const reason = new Error('the transport was closed');
      await Promise.all(Object.values(pools).map((pool) => pool.destroy(reason)));
    },
  };
}

function requirePositive(name: string, value: number): void {
  if (value >= 1) return;
  throw new ConfigurationError(`${name} must be at least 1`, { context: { got: value } });
}

/**
 * Matches a path that could become another path if it were decoded twice: it has empty segments, segments of
 * dots, or encoded separators or `%`.
 */
const MEANS_ANOTHER = /\/(?:\/|(?:[.]|%2e){1,2}(?:\/|$))|\\|#|%(?:2f|5c|25|[01][0-9a-f]|7f)/i;

/**
 * Checks a path. Only printable ASCII is accepted; the caller must percent-encode everything else. Refuses
 * paths that the ambassador's filter and the API server could interpret differently.
 */
function requirePath(path: string): void {
  const [withoutQuery = ''] = path.split('?', 1);
  if (/^\/[!-~]*$/.test(path) && !MEANS_ANOTHER.test(withoutQuery)) return;
  throw new ConfigurationError('a request path must start with / and be URL-encoded, once', {
    context: { got: path },
  });
}

/**
 * Headers that no caller may set. The ambassador forwards all of them to the API server. With credentials and
 * identity headers, a request would have other rights than the ambassador. `forwarded`, `x-forwarded-*` and
 * `x-real-ip` would forge the audit log. The transport itself sets all other headers of the list.
 */
const REFUSED =
  /^(?:authorization|proxy-.*|cookie|impersonate-.*|x-remote-.*|x-forwarded-.*|forwarded|x-real-ip|host|connection|keep-alive|upgrade|te|trailer|expect|transfer-encoding|content-length|accept-encoding|user-agent)$/i;

/**
 * Matches a header name according to RFC 9110. Without this check, the pattern above would not recognise a
 * name with a trailing space.
 */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The headers that the transport adds to every request. */
interface FixedHeaders {
  readonly userAgent: string;
  /** The Host header. If undefined, the HTTP library derives it from the origin. */
  readonly host: string | undefined;
}

/**
 * The headers of one request.
 *
 * `accept-encoding: identity` prevents compression. A compressor between the server and the operator would
 * delay watch events until its buffer is full, and compression saves nothing on loopback.
 *
 * @throws ConfigurationError `CONFIG` for a header that the caller may not set.
 */
export function requestHeaders(
  headers: Readonly<Record<string, string>>,
  { userAgent, host }: FixedHeaders,
): Record<string, string> {
  for (const name of Object.keys(headers)) {
    if (REFUSED.test(name) || !NAME.test(name)) {
      throw new ConfigurationError('a request header is not the caller’s to set', {
        context: { header: name },
      });
    }
  }
  return {
    ...headers,
    ...(host === undefined ? {} : { host }),
    'user-agent': userAgent,
    'accept-encoding': 'identity',
  };
}
