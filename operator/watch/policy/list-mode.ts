import { ApiError } from '../../model/status.ts';
import type { WatchReport } from '../watch-once.ts';
import type { ListLimiter } from './list-limiter.ts';

/**
 * How lists are made. `paged`: page by page. `stream`: as the initial events of the watch, which costs the
 * server less memory; a list that cannot be streamed is paged. `auto`: like `stream`, but after a failure to
 * stream, the resource is paged for an hour.
 */
export type ListMode = 'paged' | 'stream' | 'auto';

/** Number of consecutive streams that may end before their list is complete. */
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
 * True if the server does not know streamed lists, has them disabled, or cannot watch at all. Its message
 * differs between servers. If something else was wrong with the request, such as an unknown field selector,
 * the paged list is refused as well and shows the reason.
 */
function isStreamingRefused(error: unknown): boolean {
  return error instanceof ApiError && [400, 405, 422].includes(error.status);
}
