import { isOlder, type KubernetesObject } from '../../model/object.ts';
import { ApiError } from '../../model/status.ts';
import type { ListWatch } from '../list-watch.ts';
import type { SourceMeter } from '../reflector-status.ts';
import type { WatchReport } from '../watch-once.ts';
import type { Action } from './classify.ts';
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

/** Stalls in a row after which not only the line is suspected. */
const SUSPICIOUS_STALLS = 2;

interface RegressionProbeOptions {
  readonly source: Pick<ListWatch<KubernetesObject>, 'listPage'>;
  readonly limiter: ListLimiter;
  readonly meter: SourceMeter;
  readonly monotonic: () => number;
}

/**
 * Finds a server that has gone back in time: it accepts a watch from a future resourceVersion, and
 * is silent until it gets there.
 */
export class RegressionProbe {
  readonly #options: RegressionProbeOptions;
  #stallsInARow = 0;

  constructor(options: RegressionProbeOptions) {
    this.#options = options;
  }

  /** A window without a line, or a second stall, gives reason to ask. */
  suspects(report: WatchReport, { reason }: Action): boolean {
    this.#stallsInARow = reason === 'stalled' ? this.#stallsInARow + 1 : 0;
    const silent = reason === 'ended' && report.lines === 0;
    return silent || this.#stallsInARow >= SUSPICIOUS_STALLS;
  }

  /** The server's resourceVersion when it is older than `seen`; otherwise undefined. */
  async find(seen: string, signal: AbortSignal): Promise<string | undefined> {
    const { source, limiter, meter, monotonic } = this.#options;
    const release = await limiter.enter(signal);
    const startedAt = monotonic();
    try {
      const consistency = { kind: 'latest' } as const;
      const { resourceVersion } = await source.listPage({ consistency, limit: 1, signal });
      meter.listed('probe', 'ok', startedAt);
      return isOlder(resourceVersion, seen) ? resourceVersion : undefined;
    } catch {
      return undefined; // the watch that follows meets the same failure, and is classified
    } finally {
      release();
    }
  }
}
