import type { ServerResponse } from 'node:http';
import type { Clock } from 'chancery';

/** One request that a `ScriptedServer` has received. */
export interface ServedRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The decoded query. If a parameter is sent twice, the last value counts. */
  readonly query: Readonly<Record<string, string>>;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  readonly isWatch: boolean;
  /** The time of arrival on the server's monotonic clock. */
  readonly atMs: number;
  /** True if the answer is complete, or the connection has ended. */
  readonly closed: boolean;
}

/** A request, and the objects needed to answer it. */
export interface Exchange {
  readonly request: ServedRequest;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** Aborts when the answer is complete or either side has ended the connection. */
  readonly signal: AbortSignal;
}

/**
 * Answers one request, possibly after a delay. Errors after `signal` has aborted are ignored. Any other error
 * is a bug of the test, and `ScriptedServer.close` reports it.
 */
export type Reply = (exchange: Exchange) => void | Promise<void>;

/**
 * The way in which an answer ends.
 *
 * - `finish`: it ends normally.
 * - `cut`: the server sends FIN in the middle of the answer. A chunked body lacks its last chunk.
 * - `reset`: the server sends RST.
 * - `hang`: it does not end. The connection stays open.
 */
export type End = 'finish' | 'cut' | 'reset' | 'hang';
