import type { Clock, ObjectKey } from 'chancery';
import { keyOf, systemClock } from 'chancery/internal-objects';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';
import { Collection, type CollectionOptions } from './collection.ts';
import { RevisionPeriods } from './revision-periods.ts';
import { changesTo, StorageSnapshot } from './snapshot.ts';
import type { StorageEvent, StorageListener } from './storage-event.ts';
import type { WatchWindowOptions } from './watch-window.ts';

export type { StorageEvent, StorageListener } from './storage-event.ts';

export interface StorageOptions {
  /** The clock that decides the age of events. Default: the system clock. */
  readonly clock?: Clock;
  /**
   * The maximum number of events that are kept per resource. It limits the memory, and how far the history
   * reaches back. Default 10,000: ten times the writes of a busy test in the five minutes between two
   * compactions. A real watch cache holds up to 102,400.
   */
  readonly historyLimit?: number;
  /**
   * How far back watches can resume, within `historyLimit`. Default: 100 events, and more while they are
   * younger than 75 seconds, as in kube-apiserver.
   */
  readonly watchWindow?: Partial<WatchWindowOptions>;
  /**
   * The interval in milliseconds between compactions. A compaction removes old states, which exact lists and
   * continue tokens may need. Default 300,000, like `--etcd-compaction-interval` of kube-apiserver. With 0,
   * nothing is compacted.
   */
  readonly compactionIntervalMs?: number;
}

const DEFAULT_HISTORY_LIMIT = 10_000;
const DEFAULT_WINDOW_EVENTS = 100;
const DEFAULT_FRESH_MS = 75_000;
const DEFAULT_COMPACTION_INTERVAL_MS = 300_000;

/** The revision before the first write. etcd also begins with 1. */
const FIRST_REVISION = 1;

/**
 * Takes the place of etcd and of the windows of the watch caches: it has the objects of each resource, one
 * revision counter for all resources, and a limited history. It can be used without the server.
 *
 * Every change gets the next revision, which becomes the resourceVersion of the object. The storage does not
 * interpret changes: its callers validate objects and detect writes without effect. Listeners receive commits
 * in order, even when a listener writes. The storage shares objects with its callers, so do not change an
 * object that you passed in or got.
 */
export class Storage {
  readonly #clock: Clock;
  readonly #options: CollectionOptions;
  readonly #collections = new Map<ResourceName, Collection>();
  readonly #listeners = new Set<StorageListener>();
  /**
   * Committed events that are not yet delivered. When a listener writes, the event of that write is only
   * added to this list.
   */
  readonly #undelivered: (readonly [ResourceName, StorageEvent])[] = [];
  #compactions: RevisionPeriods;
  readonly #compactionIntervalMs: number;
  #delivering = false;
  #revision = FIRST_REVISION;
  /** No resource has any history before this revision. */
  #compacted = FIRST_REVISION;
  /** The revision at which the watch caches were filled. */
  #listedAt = FIRST_REVISION;

  constructor(options: StorageOptions = {}) {
    const { historyLimit = DEFAULT_HISTORY_LIMIT, watchWindow = {} } = options;
    this.#clock = options.clock ?? systemClock;
    this.#options = {
      historyLimit,
      minEvents: watchWindow.minEvents ?? DEFAULT_WINDOW_EVENTS,
      maxEvents: Math.min(watchWindow.maxEvents ?? historyLimit, historyLimit),
      freshMs: watchWindow.freshMs ?? DEFAULT_FRESH_MS,
    };
    this.#compactionIntervalMs = options.compactionIntervalMs ?? DEFAULT_COMPACTION_INTERVAL_MS;
    this.#compactions = this.#compactionsFrom(FIRST_REVISION);
  }

  /** The revision of the latest change of any resource. */
  get revision(): number {
    return this.#revision;
  }

  get(resource: ResourceName, key: ObjectKey): StoredObject | undefined {
    return this.#collections.get(resource)?.get(key);
  }

  /** The object as it was at `revision`. If the history does not reach back so far, its current state. */
  getAt(resource: ResourceName, revision: number, key: ObjectKey): StoredObject | undefined {
    return this.#collections.get(resource)?.getAt(revision, key);
  }

  /** The objects sorted by namespace and name. */
  list(resource: ResourceName, namespace?: string): readonly StoredObject[] {
    return this.#collection(resource).list(namespace);
  }

  /** The objects as they were at `revision`; undefined if that state is compacted. */
  listAt(
    resource: ResourceName,
    revision: number,
    namespace?: string,
  ): readonly StoredObject[] | undefined {
    this.#compactWhenDue();
    return this.#collection(resource).listAt(revision, namespace);
  }

  /**
   * The events of a resource after `revision`, from the window of its watch cache. Undefined if the
   * window does not reach back that far.
   */
  eventsAfter(resource: ResourceName, revision: number): readonly StorageEvent[] | undefined {
    return this.#collection(resource).windowAfter(revision);
  }

  /** The events after `revision`, from etcd; undefined if they are compacted. */
  historyAfter(resource: ResourceName, revision: number): readonly StorageEvent[] | undefined {
    this.#compactWhenDue();
    return this.#collection(resource).historyAfter(revision);
  }

  /** The oldest revision from which a watch of the resource can resume. */
  oldestRevision(resource: ResourceName): number {
    return this.#collection(resource).windowFloor;
  }

  /** The number of the resource's events in memory: at most twice `historyLimit`. */
  retainedEvents(resource: ResourceName): number {
    return this.#collection(resource).retainedEvents;
  }

  /**
   * Stores a new object, or a new state of an existing object.
   * @returns the object with its new resourceVersion.
   */
  put(resource: ResourceName, object: StoredObject): StoredObject {
    const key = keyOf(object);
    const previous = this.get(resource, key);
    const revision = this.#next();
    const stored = withRevision(object, revision);
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#commit(resource, { type, revision, key, object: stored, previous, atMs: this.#nowMs });
    return stored;
  }

  /**
   * Removes an object.
   * @returns its last state, with the resourceVersion of the deletion.
   */
  delete(resource: ResourceName, key: ObjectKey): StoredObject | undefined {
    const previous = this.get(resource, key);
    if (previous === undefined) return undefined;
    const revision = this.#next();
    const object = withRevision(previous, revision);
    const atMs = this.#nowMs;
    this.#commit(resource, { type: 'DELETED', revision, key, object, previous, atMs });
    return object;
  }

  /**
   * Drops the history before `revision`. Exact lists of older states and older continue tokens are then
   * answered with 410, and so are older watches of resources without a watch cache.
   * @param revision - the first revision to keep. If omitted, the latest revision.
   */
  compact(revision: number = this.#revision): void {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.#revision));
    for (const collection of this.#collections.values()) collection.compact(this.#compacted);
  }

  /**
   * Empties the window of one resource's watch cache, or the windows of all resources, like a restart of the
   * server. Watches from earlier revisions are then answered with 410.
   */
  restartWindows(resource?: ResourceName): void {
    if (resource === undefined) this.#listedAt = this.#revision;
    const all = [...this.#collections.values()];
    for (const one of resource === undefined ? all : [this.#collection(resource)]) {
      one.restartWindow(this.#revision);
    }
  }

  /** All stored objects and their history. Only references are copied. */
  snapshot(): StorageSnapshot {
    return new StorageSnapshot(
      this.#revision,
      new Map([...this.#collections].map(([name, one]) => [name, one.snapshot()])),
    );
  }

  /**
   * Returns to the state of a snapshot, like a restore of etcd. The revision counter also returns to the
   * revision of the snapshot, and continues from there. The watch windows are emptied. Listeners receive an
   * event for each object that differs.
   */
  restore(snapshot: StorageSnapshot): void {
    const before = new Map([...this.#collections].map(([name, one]) => [name, one.objects()]));
    const changes = changesTo(snapshot, before, this.#nowMs);
    this.#revision = snapshot.revision;
    this.#listedAt = snapshot.revision;
    this.#compacted = Math.min(this.#compacted, snapshot.revision);
    this.#compactions = this.#compactionsFrom(snapshot.revision);
    this.#collections.clear();
    for (const [name, one] of snapshot.collections) {
      this.#collections.set(name, new Collection(snapshot.revision, this.#options, one));
    }
    this.#deliver(changes);
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: StorageListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get #nowMs(): number {
    return this.#clock.monotonic();
  }

  #compactionsFrom(revision: number): RevisionPeriods {
    return new RevisionPeriods(this.#compactionIntervalMs, this.#nowMs, revision);
  }

  #next(): number {
    this.#compactWhenDue();
    return ++this.#revision;
  }

  /**
   * Compacts like kube-apiserver: each compaction goes up to the revision that was current at the time of the
   * previous compaction.
   */
  #compactWhenDue(): void {
    this.#compactions.turn(this.#nowMs, this.#revision);
    if (this.#compactions.before > this.#compacted) this.compact(this.#compactions.before);
  }

  #collection(resource: ResourceName): Collection {
    let collection = this.#collections.get(resource);
    if (collection === undefined) {
      collection = new Collection(this.#listedAt, this.#options);
      collection.compact(this.#compacted);
      this.#collections.set(resource, collection);
    }
    return collection;
  }

  #commit(resource: ResourceName, event: StorageEvent): void {
    this.#collection(resource).apply(event);
    this.#deliver([[resource, event]]);
  }

  #deliver(changes: readonly (readonly [ResourceName, StorageEvent])[]): void {
    this.#undelivered.push(...changes);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#undelivered.shift(); next; next = this.#undelivered.shift()) {
        for (const listener of this.#listeners) listener(...next);
      }
    } finally {
      this.#delivering = false;
    }
  }
}

function withRevision(object: StoredObject, revision: number): StoredObject {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  return { ...object, metadata };
}
