import type { KubernetesObject } from '../../model/object.ts';
import { isOlder } from '../../model/resource-version.ts';
import type { ListWatch } from '../list-watch.ts';
import type { SourceMeter } from '../reflector-status.ts';
import type { WatchReport } from '../watch-once.ts';
import type { Action } from './classify.ts';
import type { ListLimiter } from './list-limiter.ts';

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
