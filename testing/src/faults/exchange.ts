import type { ServerResponse } from 'node:http';
import type { Clock } from 'chancery';

/** One request as a `ScriptedServer` got it. */
export interface ServedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Decoded; of a parameter sent twice, the last. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  readonly isWatch: boolean;
  /** When it arrived, by the monotonic time of the server's clock. */
  readonly atMs: number;
  /** The answer is complete, or the connection is gone. */
  readonly closed: boolean;
}

/** A request, and the means to answer it. */
export interface Exchange {
  readonly request: ServedRequest;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** Aborts when the answer is complete or the connection has ended, on either side. */
  readonly signal: AbortSignal;
}

/**
 * Answers one request. May take its time; what it throws after `signal` has aborted is ignored, and
 * anything else is a bug of the test that `ScriptedServer.close` reports.
 */
export type Reply = (exchange: Exchange) => void | Promise<void>;

/**
 * How an answer ends.
 *
 * - `finish`: in order.
 * - `cut`: FIN in the middle; a chunked body lacks its last chunk.
 * - `reset`: RST.
 * - `hang`: not at all, the connection stays open.
 */
export type End = 'finish' | 'cut' | 'reset' | 'hang';
