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
  /** Tells the age of events. Default: the clock of the machine. */
  readonly clock?: Clock;
  /**
   * Events of each resource that are kept at most: nothing reaches further back. It bounds the
   * memory. Default 10,000: ten times what a busy test writes in the five minutes between two
   * compactions. A real watch cache holds up to 102,400.
   */
  readonly historyLimit?: number;
  /**
   * How far back watches can resume, within `historyLimit`. Default as kube-apiserver: 100 events,
   * and more for as long as they are younger than 75 seconds.
   */
  readonly watchWindow?: Partial<WatchWindowOptions>;
  /**
   * How often older state is compacted away, for exact lists and continue tokens. Default 300,000, as
   * `--etcd-compaction-interval` of kube-apiserver. 0: never.
   */
  readonly compactionIntervalMs?: number;
}

const DEFAULT_HISTORY_LIMIT = 10_000;
const DEFAULT_WINDOW_EVENTS = 100;
const DEFAULT_FRESH_MS = 75_000;
const DEFAULT_COMPACTION_INTERVAL_MS = 300_000;

/** Before anything was written: etcd begins with 1, too. */
const FIRST_REVISION = 1;

/**
 * What etcd and the windows of the watch caches are to a real API server: objects by resource, one
 * revision counter for all of them, and a bounded history. It can be used without the server.
 *
 * Every change takes the next revision and becomes the object's resourceVersion. Nothing here knows
 * what a change means: validation and no-op detection are the verbs' part. Listeners hear of
 * commits in order, also when one of them writes. Objects that go in or come out are shared: do not
 * change them.
 */
export class Storage {
  readonly #clock: Clock;
  readonly #options: CollectionOptions;
  readonly #collections = new Map<ResourceName, Collection>();
  readonly #listeners = new Set<StorageListener>();
  /** Committed, not yet delivered: a listener that writes only adds to it. */
  readonly #undelivered: (readonly [ResourceName, StorageEvent])[] = [];
  #compactions: RevisionPeriods;
  readonly #compactionIntervalMs: number;
  #delivering = false;
  #revision = FIRST_REVISION;
  /** Nothing before this revision is remembered of any resource. */
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

  /** The object at `revision`; an object whose history is forgotten is shown as it is now. */
  getAt(resource: ResourceName, revision: number, key: ObjectKey): StoredObject | undefined {
    return this.#collections.get(resource)?.getAt(revision, key);
  }

  /** In the order of namespace and name. */
  list(resource: ResourceName, namespace?: string): readonly StoredObject[] {
    return this.#collection(resource).list(namespace);
  }

  /** The list as it was at `revision`; undefined when that is compacted. */
  listAt(
    resource: ResourceName,
    revision: number,
    namespace?: string,
  ): readonly StoredObject[] | undefined {
    this.#compactWhenDue();
    return this.#collection(resource).listAt(revision, namespace);
  }

  /**
   * What happened to a resource after `revision`, as the window of its watch cache has it;
   * undefined when the window does not reach back so far.
   */
  eventsAfter(resource: ResourceName, revision: number): readonly StorageEvent[] | undefined {
    return this.#collection(resource).windowAfter(revision);
  }

  /** What happened after `revision`, as etcd has it; undefined when that is compacted. */
  historyAfter(resource: ResourceName, revision: number): readonly StorageEvent[] | undefined {
    this.#compactWhenDue();
    return this.#collection(resource).historyAfter(revision);
  }

  /** The oldest revision that a watch of the resource may resume from. */
  oldestRevision(resource: ResourceName): number {
    return this.#collection(resource).windowFloor;
  }

  /** Events of the resource that are in memory: at most twice `historyLimit`. */
  retainedEvents(resource: ResourceName): number {
    return this.#collection(resource).retainedEvents;
  }

  /** Stores a new object, or a new state of one. @returns it with its new resourceVersion. */
  put(resource: ResourceName, object: StoredObject): StoredObject {
    const key = keyOf(object);
    const previous = this.get(resource, key);
    const revision = this.#next();
    const stored = withRevision(object, revision);
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#commit(resource, { type, revision, key, object: stored, previous, atMs: this.#nowMs });
    return stored;
  }

  /** Removes an object. @returns its last state with the resourceVersion of the deletion. */
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
   * Forgets what was before `revision`: older exact lists and continue tokens are answered with 410,
   * as are watches of resources without a watch cache. @param revision - default: the latest.
   */
  compact(revision: number = this.#revision): void {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.#revision));
    for (const collection of this.#collections.values()) collection.compact(this.#compacted);
  }

  /**
   * Empties the windows of all watch caches, or of one resource, as a restart of the server does:
   * watches from before are answered with 410.
   */
  restartWindows(resource?: ResourceName): void {
    if (resource === undefined) this.#listedAt = this.#revision;
    const all = [...this.#collections.values()];
    for (const one of resource === undefined ? all : [this.#collection(resource)]) {
      one.restartWindow(this.#revision);
    }
  }

  /** Everything that is stored, with its history. It costs a copy of the references, no more. */
  snapshot(): StorageSnapshot {
    return new StorageSnapshot(
      this.#revision,
      new Map([...this.#collections].map(([name, one]) => [name, one.snapshot()])),
    );
  }

  /**
   * Goes back to a snapshot, as a restore of etcd does: the revision goes back, too, and is counted
   * on from there. Watch windows begin anew. Listeners get an event for each object that differs.
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

  /** @returns the end of the subscription. */
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

  /** As kube-apiserver does it: each time up to where the revision was the time before. */
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
