import type { Clock } from '../../core/clock.ts';

/** Lists at a time in one process: a restart of an API server must not cost it one per source. */
const DEFAULT_CONCURRENT_LISTS = 4;

/** More sources than this do not start at the same moment. */
const CALM_START_SOURCES = 10;
const START_SPREAD_MS = 1_000;

/** How long a resource that cannot stream its list is listed page by page without trying again. */
const REFUSAL_MS = 60 * 60 * 1_000;

interface ListLimiterOptions {
  readonly clock: Clock;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Lists at a time. Default 4. */
  readonly concurrentLists?: number;
}

/** Ends a list that the limiter has admitted. Calling it twice does nothing. */
type Release = () => void;

/** A source that has joined a limiter, until it leaves. */
export interface LimitedSource {
  /** How long to wait before the first list, once every source of the process has joined. */
  startDelayMs(): number;
  /** A failure has made a list necessary: how long to wait before `relistDelayMs` is asked. */
  needsRelist(): number;
  /** How long to wait then: lists that many sources need at once are spread over two seconds. */
  relistDelayMs(): number;
  leave(): void;
}

interface Waiting {
  readonly admit: () => void;
}

/**
 * What the sources of one process share, so that together they are gentle to the API server: how
 * many list at a time, when they start, and which resources cannot stream their lists.
 *
 * First come, first served. Waiting is no failure, and is not reported as one.
 */
export class ListLimiter {
  readonly #clock: Clock;
  readonly #random: () => number;
  #free: number;
  readonly #queue: Waiting[] = [];
  /** In the order in which they joined. */
  readonly #sources = new Set<LimitedSource>();
  readonly #relists: RelistSpread;
  readonly #refusedAt = new Map<string, number>();

  constructor({ clock, random = Math.random, concurrentLists }: ListLimiterOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#free = concurrentLists ?? DEFAULT_CONCURRENT_LISTS;
    this.#relists = new RelistSpread(clock, random);
  }

  /** Counts a source in. */
  join(): LimitedSource {
    const source: LimitedSource = {
      startDelayMs: () => this.#startDelayMs(source),
      needsRelist: () => this.#relists.needed(source, this.#sources.size),
      relistDelayMs: () => this.#relists.delayMs(source),
      leave: () => {
        this.#sources.delete(source);
        this.#relists.forget(source);
      },
    };
    this.#sources.add(source);
    return source;
  }

  /**
   * Resolves when a list may be sent; the caller must release the place when it has ended.
   *
   * @throws `signal.reason` when aborted first; no place is taken then.
   */
  enter(signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      if (this.#free > 0) {
        this.#free--;
        resolve(this.#place());
        return;
      }
      const onAbort = (): void => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        admit: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(this.#place());
        },
      };
      this.#queue.push(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** A resource cannot stream its list; said by group, version and name. */
  refuseStreaming(resource: string): void {
    this.#refusedAt.set(resource, this.#clock.monotonic());
  }

  /** It is not known that `resource` cannot stream its list, or that was an hour ago. */
  mayStream(resource: string): boolean {
    const refusedAt = this.#refusedAt.get(resource);
    return refusedAt === undefined || this.#clock.monotonic() - refusedAt >= REFUSAL_MS;
  }

  /** A place that its holder has; it goes straight to whoever waits longest. */
  #place(): Release {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#queue.shift();
      if (next === undefined) this.#free++;
      else next.admit();
    };
  }

  /** Spread over a second, each in its own slot, so that the order of joining is kept. */
  #startDelayMs(source: LimitedSource): number {
    if (this.#sources.size <= CALM_START_SOURCES) return 0;
    const slot = [...this.#sources].indexOf(source);
    return ((slot + this.#random()) / this.#sources.size) * START_SPREAD_MS;
  }
}

/** So many sources that must list anew within a second have lost their watches together. */
const MASS_SOURCES = 5;
const MASS_WINDOW_MS = 1_000;
const MASS_SPREAD_MS = 2_000;

/**
 * How long a relist waits to see whether others follow. Watches that were cut together come back up
 * to 250 ms apart (`pace.ts`), and only then learn that they must list.
 */
const LOOKOUT_MS = 250;

interface Need {
  readonly at: number;
  /** Drawn once it is known that others need a list too. */
  startAt: number | undefined;
}

/** When the sources of one process list anew after they have lost their watches together. */
class RelistSpread {
  readonly #clock: Clock;
  readonly #random: () => number;
  /** The newest of each source. */
  readonly #needs = new Map<object, Need>();

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * `source`, one of `sources`, must list anew. Who waits as long as is said, and asks `delayMs` then,
   * knows whether the others must as well; a process of fewer than five sources need not wait.
   */
  needed(source: object, sources: number): number {
    const nowMs = this.#clock.monotonic();
    this.#needs.set(source, { at: nowMs, startAt: undefined });
    const recent = [...this.#needs.values()].filter(({ at }) => nowMs - at <= MASS_WINDOW_MS);
    if (recent.length >= MASS_SOURCES) for (const need of recent) this.#draw(need);
    return sources < MASS_SOURCES ? 0 : LOOKOUT_MS;
  }

  /** How long to wait from now on: 0 when few others need a list. */
  delayMs(source: object): number {
    const startAt = this.#needs.get(source)?.startAt ?? 0;
    return Math.max(0, startAt - this.#clock.monotonic());
  }

  forget(source: object): void {
    this.#needs.delete(source);
  }

  #draw(need: Need): void {
    if (need.startAt !== undefined) return;
    const laterMs = LOOKOUT_MS + (MASS_SPREAD_MS - LOOKOUT_MS) * this.#random();
    need.startAt = need.at + laterMs;
  }
}
