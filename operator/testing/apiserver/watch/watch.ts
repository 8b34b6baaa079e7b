import type { Cluster } from '../cluster.ts';
import type { StoredObject } from '../cluster-access.ts';
import { fromStored, type ServedResource } from '../registry/served-resource.ts';
import type { ListOptions } from '../request/list-options.ts';
import type { StorageEvent } from '../storage/collection.ts';

/** What a watch tells its client. */
export interface WatchSink {
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: StoredObject): void;
  bookmark(resourceVersion: string, initialEventsEnd: boolean): void;
  /** The history does not reach back to the resourceVersion asked for: nothing follows. */
  expired(asked: number, oldest: number): void;
}

/**
 * One watch: first what was there or has happened since, then what happens. `start` may call the
 * sink at once; after `end` it is never called again.
 */
export class Watch {
  readonly #cluster: Cluster;
  readonly #served: ServedResource;
  readonly #options: ListOptions;
  readonly #sink: WatchSink;
  #unsubscribe: (() => void) | undefined;
  /** Nothing up to this revision is sent any more. */
  #revision = 0;

  constructor(cluster: Cluster, served: ServedResource, options: ListOptions, sink: WatchSink) {
    this.#cluster = cluster;
    this.#served = served;
    this.#options = options;
    this.#sink = sink;
  }

  get served(): ServedResource {
    return this.#served;
  }

  /** @returns false when the watch is over before it began. */
  start(): boolean {
    const { storage } = this.#cluster;
    const { resourceVersion, bookmarks } = this.#options;
    const fromNow = resourceVersion === undefined || resourceVersion === 0;
    if (fromNow || this.#options.sendInitialEvents) {
      this.#sendState();
      this.#revision = storage.revision;
      if (bookmarks) this.#sink.bookmark(String(storage.revision), true);
    } else {
      const missed = storage.eventsAfter(this.#served.storedAs, resourceVersion);
      if (missed === undefined) {
        this.#sink.expired(resourceVersion, storage.oldestRevision(this.#served.storedAs));
        return false;
      }
      this.#revision = resourceVersion;
      for (const event of missed) this.#onEvent(event);
    }
    this.#unsubscribe = storage.subscribe((resource, event) => {
      if (resource === this.#served.storedAs) this.#onEvent(event);
    });
    return true;
  }

  /** Says how far the watch has come, when it has come further than its start. */
  bookmark(): void {
    if (!this.#options.bookmarks) return;
    const { revision } = this.#cluster.storage;
    this.#revision = Math.max(this.#revision, revision);
    this.#sink.bookmark(String(this.#revision), false);
  }

  end(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #sendState(): void {
    const { selection } = this.#options;
    for (const stored of this.#cluster.storage.list(this.#served.storedAs, selection.namespace)) {
      const object = fromStored(this.#served, stored);
      if (selection.matches(object)) this.#sink.event('ADDED', object);
    }
  }

  /** An object that leaves the selection goes as DELETED, one that enters it comes as ADDED. */
  #onEvent({ type, revision, object, previous }: StorageEvent): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    const before = type !== 'ADDED' && previous !== undefined && this.#selects(previous);
    const after = type !== 'DELETED' && this.#selects(object);
    if (after) {
      this.#sink.event(before ? 'MODIFIED' : 'ADDED', fromStored(this.#served, object));
    } else if (before && previous !== undefined) {
      const { resourceVersion } = object.metadata;
      const metadata = { ...previous.metadata, resourceVersion } as StoredObject['metadata'];
      this.#sink.event('DELETED', fromStored(this.#served, { ...previous, metadata }));
    }
  }

  #selects(stored: StoredObject): boolean {
    const { selection } = this.#options;
    if (selection.namespace !== undefined && stored.metadata.namespace !== selection.namespace) {
      return false;
    }
    return selection.matches(fromStored(this.#served, stored));
  }
}
