import type { IncomingHttpHeaders } from 'node:http';

/** A request that the server has received. */
export interface RecordedRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The name of the user that authentication found; undefined after a 401. */
  readonly user: string | undefined;
  /**
   * The audit annotations of admission, as in the audit log of a real server. Complete once the
   * answer is sent.
   */
  readonly auditAnnotations: Readonly<Record<string, string>>;
  /** The time of arrival on the server's monotonic clock. */
  readonly at: number;
}
