import { abortable, linkedAbort } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import { OBJECTS_PER_SLICE, yieldToEventLoop } from '../core/time-slice.ts';
import type { Entry } from '../model/entry.ts';
import { compareResourceVersions, type KubernetesObject, type ObjectKey } from '../model/object.ts';
import { listAll } from './list.ts';
import type { ListWatch } from './list-watch.ts';
import type { ListLimiter } from './policy/list-limiter.ts';
import type { ReflectorSink } from './reflector-options.ts';
import type { ResumePoint } from './resume-point.ts';

/** A part of a collection: objects that the sink does not contain yet. */
interface Part<T extends KubernetesObject> {
  readonly source: Pick<ListWatch<T>, 'listPage'>;
  /** Adds these objects to the sink. An object is ignored if the sink has a newer state of it. */
  readonly take: (entries: readonly Entry<T>[]) => void | Promise<void>;
  /** True if the sink contains no other objects of the collection. */
  readonly isFirst: boolean;
}

interface WideningOptions {
  readonly resumePoint: ResumePoint;
  readonly limiter: ListLimiter;
  readonly settings: { readonly pageSize: number };
  readonly clock: Clock;
}

/**
 * Milliseconds until a failed list is repeated. The pause is doubled after each failure, up to the maximum.
 */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/**
 * Adds objects of a collection to a sink that already contains other objects of it. The added objects are
 * listed while the watch continues. Then the watch is reopened for all objects. It begins at the version of
 * the list or at the version of the watch, whichever is older, so that no event is missed. Events that are
 * delivered again are outdated, and change nothing.
 */
export class Widening<T extends KubernetesObject> {
  readonly #sink: Pick<ReflectorSink<T>, 'known'>;
  readonly #options: WideningOptions;
  /** Ends the current watch; undefined when there is none. */
  #cut: (() => void) | undefined;
  #hasReopened = false;
  readonly #waiting = new Set<() => void>();
  /** Ends the current pause; undefined when there is none. */
  #endPause: (() => void) | undefined;
  /**
   * The next watch must not begin after this version. If `isFirst` is true, it must begin exactly at this
   * version.
   */
  #rewind: { readonly resourceVersion: string; readonly isFirst: boolean } | undefined;

  constructor(sink: Pick<ReflectorSink<T>, 'known'>, options: WideningOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /** True when this class has ended the current watch in order to reopen it. */
  get hasReopened(): boolean {
    return this.#hasReopened;
  }

  /** Call this when a watch is live. `cut` ends it, so that it is reopened. */
  watching(cut: () => void): void {
    this.#cut = () => {
      this.#hasReopened = true;
      cut();
    };
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Call this when the watch has ended, and none of its events is still being handled. */
  notWatching(): void {
    this.#cut = undefined;
    this.#hasReopened = false;
    const { resumePoint } = this.#options;
    const rewind = this.#rewind;
    this.#rewind = undefined;
    if (rewind === undefined) return;
    const order = compareResourceVersions(
      rewind.resourceVersion,
      resumePoint.resourceVersion ?? '',
    );
    if (rewind.isFirst || (order ?? -1) < 0) resumePoint.rewind(rewind.resourceVersion);
  }

  /** Ends the watch, which is then reopened at its current version. */
  reopen(): void {
    this.#cut?.();
  }

  /**
   * Waits before a failed list or watch is repeated. If a part is added, the wait ends early for two reasons:
   * no other replica works on the objects of this part meanwhile, and the ambassador must be working again,
   * because this replica has just acquired the Lease of the part through it.
   *
   * @param leastMs - the wait that the server has requested. It is never shortened.
   */
  async pause(ms: number, leastMs: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0) return;
    const { clock } = this.#options;
    if (leastMs > 0) await sleep(clock, leastMs, signal);
    using pausing = linkedAbort(signal);
    this.#endPause = () => pausing.abort(new Error('a part is to be taken in'));
    try {
      await sleep(clock, Math.max(ms - leastMs, 0), pausing.signal);
    } catch (error) {
      if (signal.aborted) throw error;
    } finally {
      this.#endPause = undefined;
    }
  }

  /**
   * Resolves when the sink has the objects of a part, and the watch is about to be reopened for this part as
   * well. A failed list is repeated.
   *
   * @throws `signal.reason` when `signal` aborts before that.
   */
  async include({ source, take, isFirst }: Part<T>, signal: AbortSignal): Promise<void> {
    const { clock, resumePoint } = this.#options;
    this.#endPause?.();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      await this.#untilWatching(signal);
      const { lists } = resumePoint;
      // Another list may have replaced everything meanwhile, because the server has gone back to an older
      // state.
      const isReplaced = (): boolean => resumePoint.lists !== lists;
      try {
        const { items, resourceVersion } = await this.#list(source, signal);
        if (isReplaced()) continue;
        for (let from = 0; from < items.length; from += OBJECTS_PER_SLICE) {
          await take(items.slice(from, from + OBJECTS_PER_SLICE));
          await yieldToEventLoop();
        }
        while (this.#cut === undefined) await this.#untilWatching(signal);
        if (isReplaced()) continue;
        this.#rewindTo(resourceVersion, isFirst);
        this.#cut();
        return;
      } catch (error) {
        if (signal.aborted) throw error; // the watch reports the failure
      }
      await sleep(clock, pauseMs, signal);
    }
  }

  /**
   * Records the version at which the next watch must begin. Several parts may be added at the same time, and
   * the next watch must not miss an event of any of them.
   */
  #rewindTo(resourceVersion: string, isFirst: boolean): void {
    const other = this.#rewind;
    const isOlder =
      other === undefined ||
      (compareResourceVersions(resourceVersion, other.resourceVersion) ?? -1) < 0;
    this.#rewind = {
      resourceVersion: isOlder ? resourceVersion : other.resourceVersion,
      isFirst: isFirst || other?.isFirst === true,
    };
  }

  async #list(source: Part<T>['source'], signal: AbortSignal): ReturnType<typeof listAll<T>> {
    const { limiter, settings } = this.#options;
    const { pageSize } = settings;
    const known = (key: ObjectKey): Entry<T> | undefined => this.#sink.known(key);
    const release = await limiter.enter(signal);
    try {
      return await listAll(source, { consistency: { kind: 'latest' }, pageSize, known, signal });
    } finally {
      release();
    }
  }

  async #untilWatching(signal: AbortSignal): Promise<void> {
    while (this.#cut === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await abortable(promise, signal).finally(() => this.#waiting.delete(resolve));
    }
  }
}
