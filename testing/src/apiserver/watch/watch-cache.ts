import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';
import type { ResourceName } from '../objects/stored-object.ts';
import { RevisionPeriods } from '../storage/revision-periods.ts';
import type { Storage, StorageEvent, StorageListener } from '../storage/storage.ts';
import { FreshnessWaits } from './freshness-waits.ts';

export interface WatchCacheOptions {
  /** Resources whose reads and watches use etcd directly. */
  readonly uncached: readonly ResourceName[];
  /**
   * The interval in milliseconds at which etcd sends its revision as a progress notice. With 0, it never
   * does.
   */
  readonly progressIntervalMs: number;
  /** How long it takes to fill the caches after the server has begun to listen, in milliseconds. */
  readonly cacheFillMs: number;
}

interface Delayed {
  readonly resource: ResourceName;
  readonly event: StorageEvent;
  readonly dueMs: number;
}

/**
 * The cache between etcd and readers that do not request the latest state. It forwards events to watches. Its
 * revision may be lower than the revision of the storage.
 *
 * The revision is tracked per resource, because a real server has one cache per resource. The revision
 * increases with an event of the resource, with a read for which the cache requests the revision of etcd, or
 * with a progress notice of etcd.
 */
export class WatchCache {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #uncached: ReadonlySet<ResourceName>;
  readonly #listeners = new Map<ResourceName, Set<StorageListener>>();
  /** Committed events that the lagging cache has not seen yet. */
  readonly #delayed: Delayed[] = [];
  readonly #reached = new Map<ResourceName, number>();
  readonly #unreadyUntilMs = new Map<ResourceName, number>();
  readonly #fillMs: number;
  /** The time at which all caches are filled. */
  #filledAtMs = 0;
  readonly #waits: FreshnessWaits;
  readonly #progressIntervalMs: number;
  #notices: RevisionPeriods;
  /** The cache has seen all events up to this revision. */
  #revision: number;
  #lagMs = 0;
  #cancelCatchUp: Cancel | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(storage: Storage, clock: Clock, options: WatchCacheOptions) {
    this.#storage = storage;
    this.#clock = clock;
    this.#uncached = new Set(options.uncached);
    this.#progressIntervalMs = options.progressIntervalMs;
    this.#fillMs = options.cacheFillMs;
    this.#revision = storage.revision;
    this.#waits = new FreshnessWaits(clock, () => this.#revision);
    this.#notices = new RevisionPeriods(options.progressIntervalMs, clock.monotonic(), 0);
  }

  /**
   * Begins to follow the storage.
   * @returns a function that stops following the storage.
   */
  start(): () => void {
    this.#unsubscribe ??= this.#storage.subscribe((resource, event) => {
      this.#onCommit(resource, event);
    });
    return () => this.#stop();
  }

  /** False for a resource whose watches come from etcd. Their bookmarks and messages are different. */
  caches(resource: ResourceName): boolean {
    return !this.#uncached.has(resource);
  }

  /** The latest revision that the cache has seen, whatever the resource. */
  get revision(): number {
    return this.#revision;
  }

  /** The revision that the cache of one resource has reached. */
  revisionOf(resource: ResourceName): number {
    if (!this.caches(resource)) return this.#storage.revision;
    this.#notices.turn(this.#clock.monotonic(), this.#revision);
    const listedAt = this.#storage.oldestRevision(resource);
    const reached = Math.max(this.#reached.get(resource) ?? 0, listedAt, this.#notices.current);
    return Math.min(reached, this.#revision);
  }

  /**
   * Sets how long the cache lags behind the storage. Reads and watches from the cache then see the state of
   * `lagMs` ago.
   */
  setLag(lagMs: number): void {
    this.#lagMs = lagMs;
    if (lagMs === 0) this.#catchUp(Number.POSITIVE_INFINITY);
  }

  get lags(): boolean {
    return this.#revision < this.#storage.revision;
  }

  /** False while the cache of the resource is being filled. Requests are then answered with 429. */
  isReady(resource: ResourceName): boolean {
    if (!this.caches(resource)) return true;
    return !this.isFilling && this.#clock.monotonic() >= (this.#unreadyUntilMs.get(resource) ?? 0);
  }

  /** True from the start of the server until its caches are filled. */
  get isFilling(): boolean {
    return this.#clock.monotonic() < this.#filledAtMs;
  }

  /** Begins to fill all caches, like a server that has just started. */
  fill(): void {
    if (this.#fillMs > 0) this.#filledAtMs = this.#clock.monotonic() + this.#fillMs;
  }

  /**
   * Fills the cache of one resource again, for `unreadyMs`. Watches cannot resume from earlier
   * revisions.
   */
  reinitialize(resource: ResourceName, unreadyMs: number): void {
    this.#storage.restartWindows(resource);
    this.#reached.set(resource, this.#revision);
    if (unreadyMs > 0) this.#unreadyUntilMs.set(resource, this.#clock.monotonic() + unreadyMs);
  }

  /** Fills all caches again, like a restarted server. The caller must have ended all watches before. */
  restart(): void {
    this.#delayed.length = 0;
    this.#revision = this.#storage.revision;
    this.#notices = new RevisionPeriods(this.#progressIntervalMs, this.#clock.monotonic(), 0);
    this.#storage.restartWindows();
    this.#reached.clear();
  }

  /**
   * Calls `then` with true as soon as the cache has seen `revision`, and with false after `waitMs`. For this
   * call the cache requests the revision of etcd, so the resource gets the latest revision of all resources.
   */
  whenReached(
    resource: ResourceName,
    revision: number,
    waitMs: number,
    then: (reached: boolean) => void,
  ): Cancel {
    return this.#waits.wait(revision, waitMs, (reached) => {
      this.#reached.set(resource, this.#revision);
      then(reached);
    });
  }

  /**
   * Calls `listener` for each event of one resource, from now on.
   * @returns a function that ends the subscription.
   */
  subscribe(resource: ResourceName, listener: StorageListener): () => void {
    let listeners = this.#listeners.get(resource);
    if (listeners === undefined) {
      listeners = new Set();
      this.#listeners.set(resource, listeners);
    }
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(resource);
    };
  }

  #stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#cancelCatchUp?.();
    this.#cancelCatchUp = undefined;
    this.#delayed.length = 0;
    this.#waits.close();
  }

  #onCommit(resource: ResourceName, event: StorageEvent): void {
    if (this.#lagMs === 0 && this.#delayed.length === 0) {
      this.#see(resource, event);
      return;
    }
    this.#delayed.push({ resource, event, dueMs: event.atMs + this.#lagMs });
    this.#scheduleCatchUp();
  }

  #scheduleCatchUp(): void {
    const [next] = this.#delayed;
    if (next === undefined || this.#cancelCatchUp !== undefined) return;
    const inMs = next.dueMs - this.#clock.monotonic();
    this.#cancelCatchUp = this.#clock.schedule(inMs, () => {
      this.#cancelCatchUp = undefined;
      this.#catchUp(this.#clock.monotonic());
    });
  }

  #catchUp(untilMs: number): void {
    while (this.#delayed[0] !== undefined && this.#delayed[0].dueMs <= untilMs) {
      const { resource, event } = this.#delayed.shift() as Delayed;
      this.#see(resource, event);
    }
    this.#cancelCatchUp?.();
    this.#cancelCatchUp = undefined;
    this.#scheduleCatchUp();
  }

  #see(resource: ResourceName, event: StorageEvent): void {
    this.#notices.turn(this.#clock.monotonic(), this.#revision);
    this.#revision = Math.max(this.#revision, event.revision);
    this.#reached.set(resource, event.revision);
    for (const listener of this.#listeners.get(resource) ?? []) listener(resource, event);
    this.#waits.wake();
  }
}
