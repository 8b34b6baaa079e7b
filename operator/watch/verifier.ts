import { abortable } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { OBJECTS_PER_SLICE, runInSlices } from '../core/time-slice.ts';
import type { WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { compareResourceVersions, isOlder } from '../model/object.ts';
import { type ListPagesRequest, listPages } from './list.ts';
import type { ListWatch } from './list-watch.ts';
import type { ListLimiter } from './policy/list-limiter.ts';
import type { SourceMeter } from './reflector-status.ts';
import type { ObjectVersion, ResumePoint, VersionView } from './resume-point.ts';

/** The options of a verifier: what it compares, and its callbacks. */
interface VerifierOptions {
  readonly source: Pick<ListWatch<KubernetesObject>, 'listPage'>;
  readonly view: VersionView;
  readonly resumePoint: ResumePoint;
  readonly limiter: ListLimiter;
  readonly meter: SourceMeter;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pageSize: number;
  /** Further options for reading the list. */
  readonly paging: Pick<ListPagesRequest, 'known' | 'bySize'>;
  /** Mean milliseconds between comparisons; 0 if it compares only on request. */
  readonly intervalMs: number;
  /** Called when a comparison has ended. */
  readonly verified: (drift: readonly ObjectKey[]) => void;
  /** Called when the list of a comparison was older than a state that the cache had before. */
  readonly regressed: (resourceVersion: string) => void;
}

/** Compares a cache with the server, periodically and on request, while the watch continues. */
export class Verifier {
  readonly #options: VerifierOptions;
  #signal: AbortSignal | undefined;
  /** Ends the running watch, so that a list repairs the cache. */
  #cut: (() => void) | undefined;
  readonly #waiting = new Set<() => void>();
  /**
   * The running comparison. Undefined when none is running, or when a list has replaced the cache since the
   * comparison began.
   */
  #verification: Verification | undefined;
  #underWay: Promise<readonly ObjectKey[]> | undefined;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Compares periodically until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const { intervalMs, clock, random } = this.#options;
    while (intervalMs > 0) {
      await sleep(clock, intervalMs * (0.8 + 0.4 * random()), signal);
      if (this.#cut === undefined) continue; // listing or waiting: a list follows anyway
      await this.verify().catch(() => {
        // The watch that runs at the same time has the same failure and reports it. The comparison is
        // repeated after the next interval.
      });
    }
  }

  /** Ends comparisons for this run. */
  stop(): void {
    this.#signal = undefined;
  }

  /** Call this when a watch is live. `cut` must end the watch. */
  watching(cut: () => void): void {
    this.#cut = cut;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  notWatching(): void {
    this.#cut = undefined;
  }

  /** Call this when the cache is being replaced. The result of a running comparison is then ignored. */
  replaced(): void {
    this.#verification = undefined;
  }

  /** Must be called with every batch that the watch delivers. */
  observe(batch: readonly WatchEvent<KubernetesObject>[]): void {
    this.#verification?.observe(batch);
  }

  /** See `Reflector.verify`. */
  verify(patienceMs: number = PATIENCE_MS): Promise<readonly ObjectKey[]> {
    this.#underWay ??= this.#verify(patienceMs).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #verify(patienceMs: number): Promise<readonly ObjectKey[]> {
    const signal = this.#signal;
    if (signal === undefined) {
      throw new OperatorError('a source that does not run cannot be verified', {
        code: 'NOT_SYNCED',
        layer: 'user-code',
      });
    }
    await this.#untilWatching(signal);
    const { view, clock, limiter } = this.#options;
    const verification = new Verification(view, clock, patienceMs);
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

/**
 * Milliseconds. A difference that lasts for a shorter time may mean that the watch lags slightly behind. A
 * difference that lasts longer is a real error.
 */
const PATIENCE_MS = 30_000;
const RECHECK_MS = 1_000;

/**
 * Compares one authoritative list with a cache that keeps changing.
 *
 * It does not change the cache, and writes nothing. It returns the keys of the objects whose cached state is
 * wrong. It finds errors that no watch can report, such as a delete that the watch cache of the API server
 * has lost. It keeps only the keys, uids and resourceVersions of the list in memory.
 */
export class Verification {
  readonly #view: VersionView;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  /**
   * The deleted objects that the watch has reported since the list began, with the versions of the deletes.
   */
  readonly #deleted = new Map<ObjectKey, string | undefined>();
  /** The keys of all objects about which the watch has delivered events since the list began. */
  readonly #touched = new Set<ObjectKey>();

  constructor(view: VersionView, clock: Clock, patienceMs: number = PATIENCE_MS) {
    this.#view = view;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /** Must be called with every batch that the watch delivers while `run` is running. */
  observe(batch: readonly WatchEvent<KubernetesObject>[]): void {
    for (const event of batch) {
      if (event.type === 'BOOKMARK') continue;
      const { key, resourceVersion } = event.entry;
      this.#touched.add(key);
      if (event.type === 'DELETED') this.#deleted.set(key, resourceVersion);
    }
  }

  /**
   * The keys of the objects that differ from the list, and still differ after `patienceMs`.
   *
   * @param listed - called with the resourceVersion of the list as soon as it is complete.
   * @throws the error of the list, and `signal.reason`.
   */
  async run(
    source: Pick<ListWatch<KubernetesObject>, 'listPage'>,
    request: Omit<ListPagesRequest, 'consistency'>,
    listed: (resourceVersion: string) => void = () => {},
  ): Promise<readonly ObjectKey[]> {
    const wanted = new Map<ObjectKey, ObjectVersion>();
    let listVersion = '';
    const latest = { kind: 'latest' } as const;
    for await (const { page, first } of listPages(source, { ...request, consistency: latest })) {
      if (first) {
        wanted.clear();
        listVersion = page.resourceVersion;
      }
      for (const { key, uid, resourceVersion } of page.items) {
        wanted.set(key, { uid, resourceVersion });
      }
    }
    listed(listVersion);
    const differs = (key: ObjectKey): boolean => {
      const version = wanted.get(key);
      return version === undefined
        ? this.#isLeftOver(key, listVersion)
        : this.#isBehind(key, version);
    };
    const givenUpAt = this.#clock.monotonic() + this.#patienceMs;
    let suspects = await runInSlices(keysThat(differs, wanted, this.#view), request.signal);
    while (suspects.length > 0 && this.#clock.monotonic() < givenUpAt) {
      await sleep(this.#clock, RECHECK_MS, request.signal);
      suspects = suspects.filter(differs);
    }
    return suspects;
  }

  /** True if the list contains the object, and the cache does not have it or has an older state of it. */
  #isBehind(key: ObjectKey, wanted: ObjectVersion): boolean {
    const cached = this.#view.known(key);
    const order = orderOf(cached?.resourceVersion, wanted.resourceVersion);
    if (cached?.uid === wanted.uid && isAtLeast(order)) return false;
    if (this.#deleted.has(key)) {
      return !isAtLeast(orderOf(this.#deleted.get(key), wanted.resourceVersion), true);
    }
    return !(cached !== undefined && order === undefined && this.#touched.has(key));
  }

  /**
   * True if the cache has an object that the list does not contain, in a state that is not newer than the
   * list.
   */
  #isLeftOver(key: ObjectKey, listVersion: string): boolean {
    const cached = this.#view.known(key);
    if (cached === undefined) return false;
    const order = orderOf(cached.resourceVersion, listVersion);
    return order === undefined ? !this.#touched.has(key) : order <= 0;
  }
}

/**
 * The keys of the list and of the cache for which `differs` is true, checked 1,000 per step. Each of these
 * keys is checked again later.
 */
function* keysThat(
  differs: (key: ObjectKey) => boolean,
  wanted: ReadonlyMap<ObjectKey, ObjectVersion>,
  view: VersionView,
): Generator<void, readonly ObjectKey[], undefined> {
  const found: ObjectKey[] = [];
  let looked = 0;
  for (const key of wanted.keys()) {
    if (++looked % OBJECTS_PER_SLICE === 0) yield;
    if (differs(key)) found.push(key);
  }
  for (const key of view.keys()) {
    if (++looked % OBJECTS_PER_SLICE === 0) yield;
    if (!wanted.has(key) && differs(key)) found.push(key);
  }
  return found;
}

/**
 * The order of two versions; undefined when they cannot be ordered. A difference can then only be explained
 * by a later event of the watch.
 */
function orderOf(version: string | undefined, other: string | undefined): number | undefined {
  if (version === undefined || other === undefined) return undefined;
  return compareResourceVersions(version, other);
}

function isAtLeast(order: number | undefined, whenUnordered = false): boolean {
  return order === undefined ? whenUnordered : order >= 0;
}
