import { type Backoff, exponentialBackoff } from '../core/backoff.ts';
import { type Clock, sleep } from '../core/clock.ts';
import { isOlder, type KubernetesObject } from '../model/object.ts';
import type { ListPage, ListWatch } from './list-watch.ts';
import type { Action, Reason } from './policy/classify.ts';
import { type Decision, RELIST_NOW } from './policy/decision.ts';
import type { ListLimiter } from './policy/list-limiter.ts';
import type { SourceMeter } from './reflector-status.ts';
import type { ResumePoint, VersionView } from './resume-point.ts';
import type { WatchReport } from './watch-once.ts';

/**
 * After this many consecutive stalls, the probe suspects that the server has another history. Before that, it
 * assumes that the connection is dead.
 */
const SUSPICIOUS_STALLS = 2;

/**
 * Reasons that mean that the server could not be reached. The server that answers next may have other data.
 */
const OUT_OF_REACH: ReadonlySet<Reason> = new Set([
  'broken',
  'unreachable',
  'upstream-unreachable',
]);

/**
 * Delays after a list that has failed. Lists may fail several times, because a server that has just started
 * refuses some requests.
 */
const RETRY = { initialMs: 1_000, maxMs: 30_000, factor: 2, jitter: 0.5 } as const;

const ANOTHER_HISTORY: Decision = Object.freeze({ ...RELIST_NOW, reason: 'ahead-of-server' });

interface HistoryProbeOptions {
  readonly source: Pick<ListWatch<KubernetesObject>, 'listPage'>;
  /** The objects that the sink has. */
  readonly view: VersionView;
  readonly resumePoint: ResumePoint;
  readonly limiter: ListLimiter;
  readonly meter: SourceMeter;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called with the resourceVersion of a server that has a different history. */
  readonly found: (resourceVersion: string) => void;
}

/**
 * Detects a server whose history differs from the history that the sink has seen: the server was restored
 * from a backup, or another server now has its address. Such a server accepts a watch from a resourceVersion
 * that it has not reached yet, and sends nothing until it reaches that version. So a silent watch does not
 * tell whether the history is the same, but a list of at most one object does. The list is requested once for
 * each reason for suspicion.
 */
export class HistoryProbe {
  readonly #options: HistoryProbeOptions;
  readonly #backoff: Backoff;
  #stallsInARow = 0;
  #due = false;
  #asking: Promise<void> | undefined;

  constructor(options: HistoryProbeOptions) {
    this.#options = options;
    this.#backoff = exponentialBackoff({ ...RETRY, random: options.random });
  }

  /**
   * Records a reason to request the list: the watch broke off, the server could not be reached, the watch
   * ended without a line, or it stalled for the second time.
   */
  watchEnded(report: WatchReport, { reason }: Action): void {
    this.#stallsInARow = reason === 'stalled' ? this.#stallsInARow + 1 : 0;
    const wasSilent = reason === 'ended' && report.lines === 0;
    const isStalling = this.#stallsInARow >= SUSPICIOUS_STALLS;
    if (wasSilent || isStalling || OUT_OF_REACH.has(reason)) this.#due = true;
  }

  /**
   * Call this when the server has sent a list, or an event or a bookmark that is not older than the resume
   * point.
   */
  heard(): void {
    this.#due = false;
  }

  /**
   * Lists one object if there is a reason for suspicion. Repeats this until the server answers or the watch
   * delivers something. Called when a watch stays silent, and after each batch, because all events of a batch
   * may be older than the resume point.
   *
   * @param end - ends the open watch, which has delivered nothing.
   * @param signal - aborts when that watch ends.
   */
  run(end: (decision: Decision) => void, signal: AbortSignal): void {
    if (!this.#due) return;
    this.#asking ??= this.#askUntilAnswered(end, signal).finally(() => {
      this.#asking = undefined;
    });
  }

  /** Resolves when no request is running. Never rejects. */
  async ended(): Promise<void> {
    await this.#asking;
  }

  async #askUntilAnswered(end: (decision: Decision) => void, signal: AbortSignal): Promise<void> {
    const { clock, found } = this.#options;
    this.#backoff.reset();
    while (this.#due && !signal.aborted) {
      try {
        const resourceVersion = await this.#anotherHistory(signal);
        if (!this.#due || signal.aborted) return;
        this.#due = false;
        if (resourceVersion === undefined) return;
        found(resourceVersion);
        end(ANOTHER_HISTORY);
      } catch {
        await sleep(clock, this.#backoff.nextMs(), signal).catch(() => {});
      }
    }
  }

  /** The resourceVersion of a server with another history; otherwise undefined. */
  async #anotherHistory(signal: AbortSignal): Promise<string | undefined> {
    const { source, resumePoint, limiter, meter, clock } = this.#options;
    const seen = resumePoint.resourceVersion ?? '';
    const release = await limiter.enter(signal);
    const startedAt = clock.monotonic();
    try {
      const consistency = { kind: 'latest' } as const;
      const page = await source.listPage({ consistency, limit: 1, signal });
      meter.listed('probe', 'ok', startedAt);
      const isAnother = isOlder(page.resourceVersion, seen) || this.#isOfAnother(page, seen);
      return isAnother ? page.resourceVersion : undefined;
    } finally {
      release();
    }
  }

  /**
   * True if the server's history must be a different one. This is so if the page contains an object that was
   * last written before `seen`, but that the sink does not have, although the sink has everything up to
   * `seen`. It is also so if the page is empty and the sink has objects.
   */
  #isOfAnother({ items }: ListPage<KubernetesObject>, seen: string): boolean {
    const { view } = this.#options;
    if (items.length === 0) return view.keys()[Symbol.iterator]().next().done !== true;
    return items.some(({ key, uid, resourceVersion }) => {
      const isSeen = resourceVersion === seen || isOlder(resourceVersion, seen);
      return isSeen && view.known(key)?.uid !== uid;
    });
  }
}
