import { abortable } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { isOlder } from '../model/resource-version.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import type { ListPagesRequest } from './list.ts';
import type { ListWatch } from './list-watch.ts';
import type { ListLimiter } from './policy/list-limiter.ts';
import type { ResumePoint } from './resume-point.ts';
import type { SourceMeter } from './source-meter.ts';
import { Verification, type VersionView } from './verification.ts';

/** What a verifier compares, and whom it tells. */
interface VerifierOptions {
  readonly source: Pick<ListWatch<KubernetesObject>, 'listPage'>;
  readonly view: VersionView;
  readonly resumePoint: ResumePoint;
  readonly limiter: ListLimiter;
  readonly meter: SourceMeter;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pageSize: number;
  /** How else the list is read. */
  readonly paging: Pick<ListPagesRequest, 'known' | 'bySize'>;
  /** Mean time between comparisons; 0 for none but those that are asked for. */
  readonly intervalMs: number;
  /** A comparison has ended. */
  readonly verified: (drift: readonly ObjectKey[]) => void;
  /** The list of a comparison was older than what had been seen before. */
  readonly regressed: (resourceVersion: string) => void;
}

/** Compares a cache with the server now and then, and when asked, beside a watch that goes on. */
export class Verifier {
  readonly #options: VerifierOptions;
  #signal: AbortSignal | undefined;
  /** Ends the watch under way, so that a list repairs the cache. */
  #cut: (() => void) | undefined;
  readonly #waiting = new Set<() => void>();
  /** What compares now; undefined also when a list has replaced the cache that it compares. */
  #verification: Verification | undefined;
  #underWay: Promise<readonly ObjectKey[]> | undefined;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Compares every now and then, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const { intervalMs, clock, random } = this.#options;
    while (intervalMs > 0) {
      await sleep(clock, intervalMs * (0.8 + 0.4 * random()), signal);
      if (this.#cut === undefined) continue; // listing or waiting: a list is due anyway
      await this.verify().catch(() => {
        // The watch beside it meets the same failure and reports it; the next round tries again.
      });
    }
  }

  /** No more comparisons. */
  stop(): void {
    this.#signal = undefined;
  }

  /** A watch is live; `cut` ends it. */
  watching(cut: () => void): void {
    this.#cut = cut;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  notWatching(): void {
    this.#cut = undefined;
  }

  /** The cache is being replaced: a comparison under way has nothing to say about the new one. */
  replaced(): void {
    this.#verification = undefined;
  }

  /** Must see every batch that the watch delivers. */
  observe(batch: readonly WatchEvent<KubernetesObject>[]): void {
    this.#verification?.observe(batch);
  }

  /** See `Reflector.verify`. */
  verify(): Promise<readonly ObjectKey[]> {
    this.#underWay ??= this.#verify().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #verify(): Promise<readonly ObjectKey[]> {
    const signal = this.#signal;
    if (signal === undefined) {
      throw new OperatorError('a source that does not run cannot be verified', {
        code: 'NOT_SYNCED',
        layer: 'user-code',
      });
    }
    await this.#untilWatching(signal);
    const { view, clock, limiter } = this.#options;
    const verification = new Verification(view, clock);
    this.#verification = verification;
    const release = await limiter.enter(signal);
    try {
      return await this.#compare(verification, release, signal);
    } finally {
      release();
      if (this.#verification === verification) this.#verification = undefined;
    }
  }

  async #compare(
    verification: Verification,
    release: () => void,
    signal: AbortSignal,
  ): Promise<readonly ObjectKey[]> {
    const { source, resumePoint, meter, clock, verified, regressed } = this.#options;
    const { pageSize, paging } = this.#options;
    const startedAt = clock.monotonic();
    const seen = resumePoint.resourceVersion;
    const listed = (resourceVersion: string): void => {
      release();
      meter.listed('verify', 'ok', startedAt);
      if (seen === undefined || !isOlder(resourceVersion, seen)) return;
      regressed(resourceVersion);
      this.#cut?.();
    };
    const drift = await verification.run(source, { ...paging, pageSize, signal }, listed);
    if (this.#verification !== verification) return []; // a list has replaced the cache since
    meter.drifted(drift.length);
    verified(drift);
    if (drift.length > 0) this.#cut?.();
    return drift;
  }

  async #untilWatching(signal: AbortSignal): Promise<void> {
    while (this.#cut === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await abortable(promise, signal).finally(() => this.#waiting.delete(resolve));
    }
  }
}
