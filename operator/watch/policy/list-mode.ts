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
 * after a failure to stream, the resource is paged for an hour.
 */
export type ListMode = 'paged' | 'stream' | 'auto';

/** Consecutive streams that may end before their list is complete. */
const MAX_UNFINISHED = 2;

/** Decides for each list whether it is streamed. */
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

  /** Whether to stream the list that is due. */
  get streams(): boolean {
    if (this.#mode === 'paged' || this.#fellBack) return false;
    return this.#mode === 'stream' || this.#limiter.mayStream(this.#resource);
  }

  /** A list is complete. */
  listed(): void {
    this.#unfinished = 0;
    this.#fellBack = false;
  }

  /** A stream ended before its list was complete. @returns true when this list is now paged. */
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
 * The server does not know streamed lists, has them disabled, or cannot watch at all. Its message
 * differs between servers. If the request was wrong in another way, such as an unknown field
 * selector, the paged list is refused too and shows the reason.
 */
function isStreamingRefused(error: unknown): boolean {
  return error instanceof ApiError && [400, 405, 422].includes(error.status);
}

/** Consecutive stalls after which the server is suspected, not only the connection. */
const SUSPICIOUS_STALLS = 2;

interface RegressionProbeOptions {
  readonly source: Pick<ListWatch<KubernetesObject>, 'listPage'>;
  readonly limiter: ListLimiter;
  readonly meter: SourceMeter;
  readonly monotonic: () => number;
}

/**
 * Detects a server that has gone back in time. Such a server accepts a watch from a future
 * resourceVersion and stays silent until it gets there.
 */
export class RegressionProbe {
  readonly #options: RegressionProbeOptions;
  #stallsInARow = 0;

  constructor(options: RegressionProbeOptions) {
    this.#options = options;
  }

  /** A watch that ended without a line, or a second stall, is a reason to check. */
  suspects(report: WatchReport, { reason }: Action): boolean {
    this.#stallsInARow = reason === 'stalled' ? this.#stallsInARow + 1 : 0;
    const silent = reason === 'ended' && report.lines === 0;
    return silent || this.#stallsInARow >= SUSPICIOUS_STALLS;
  }

  /** The server's resourceVersion if it is older than `seen`; otherwise undefined. */
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
      return undefined; // the next watch gets the same failure, and is classified
    } finally {
      release();
    }
  }
}
