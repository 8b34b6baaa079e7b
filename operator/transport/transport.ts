import type { Readable } from 'node:stream';

/**
 * Headers by which a request would act with other rights than the ambassador's, which forwards them to
 * the API server, or would forge its audit log. Their other spellings are refused when they are sent.
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

/** Headers that a caller may set: any but credentials, and what says who somebody is. */
export type RequestHeaders = Readonly<Record<string, string>> & {
  readonly [name in RefusedHeader]?: never;
};

/** One request, as a client gives it to the transport. */
export interface TransportRequest {
  /** `OPTIONS` asks for nothing that Kubernetes knows: the self-test of the filter sends it. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Path and query, starting with `/`. The transport owns the origin. */
  readonly path: string;
  readonly headers?: RequestHeaders;
  readonly body?: string;
  /**
   * `call`: answered and done, on a small shared pool, under a total deadline.
   * `election`: a call about a Lease, which never waits behind other calls and has a short deadline.
   * `watch`: open for minutes, on a connection of its own, without any implicit timeout.
   */
  readonly purpose: 'call' | 'election' | 'watch';
  /** How long the answer's head may take. Default 40 s for a call, 60 s for a watch. */
  readonly headersTimeoutMs?: number;
  /**
   * Called when the request has got its connection, right before its bytes are put there, which may be
   * long after `send`. When it throws, nothing is sent, and `send` rejects with what it threw.
   */
  readonly beforeSend?: () => void;
  readonly signal: AbortSignal;
}

/** The head of an answer, and its body as it arrives. */
export interface TransportResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Names in lower case; of a header sent twice, both values joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Bytes. A stream, not any async iterable: `destroy()` must close the connection at once. It fails
   * with an AmbassadorError: `CONNECTION_LOST` when the answer breaks off, `AMBASSADOR_TIMEOUT` when
   * a call passes its deadline; and with `request.signal.reason` when aborted.
   */
  readonly body: Readable;
}

/** Moves bytes to and from the ambassador. Knows HTTP, nothing about Kubernetes. */
export interface Transport {
  /**
   * Sends one request; resolves when the head of the answer is there. It repeats nothing.
   *
   * @throws AmbassadorError `AMBASSADOR_UNREACHABLE` or `AMBASSADOR_TIMEOUT` when no response head
   *   arrives; `fate` says whether the request was put on a connection.
   * @throws ProtocolError `NOT_KUBERNETES` when the answer is not HTTP.
   * @throws ConfigurationError `CONFIG` for a path that is not URL-encoded, or that means another one
   *   when it is decoded; and for a header that is the transport's or the ambassador's to set.
   * @throws `request.signal.reason` when aborted.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes every connection; requests under way fail. */
  close(): Promise<void>;
}
