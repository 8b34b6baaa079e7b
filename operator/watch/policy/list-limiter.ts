import type { Clock } from '../../core/clock.ts';

/**
 * Default number of concurrent lists in one process. The number is limited so that a restart of an API server
 * does not cause a list of every source at the same time.
 */
const DEFAULT_CONCURRENT_LISTS = 4;

/** If a process has more sources than this, their starts are spread over `START_SPREAD_MS`. */
const CALM_START_SOURCES = 10;
const START_SPREAD_MS = 1_000;

/**
 * Milliseconds for which a resource that cannot stream its list is listed page by page, before streaming is
 * tried again.
 */
const REFUSAL_MS = 60 * 60 * 1_000;

interface ListLimiterOptions {
  readonly clock: Clock;
  /** Random source: uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Maximum number of concurrent lists. Default 4. */
  readonly concurrentLists?: number;
}

/** Tells the limiter that an admitted list has ended. A second call does nothing. */
type Release = () => void;

/** A source in a limiter, from `join` to `leave`. */
export interface LimitedSource {
  /**
   * Returns how many milliseconds to wait before the first list. Must not be called before all sources of the
   * process have joined.
   */
  startDelayMs(): number;
  /**
   * Call this when a failure has made a list necessary. Returns the milliseconds to wait before calling
   * `relistDelayMs`.
   */
  needsRelist(): number;
  /**
   * Milliseconds to wait after the time that `needsRelist` returned. If many sources need a list at once,
   * their lists are spread over two seconds.
   */
  relistDelayMs(): number;
  leave(): void;
}

interface Waiting {
  readonly admit: () => void;
}

/**
 * Protects the API server from the sources of one process, which share the limiter. It decides how many
 * sources may list at a time and when they start, and remembers which resources cannot stream their lists.
 *
 * Lists are admitted in the order in which they were requested. A source that waits for its turn is not
 * reported as failing.
 */
export class ListLimiter {
  readonly #clock: Clock;
  readonly #random: () => number;
  #free: number;
  readonly #queue: Waiting[] = [];
  /** The sources, in the order in which they joined. */
  readonly #sources = new Set<LimitedSource>();
  readonly #relists: RelistSpread;
  readonly #refusedAt = new Map<string, number>();

  constructor({ clock, random = Math.random, concurrentLists }: ListLimiterOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#free = concurrentLists ?? DEFAULT_CONCURRENT_LISTS;
    this.#relists = new RelistSpread(clock, random);
  }

  /** Adds a source. */
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
   * Resolves when a list may be sent. When the list has ended, the caller must call the function to which the
   * promise resolves.
   *
   * @throws `signal.reason` when `signal` aborts before that. There is then nothing to release.
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

  /** Records that a resource, identified by group, version and name, cannot stream its list. */
  refuseStreaming(resource: string): void {
    this.#refusedAt.set(resource, this.#clock.monotonic());
  }

  /** True unless a refusal to stream `resource` was recorded within the last hour. */
  mayStream(resource: string): boolean {
    const refusedAt = this.#refusedAt.get(resource);
    return refusedAt === undefined || this.#clock.monotonic() - refusedAt >= REFUSAL_MS;
  }

  /**
   * Takes one of the limited places for a list, and returns the function that releases the place. A released
   * place passes to the list that has waited longest.
   */
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

  /**
   * Spreads the starts of sources over a second. Each source has its own part of this second, so that the
   * sources start in the order in which they joined.
   */
  #startDelayMs(source: LimitedSource): number {
    if (this.#sources.size <= CALM_START_SOURCES) return 0;
    const slot = [...this.#sources].indexOf(source);
    return ((slot + this.#random()) / this.#sources.size) * START_SPREAD_MS;
  }
}

/**
 * If at least this many sources need a relist within `MASS_WINDOW_MS`, they have probably lost their watches
 * at the same time.
 */
const MASS_SOURCES = 5;
const MASS_WINDOW_MS = 1_000;
const MASS_SPREAD_MS = 2_000;

/**
 * Milliseconds for which a relist waits, to find out if other sources need one as well. Watches that were cut
 * at the same time reconnect up to 250 ms apart (`pace.ts`), and only then find out that they must list.
 */
const LOOKOUT_MS = 250;

interface Need {
  readonly at: number;
  /** The time when the list starts. It is chosen at random when enough other sources need a list as well. */
  startAt: number | undefined;
}

/** Spreads the relists of one process over time if its sources have lost their watches at the same time. */
class RelistSpread {
  readonly #clock: Clock;
  readonly #random: () => number;
  /** For each source, the time when it last needed a list. */
  readonly #needs = new Map<object, Need>();

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Records that `source` must list again. `sources` is the number of sources in the process. Returns the
   * milliseconds to wait before calling `delayMs`. After this time it is known if other sources must list as
   * well. In a process with fewer than five sources, the result is 0.
   */
  needed(source: object, sources: number): number {
    const nowMs = this.#clock.monotonic();
    this.#needs.set(source, { at: nowMs, startAt: undefined });
    const recent = [...this.#needs.values()].filter(({ at }) => nowMs - at <= MASS_WINDOW_MS);
    if (recent.length >= MASS_SOURCES) for (const need of recent) this.#draw(need);
    return sources < MASS_SOURCES ? 0 : LOOKOUT_MS;
  }

  /** Milliseconds to wait from now; 0 when few other sources need a list. */
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
