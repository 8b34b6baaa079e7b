import type { Readable } from 'node:stream';

/**
 * Headers that a caller must not set, because the ambassador forwards them to the API server. A request with
 * such a header would have other rights than the ambassador, or would forge the audit log. `send` also
 * refuses them in any other mix of upper and lower case.
 */
type RefusedHeader =
  | 'authorization'
  | 'cookie'
  | 'forwarded'
  | `impersonate-${string}`
  | `proxy-${string}`
  | `x-forwarded-${string}`
  | `x-remote-${string}`
  | 'Authorization'
  | 'Cookie'
  | 'Forwarded'
  | `Impersonate-${string}`
  | `Proxy-${string}`
  | `X-Forwarded-${string}`
  | `X-Remote-${string}`;

/** Headers that a caller may set: all headers except for credentials and headers that assert an identity. */
export type RequestHeaders = Readonly<Record<string, string>> & {
  readonly [name in RefusedHeader]?: never;
};

/** One request, as a client passes it to the transport. */
export interface TransportRequest {
  /** The HTTP method. Kubernetes does not use `OPTIONS`; only the self-test of the filter sends it. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Path and query, starting with `/`. The transport adds the origin. */
  readonly path: string;
  readonly headers?: RequestHeaders;
  readonly body?: string;
  /**
   * - `call`: a request with one answer. It shares a small pool of connections, and has a deadline for the
   *   whole call.
   * - `election`: a call about a Lease. It never waits behind other calls and has a short deadline.
   * - `watch`: open for minutes, on its own connection, without a deadline.
   */
  readonly purpose: 'call' | 'election' | 'watch';
  /** Milliseconds until the headers of the answer must arrive. Default: 60 s for a watch, otherwise 40 s. */
  readonly headersTimeoutMs?: number;
  /**
   * Called when the request has a connection, right before its bytes are written. This may be long after
   * `send` was called. If it throws, nothing is sent and `send` rejects with the same error.
   */
  readonly beforeSend?: () => void;
  readonly signal: AbortSignal;
}

/** The status and headers of an answer, and the body that is still arriving. */
export interface TransportResponse {
  /** The HTTP status code. */
  readonly status: number;
  /** The header names are in lower case. A header that was sent twice has both values, joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes of the body. This is a stream and not just an async iterable, because `destroy()` must close
   * the connection at once. It fails with an AmbassadorError: `CONNECTION_LOST` when the answer breaks off,
   * `AMBASSADOR_TIMEOUT` when a call exceeds its deadline. When the request is aborted, it fails with
   * `request.signal.reason`.
   */
  readonly body: Readable;
}

/**
 * Sends bytes to the ambassador and receives bytes from it. It implements only HTTP, and nothing of
 * Kubernetes.
 */
export interface Transport {
  /**
   * Sends one request. Resolves when the headers of the answer have arrived. Never retries.
   *
   * @throws AmbassadorError `AMBASSADOR_UNREACHABLE` or `AMBASSADOR_TIMEOUT` when no response headers arrive;
   *   `fate` tells if the request was put on a connection.
   * @throws ProtocolError `NOT_KUBERNETES` when the answer is not HTTP.
   * @throws ConfigurationError `CONFIG` for a path that is not URL-encoded or that decodes to a different
   *   path, and for a header that only the transport or the ambassador may set.
   * @throws `request.signal.reason` when aborted.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes every connection. Running requests fail. */
  close(): Promise<void>;
}
