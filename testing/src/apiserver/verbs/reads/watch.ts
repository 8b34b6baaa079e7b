import type { Cluster } from '../../cluster/cluster.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { fromStored, type ServedResource } from '../../registry/served-resource.ts';
import type { ListOptions } from '../../request/list-options.ts';
import type { StorageEvent } from '../../storage/storage-event.ts';

/** Receives what a watch sends to its client. */
export interface WatchSink {
  /** @param source - the change behind the event; undefined for an object that existed before the watch. */
  event(
    type: 'ADDED' | 'MODIFIED' | 'DELETED',
    object: StoredObject,
    source: StorageEvent | undefined,
  ): void;
  bookmark(resourceVersion: string, initialEventsEnd: boolean): void;
  /** True while the client has not read what was sent to it. */
  readonly isFull: boolean;
  /** Resolves when the client has read it, or has gone. */
  drained(): Promise<void>;
  /** Objects cannot be converted into the version of the watch: nothing follows. */
  failed(): void;
  /** The history does not reach back to the resourceVersion asked for: nothing follows. */
  expired(message: string): void;
}

/**
 * One watch: first the objects that exist or the events since its resourceVersion, then the events as they happen. `start` may call the
 * sink at once; after `end` it is never called again.
 */
export class Watch {
  readonly #cluster: Cluster;
  readonly #served: ServedResource;
  readonly #options: ListOptions;
  readonly #sink: WatchSink;
  readonly #cached: boolean;
  #unsubscribe: (() => void) | undefined;
  /** No event up to this revision is sent; only a later revision is worth a bookmark. */
  #from = 0;
  /** Where a webhook converts: what is sent, one after the other. */
  #turn = Promise.resolve();
  readonly #converted = new WeakMap<StoredObject, StoredObject>();
  /** What waits for its turn: later events wait behind it. */
  #waiting = 0;
  #ended = false;

  constructor(cluster: Cluster, served: ServedResource, options: ListOptions, sink: WatchSink) {
    this.#cluster = cluster;
    this.#served = served;
    this.#options = options;
    this.#sink = sink;
    this.#cached = cluster.watchCache.caches(served.storedAs);
  }

  get served(): ServedResource {
    return this.#served;
  }

  /** @returns false when the watch is over before it began. */
  start(): boolean {
    const { sendInitialEvents } = this.#options;
    const resourceVersion = Number(this.#options.resourceVersion ?? 0);
    if (sendInitialEvents ?? resourceVersion === 0) this.#sendState();
    else if (resourceVersion === 0) this.#from = this.#now();
    else if (!this.#sendMissed(resourceVersion)) return false;
    const { watchCache } = this.#cluster;
    this.#unsubscribe = watchCache.subscribe(this.#served.storedAs, (_resource, event) => {
      this.#onEvent(event);
    });
    return true;
  }

  /** Sends the revision of the cache as a bookmark, when it is later than the start of the watch. */
  bookmark(): void {
    if (!this.#options.bookmarks || !this.#cached) return;
    const revision = this.#cluster.watchCache.revisionOf(this.#served.storedAs);
    if (revision > this.#from) this.#inTurn([], () => this.#sink.bookmark(String(revision), false));
  }

  end(): void {
    this.#ended = true;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #now(): number {
    return this.#cluster.watchCache.revisionOf(this.#served.storedAs);
  }

  #sendState(): void {
    const { storage } = this.#cluster;
    const { selection, bookmarks, sendInitialEvents } = this.#options;
    const { storedAs } = this.#served;
    this.#from = Math.max(this.#now(), Number(this.#options.resourceVersion ?? 0));
    const stored =
      storage.listAt(storedAs, this.#now(), selection.namespace) ??
      storage.list(storedAs, selection.namespace);
    const revision = String(this.#now());
    const send = (one: StoredObject): void => {
      const object = this.#shown(one);
      if (this.#isWanted(object)) this.#sink.event('ADDED', object, undefined);
    };
    this.#inTurn(stored, () =>
      this.#sendBehind(stored, send, () => {
        if (sendInitialEvents && bookmarks) this.#sink.bookmark(revision, true);
      }),
    );
  }

  /**
   * Sends what happened before the watch, as fast as the client reads it: at once as far as its socket takes it. A real
   * server does not count these events as unread. What happens meanwhile waits, up to the bound for unread events.
   */
  #sendBehind<T>(items: readonly T[], send: (item: T) => void, done: () => void): void {
    let at = 0;
    const sendSome = (): void => {
      while (at < items.length && !this.#sink.isFull) send(items[at++] as T);
    };
    sendSome();
    if (at === items.length) {
      done();
      return;
    }
    this.#afterTurn(async () => {
      while (at < items.length && !this.#ended) {
        await this.#sink.drained();
        sendSome();
      }
      if (!this.#ended) done();
    });
  }

  /** @returns false when some of it is forgotten. */
  #sendMissed(resourceVersion: number): boolean {
    const { storage, watchCache } = this.#cluster;
    const { storedAs } = this.#served;
    const missed = this.#cached
      ? storage.eventsAfter(storedAs, resourceVersion)
      : storage.historyAfter(storedAs, resourceVersion);
    if (missed === undefined) {
      const oldest = storage.oldestRevision(storedAs);
      this.#sink.expired(
        this.#cached
          ? `too old resource version: ${resourceVersion} (${oldest})`
          : 'The resourceVersion for the provided watch is too old.',
      );
      return false;
    }
    this.#from = resourceVersion;
    // What the cache has not seen yet comes when it has.
    const seen = missed.filter(({ revision }) => revision <= watchCache.revision);
    if (this.#served.converter !== undefined) for (const event of seen) this.#onEvent(event);
    else this.#sendBehind(seen, (event) => this.#send(event), NOTHING);
    this.#from = seen.at(-1)?.revision ?? resourceVersion;
    return true;
  }

  /** An object that leaves the selection goes as DELETED, one that enters it comes as ADDED. */
  #onEvent(event: StorageEvent): void {
    const { revision, object, previous } = event;
    if (revision <= this.#from) return;
    this.#inTurn(previous === undefined ? [object] : [object, previous], () => this.#send(event));
  }

  #send(event: StorageEvent): void {
    const { type, revision, object, previous } = event;
    const before = type !== 'ADDED' && previous !== undefined && this.#selects(previous);
    const after = type !== 'DELETED' && this.#selects(object);
    if (after) {
      const kind = before ? 'MODIFIED' : 'ADDED';
      this.#sink.event(kind, this.#shown(object), event);
    } else if (before && previous !== undefined) {
      const metadata = { ...previous.metadata, resourceVersion: String(revision) };
      this.#sink.event('DELETED', { ...this.#shown(previous), metadata }, event);
    }
  }

  #selects(stored: StoredObject): boolean {
    const { selection } = this.#options;
    if (selection.namespace !== undefined && stored.metadata.namespace !== selection.namespace) {
      return false;
    }
    return this.#isWanted(this.#shown(stored));
  }

  /**
   * In 1.36 a watch that etcd serves has the events of every shard, unless labels or fields select, too:
   * `createWatchChan` in k8s.io/apiserver pkg/storage/etcd3/watcher.go takes the selector for none.
   */
  #isWanted(object: StoredObject): boolean {
    const { selection } = this.#options;
    return (!this.#cached && selection.everything) || selection.matches(object);
  }

  #shown(stored: StoredObject): StoredObject {
    return fromStored(this.#served, this.#converted.get(stored) ?? stored);
  }

  /** Does something when `objects` are converted, and all that came before is sent; at once where nothing has to wait. */
  #inTurn(objects: readonly StoredObject[], act: () => void): void {
    const { converter } = this.#served;
    if (converter === undefined) {
      if (this.#waiting === 0) act();
      else this.#afterTurn(act);
      return;
    }
    this.#afterTurn(async () => {
      try {
        const converted = await converter.fromStored(objects);
        for (const [at, one] of objects.entries()) this.#converted.set(one, converted[at] ?? one);
      } catch {
        this.#sink.failed();
        return;
      }
      if (!this.#ended) act();
    });
  }

  /** The client has not read what came before when too much waits: the watch ends, as that of a slow client does. */
  #afterTurn(act: () => void | Promise<void>): void {
    this.#waiting++;
    if (this.#waiting > this.#cluster.behaviour.watchBufferEvents) {
      this.#sink.failed();
      return;
    }
    this.#turn = this.#turn.then(async () => {
      if (!this.#ended) await act();
      this.#waiting--;
    });
  }
}

const NOTHING = (): void => {};
