import type { Clock } from '../core/clock.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ListConsistency, ListWatch } from './list-watch.ts';
import type { Pace } from './policy/pace.ts';
import type { ResumePoint } from './resume-point.ts';
import { type WatchConsumer, type WatchReport, watchOnce } from './watch-once.ts';

interface PacedWatchOptions<T extends KubernetesObject> {
  readonly source: Pick<ListWatch<T>, 'watch'>;
  readonly resumePoint: ResumePoint;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly random: () => number;
  /** Each watch is asked to end after a random time of [min, max) seconds. */
  readonly timeoutSeconds: readonly [min: number, max: number];
  /** An event was left out because it is about an object of another kind. */
  readonly onSkipped: () => void;
}

interface NextWatch {
  /** The list that the watch begins with; undefined when it resumes. */
  readonly due: ListConsistency | undefined;
  /** True until that list is complete. */
  readonly awaitsInitialEvents: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * The watches of one source, one after another: each begins at the resume point or with the list that
 * is due, ends after a random time, and tells the pace how it went.
 */
export class PacedWatch<T extends KubernetesObject> {
  readonly #options: PacedWatchOptions<T>;
  /** The watch before saw a line at least every 75 s. */
  #wasLively = false;

  constructor(options: PacedWatchOptions<T>) {
    this.#options = options;
  }

  /** See `watchOnce`. */
  async once(
    consumer: WatchConsumer<T>,
    { due, awaitsInitialEvents, signal }: NextWatch,
  ): Promise<WatchReport> {
    const { source, resumePoint, pace, clock, onSkipped } = this.#options;
    const timeoutSeconds = this.#timeoutSeconds();
    pace.opened();
    const report = await watchOnce(source, consumer, {
      resourceVersion: due === undefined ? (resumePoint.resourceVersion ?? '') : oldestVersion(due),
      ...(due !== undefined && { awaitsInitialEvents }),
      timeoutSeconds,
      livelyBefore: this.#wasLively,
      clock,
      onSkipped,
      signal,
    });
    this.#wasLively = report.lively;
    if (report.acceptedForMs !== undefined) {
      const isHealthy = !('stalled' in report.outcome);
      pace.closed(report.acceptedForMs, timeoutSeconds * 1_000, isHealthy);
    }
    return report;
  }

  #timeoutSeconds(): number {
    const { random, timeoutSeconds } = this.#options;
    const [min, max] = timeoutSeconds;
    return Math.floor(min + (max - min) * random());
  }
}

/** How old a streamed list may be; empty for the newest state. */
function oldestVersion(due: ListConsistency): string {
  if (due.kind === 'latest') return '';
  return due.kind === 'any' ? '0' : due.resourceVersion;
}
