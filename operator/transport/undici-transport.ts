import { type Clock, systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { VERSION } from '../core/version.ts';
import { parseApiUrl } from './api-url.ts';
import { connector } from './connector.ts';
import { Exchange } from './exchange.ts';
import { requestHeaders } from './request-headers.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { type Pool, undiciPool } from './undici-pool.ts';

/** How the transport names itself, and what it limits. Each option has a default. */
export interface UndiciTransportOptions {
  /** How we name ourselves to the API server. Default `chancery/VERSION`. */
  readonly userAgent?: string;
  /** Calls on the wire at one time; more wait. Watches and leases do not count. Default 64. */
  readonly maxInFlight?: number;
  /**
   * How long a call may take from `send` to the last byte of its answer, waiting included. Default
   * 65 s: the API server gives up a read after 60 s.
   */
  readonly callDeadlineMs?: number;
  /**
   * The same for a request about a Lease. Default 5 s: half of the 10 s after which a leader that
   * cannot renew must stop, so that a second attempt fits in.
   */
  readonly leaseDeadlineMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

const DEFAULT_TRANSPORT_OPTIONS: Required<UndiciTransportOptions> = {
  userAgent: `chancery/${VERSION}`,
  maxInFlight: 64,
  callDeadlineMs: 65_000,
  leaseDeadlineMs: 5_000,
  clock: systemClock,
};

/**
 * Longer than what others give up after, so that their answers, which say what happened, come first:
 * the API server a write after 34 s, `kubectl proxy` an upstream that it cannot connect to after
 * 30 s. A watch may have to queue at the server.
 */
const HEADERS_TIMEOUT_MS = { call: 40_000, election: 40_000, watch: 60_000 } as const;

/** A renewal and, while that one hangs, the attempt after it. */
const LEASE_CONNECTIONS = 2;

/** On a loopback a connection is there in 0.1 ms or something is wrong. */
const CONNECT_TIMEOUT_MS = 4_000;

/** A connection idle for longer may be one that a restarted proxy no longer knows. */
const KEEP_ALIVE_MS = 3_000;

/** Longest answer head in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * A Transport to the ambassador at `http://127.0.0.1:8001` or `unix:/path.sock`.
 *
 * Calls share at most `maxInFlight` connections; leases have their own, so that no crowd of calls
 * costs the leadership; and so has every watch, which never delays a call. There is no limit of
 * requests per second: the API server shares itself out fairly. Redirects are not followed, `HTTP_PROXY` is not read, and nothing is retried. Opens no
 * connection before the first request; `close` must be called by whoever made it.
 *
 * @throws ConfigurationError `CONFIG` for any other kind of URL, and for a limit below one.
 */
export function undiciTransport(apiUrl: string, options: UndiciTransportOptions = {}): Transport {
  const { userAgent, maxInFlight, callDeadlineMs, leaseDeadlineMs, clock } = {
    ...DEFAULT_TRANSPORT_OPTIONS,
    ...options,
  };
  requirePositive('maxInFlight', maxInFlight);
  requirePositive('callDeadlineMs', callDeadlineMs);
  requirePositive('leaseDeadlineMs', leaseDeadlineMs);
  const deadlinesMs = { call: callDeadlineMs, election: leaseDeadlineMs, watch: undefined };
  const { origin, socketPath, host } = parseApiUrl(apiUrl);

  const shared: Pool.Options = {
    connect: connector({ socketPath, timeoutMs: CONNECT_TIMEOUT_MS, clock }),
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The library's own 300 s would end a quiet watch; the exchange keeps the timers.
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
    // `pipelining: 0` sends `connection: close`: a connection that carried a watch is not reused.
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

/** A segment that is empty or all dots, or a separator or `%` that a second decoding would find. */
const MEANS_ANOTHER = /\/(?:\/|(?:[.]|%2e){1,2}(?:\/|$))|\\|#|%(?:2f|5c|25|[01][0-9a-f]|7f)/i;

/**
 * Printable ASCII only, anything else has to be percent-encoded by the caller; and no path that the
 * ambassador's filter and the API server could understand differently.
 */
function requirePath(path: string): void {
  const [withoutQuery = ''] = path.split('?', 1);
  if (/^\/[!-~]*$/.test(path) && !MEANS_ANOTHER.test(withoutQuery)) return;
  throw new ConfigurationError('a request path must start with / and be URL-encoded, once', {
    context: { got: path },
  });
}
