import { ApiError } from '../../model/status.ts';
import type { WatchReport } from '../watch-once.ts';
import type { ListLimiter } from './list-limiter.ts';

/**
 * How lists are made. `paged`: lists are read page by page. `stream`: lists are read as the initial events of
 * a watch, which costs the server less memory; a list that cannot be streamed is read page by page. `auto`:
 * like `stream`, but if streaming fails, lists of the resource are read page by page for an hour.
 */
export type ListMode = 'paged' | 'stream' | 'auto';

/**
 * Number of consecutive streams that end before their list is complete, after which the list is read page by
 * page.
 */
const MAX_UNFINISHED = 2;

/** Decides for each list if it is streamed. */
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

  /** True if the next list should be streamed. */
  get streams(): boolean {
    if (this.#mode === 'paged' || this.#fellBack) return false;
    return this.#mode === 'stream' || this.#limiter.mayStream(this.#resource);
  }

  /** Call this when a list is complete. */
  listed(): void {
    this.#unfinished = 0;
    this.#fellBack = false;
  }

  /**
   * Call this when a stream ended before its list was complete.
   *
   * @returns true when this list must now be listed page by page.
   */
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
 * True if the server does not support streamed lists, has disabled them, or cannot watch at all. The message
 * is not read, because it differs between servers. If the request has another mistake, such as an unknown
 * field selector, the server also refuses the paged list, which then reports the reason.
 */
function isStreamingRefused(error: unknown): boolean {
  return error instanceof ApiError && [400, 405, 422].includes(error.status);
}
