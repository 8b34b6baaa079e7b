import type { Readable } from 'node:stream';

/**
 * Headers that would make a request act with rights other than the ambassador's, or would forge its
 * audit log: the ambassador forwards them to the API server. `send` refuses their other spellings.
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

/** Headers that a caller may set: all except credentials and headers that assert an identity. */
export type RequestHeaders = Readonly<Record<string, string>> & {
  readonly [name in RefusedHeader]?: never;
};

/** One request, as a client passes it to the transport. */
export interface TransportRequest {
  /** Kubernetes does not use `OPTIONS`; the self-test of the filter sends it. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Path and query, starting with `/`. The transport owns the origin. */
  readonly path: string;
  readonly headers?: RequestHeaders;
  readonly body?: string;
  /**
   * - `call`: one answer, on a small shared pool, under a total deadline.
   * - `election`: a call about a Lease. It never waits behind other calls and has a short deadline.
   * - `watch`: open for minutes, on its own connection, without a total deadline.
   */
  readonly purpose: 'call' | 'election' | 'watch';
  /** How long the answer's head may take. Default 40 s for a call, 60 s for a watch. */
  readonly headersTimeoutMs?: number;
  /**
   * Called when the request has its connection, right before its bytes are written. That may be
   * long after `send`. If it throws, nothing is sent and `send` rejects with the same error.
   */
  readonly beforeSend?: () => void;
  readonly signal: AbortSignal;
}

/** The head of an answer, and the body that is still arriving. */
export interface TransportResponse {
  /** The HTTP status code. */
  readonly status: number;
  /** Names are in lower case. A header that was sent twice has both values, joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Bytes. This is a stream and not just an async iterable, because `destroy()` must close the
   * connection at once. It fails with an AmbassadorError: `CONNECTION_LOST` when the answer breaks
   * off, `AMBASSADOR_TIMEOUT` when a call passes its deadline. When aborted it fails with
   * `request.signal.reason`.
   */
  readonly body: Readable;
}

/** Moves bytes to and from the ambassador. Knows HTTP, nothing about Kubernetes. */
export interface Transport {
  /**
   * Sends one request. Resolves when the head of the answer has arrived. Never retries.
   *
   * @throws AmbassadorError `AMBASSADOR_UNREACHABLE` or `AMBASSADOR_TIMEOUT` when no response head
   *   arrives; `fate` says whether the request was put on a connection.
   * @throws ProtocolError `NOT_KUBERNETES` when the answer is not HTTP.
   * @throws ConfigurationError `CONFIG` for a path that is not URL-encoded or that decodes to a
   *   different path, and for a header that only the transport or the ambassador may set.
   * @throws `request.signal.reason` when aborted.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes every connection. Requests under way fail. */
  close(): Promise<void>;
}
