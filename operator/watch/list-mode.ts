import { ApiError } from '../model/status.ts';
import type { ListGate } from './list-gate.ts';
import type { WindowReport } from './watch-window.ts';

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
  readonly #gate: ListGate;
  readonly #resource: string;
  #unfinished = 0;
  #fellBack = false;

  constructor(mode: ListMode, gate: ListGate, resource: string) {
    this.#mode = mode;
    this.#gate = gate;
    this.#resource = resource;
  }

  /** The list that is due is to be streamed. */
  get streams(): boolean {
    if (this.#mode === 'paged' || this.#fellBack) return false;
    return this.#mode === 'stream' || this.#gate.mayStream(this.#resource);
  }

  /** A list is complete. */
  listed(): void {
    this.#unfinished = 0;
    this.#fellBack = false;
  }

  /** A stream ended before its list was complete. @returns true when this list is paged now. */
  ended({ outcome, acceptedForMs }: WindowReport): boolean {
    const error = 'error' in outcome ? outcome.error : undefined;
    const broke = acceptedForMs !== undefined && !(error instanceof ApiError);
    if (broke) this.#unfinished++;
    const gaveUp = 'stalled' in outcome || this.#unfinished >= MAX_UNFINISHED;
    this.#fellBack = gaveUp || isStreamingRefused(error);
    if (this.#fellBack) this.#gate.refuseStreaming(this.#resource);
    return this.#fellBack;
  }
}

/** The server does not know streamed lists, or has them switched off, or cannot watch at all. */
function isStreamingRefused(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 405) return true;
  const concerns = /sendInitialEvents|resourceVersionMatch/;
  return (error.status === 400 || error.status === 422) && concerns.test(error.message);
}
