import type { IncomingHttpHeaders } from 'node:http';

/** A request that the server has received. */
export interface RecordedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Name of the user whom authentication found; undefined after a 401. */
  readonly user: string | undefined;
  /** What admission noted about it, as in the audit log of a real server: complete with the answer. */
  readonly auditAnnotations: Readonly<Record<string, string>>;
  /** When it came, by the server's monotonic clock. */
  readonly at: number;
}
