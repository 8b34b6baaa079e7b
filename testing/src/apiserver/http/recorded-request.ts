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
  /** When it came, by the server's monotonic clock. */
  readonly at: number;
}
