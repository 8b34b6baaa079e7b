import type { ObjectKey } from 'chancery';
import type { StoredObject } from '../objects/stored-object.ts';
import { EventLog } from './event-log.ts';
import { byText, SortedKeys } from './sorted-keys.ts';
import type { StorageEvent } from './storage-event.ts';
import { WatchWindow, type WatchWindowOptions } from './watch-window.ts';

export type { StorageEvent } from './storage-event.ts';

export interface CollectionOptions extends WatchWindowOptions {
  /** The maximum number of events that are kept, even if watches or exact lists need more events. */
  readonly historyLimit: number;
}

/** The objects and the history of one resource. A collection can be restored from these data. */
export interface CollectionSnapshot {
  readonly objects: ReadonlyMap<ObjectKey, StoredObject>;
  readonly events: readonly StorageEvent[];
  readonly floor: number;
}

/**
 * The current objects of one resource, and its history. Exact lists reach back to the last
 * compaction of etcd, and watches reach back as far as the window of the watch cache.
 */
export class Collection {
  readonly #objects: Map<ObjectKey, StoredObject>;
  readonly #keys = new SortedKeys();
  readonly #log: EventLog;
  readonly #window: WatchWindow;
  readonly #historyLimit: number;
  /** The oldest revision whose state is known. */
  #floor: number;
  /** The cached list of all objects. Undefined after a change. */
  #listed: readonly StoredObject[] | undefined;
  /**
   * The result of the last list of one namespace. Without this cache, each page of a list would cost as much
   * as the whole list.
   */
  #listedIn: { readonly namespace: string; readonly objects: readonly StoredObject[] } | undefined;

  /** @param revision - the storage's latest revision when the collection is created. */
  constructor(revision: number, options: CollectionOptions, from?: CollectionSnapshot) {
    this.#objects = new Map(from?.objects);
    for (const key of this.#objects.keys()) this.#keys.add(key);
    this.#log = new EventLog(from?.events);
    this.#window = new WatchWindow(this.#log, revision, options);
    this.#historyLimit = options.historyLimit;
    this.#floor = from?.floor ?? revision;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The number of events in memory. */
  get retainedEvents(): number {
    return this.#log.retained;
  }

  /** The oldest revision from which the watch cache can serve a watch. */
  get windowFloor(): number {
    return this.#window.floor;
  }

  /** The oldest revision whose objects are known. */
  get historyFloor(): number {
    return this.#floor;
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#objects.get(key);
  }

  objects(): ReadonlyMap<ObjectKey, StoredObject> {
    return this.#objects;
  }

  /** The objects in etcd's order of keys: by the bytes of `namespace/name`. */
  list(namespace?: string): readonly StoredObject[] {
    if (namespace === undefined) {
      this.#listed ??= this.#objectsOf(this.#keys.all());
      return this.#listed;
    }
    if (this.#listedIn?.namespace !== namespace) {
      const objects = this.#objectsOf(this.#keys.below(`${namespace}/`));
      this.#listedIn = { namespace, objects };
    }
    return this.#listedIn.objects;
  }

  apply(event: StorageEvent): void {
    const { type, key } = event;
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, event.object);
    if (type === 'ADDED') this.#keys.add(key);
    else if (type === 'DELETED') this.#keys.remove(key);
    this.#listed = undefined;
    this.#listedIn = undefined;
    this.#window.admit(event.atMs);
    this.#log.push(event);
    this.#forget();
  }

  /** The events after `revision` in the watch cache; undefined if the cache has dropped some. */
  windowAfter(revision: number): readonly StorageEvent[] | undefined {
    return revision < this.#window.floor ? undefined : this.#log.after(revision);
  }

  /** The events after `revision` in etcd; undefined when some of them are compacted. */
  historyAfter(revision: number): readonly StorageEvent[] | undefined {
    return revision < this.#floor ? undefined : this.#log.after(revision);
  }

  /** The objects at `revision`; undefined if that state is compacted. */
  listAt(revision: number, namespace?: string): readonly StoredObject[] | undefined {
    const since = this.historyAfter(revision);
    if (since === undefined) return undefined;
    if (since.length === 0) return this.list(namespace);
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    const undone = new Map<ObjectKey, StoredObject | undefined>();
    for (const { key, previous } of since.toReversed()) {
      if (key.startsWith(prefix)) undone.set(key, previous);
    }
    return withUndone(this.#keys.below(prefix), this.#objects, undone);
  }

  /** An object as it was at `revision`. If the history does not reach back so far, its current state. */
  getAt(revision: number, key: ObjectKey): StoredObject | undefined {
    const next = this.historyAfter(revision)?.find((event) => event.key === key);
    return next === undefined ? this.#objects.get(key) : next.previous;
  }

  /** Drops the states before `revision`. Watches can still begin at the same revisions as before. */
  compact(revision: number): void {
    this.#floor = Math.max(this.#floor, revision);
    this.#forget();
  }

  /**
   * Empties the window, as if the watch cache had been filled again at `revision`. No watch can begin before
   * this revision.
   */
  restartWindow(revision: number): void {
    this.#window.restart(revision);
    this.#forget();
  }

  snapshot(): CollectionSnapshot {
    return {
      objects: new Map(this.#objects),
      events: this.#log.after(this.#floor),
      floor: this.#floor,
    };
  }

  #objectsOf(keys: readonly ObjectKey[]): readonly StoredObject[] {
    return keys.map((key) => this.#objects.get(key) as StoredObject);
  }

  #forget(): void {
    const excess = this.#log.size - this.#historyLimit;
    const last = excess > 0 ? this.#log.at(excess - 1) : undefined;
    if (last !== undefined) this.#floor = Math.max(this.#floor, last.revision);
    const unneeded = Math.min(
      this.#log.indexAfter(this.#floor),
      this.#log.size - this.#window.size,
    );
    if (unneeded > 0) this.#log.forget(unneeded);
  }
}

/**
 * Returns `objects` in the order of `keys`. If `undone` contains a key, its object is taken from `undone`, or
 * left out if it is undefined there.
 */
function withUndone(
  keys: readonly ObjectKey[],
  objects: ReadonlyMap<ObjectKey, StoredObject>,
  undone: ReadonlyMap<ObjectKey, StoredObject | undefined>,
): readonly StoredObject[] {
  const gone = [...undone.keys()].filter((key) => !objects.has(key));
  const all = gone.length === 0 ? keys : [...keys, ...gone].sort(byText);
  const listed: StoredObject[] = [];
  for (const key of all) {
    const object = undone.has(key) ? undone.get(key) : objects.get(key);
    if (object !== undefined) listed.push(object);
  }
  return listed;
}
