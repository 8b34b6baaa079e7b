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
   * The audit annotations that admission adds, as in the audit log of a real server. They are complete when
   * the answer has been sent.
   */
  readonly auditAnnotations: Readonly<Record<string, string>>;
  /** The time of arrival on the server's monotonic clock. */
  readonly at: number;
}
