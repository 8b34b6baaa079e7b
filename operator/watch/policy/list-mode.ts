import { ApiError } from '../../model/status.ts';
import type { WatchReport } from '../watch-once.ts';
import type { ListLimiter } from './list-limiter.ts';

/**
 * How lists are made. `paged`: page by page. `stream`: as the initial events of the watch, which
 * costs the server less memory; a list that cannot be streamed is paged. `auto`: as `stream`, but
 * what could not be streamed is not tried again for an hour.
 */
export type ListMode = 'paged' | 'stream' | 'auto';

/** Streams in a row that may end before their list was complete. */
const MAX_UNFINISHED = 2;

/** Decides, list by list, whether it is streamed. */
export class ListModeChoice {
  readonly #mode: ListMode;
  readonly #limiter: ListLimiter;
  readonly #resource: string;
  #unfinished = 0;
  #fellBack = false;

  constructor(mode: ListMode, limiter: ListLimiter, resource: string) {
    this.#mode = mode;
    this.#limiter = limiter;
    this.#resource = resource;
  }

  /** The list that is due is to be streamed. */
  get streams(): boolean {
    if (this.#mode === 'paged' || this.#fellBack) return false;
    return this.#mode === 'stream' || this.#limiter.mayStream(this.#resource);
  }

  /** A list is complete. */
  listed(): void {
    this.#unfinished = 0;
    this.#fellBack = false;
  }

  /** A stream ended before its list was complete. @returns true when this list is paged now. */
  ended({ outcome, acceptedForMs }: WatchReport): boolean {
    const error = 'error' in outcome ? outcome.error : undefined;
    const broke = acceptedForMs !== undefined && !(error instanceof ApiError);
    if (broke) this.#unfinished++;
    const gaveUp = 'stalled' in outcome || this.#unfinished >= MAX_UNFINISHED;
    this.#fellBack = gaveUp || isStreamingRefused(error);
    if (this.#fellBack) this.#limiter.refuseStreaming(this.#resource);
    return this.#fellBack;
  }
}

/**
 * The server does not know streamed lists, or has them switched off, or cannot watch at all. What it
 * says about it differs from server to server: if the request was wrong in another way, such as an
 * unknown field selector, the list that is paged is refused as well, and shows that.
 */
function isStreamingRefused(error: unknown): boolean {
  return error instanceof ApiError && [400, 405, 422].includes(error.status);
}
