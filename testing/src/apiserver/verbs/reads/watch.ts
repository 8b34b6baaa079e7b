import type { Cluster } from '../../cluster/cluster.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { fromStored, type ServedResource } from '../../registry/served-resource.ts';
import type { ListOptions } from '../../request/list-options.ts';
import type { StorageEvent } from '../../storage/storage-event.ts';

/** Receives the output of a watch for its client. */
export interface WatchSink {
  /**
   * @param source - the change that caused the event; undefined for an object that existed before
   * the watch.
   */
  event(
    type: 'ADDED' | 'MODIFIED' | 'DELETED',
    object: StoredObject,
    source: StorageEvent | undefined,
  ): void;
  bookmark(resourceVersion: string, initialEventsEnd: boolean): void;
  /** True while the client has not read everything that was sent. */
  readonly isFull: boolean;
  /** Resolves when the client has read everything, or has disconnected. */
  drained(): Promise<void>;
  /**
   * Called when objects cannot be converted to the version of the watch, or too many events are unread. No
   * further calls follow.
   */
  failed(): void;
  /**
   * Called when the history does not reach back to the requested resourceVersion. No further calls follow.
   */
  expired(message: string): void;
}

/**
 * One watch. First it sends the existing objects, or the events since its resourceVersion. Then it sends new
 * events as they happen. `start` may call the sink at once. After `end` the sink is never called again.
 */
export class Watch {
  readonly #cluster: Cluster;
  readonly #served: ServedResource;
  readonly #options: ListOptions;
  readonly #sink: WatchSink;
  readonly #cached: boolean;
  #unsubscribe: (() => void) | undefined;
  /** Events up to this revision are not sent, and only a later revision is sent as a bookmark. */
  #from = 0;
  /** The queue of sends that wait for a conversion or a slow client. The sends run one after the other. */
  #turn = Promise.resolve();
  readonly #converted = new WeakMap<StoredObject, StoredObject>();
  /** The number of sends in the queue. If there are any, new events are added to the queue. */
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

  /** @returns false when the watch has already ended. */
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

  /**
   * Sends the revision of the cache as a bookmark, if it is later than the revision at which the
   * watch started.
   */
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
   * Sends earlier events as fast as the client reads. At first it sends as many as the client's socket
   * accepts. Like on a real server, these events do not count as unread. New events wait until the earlier
   * events are sent, and the limit of unread events applies to the new events.
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

  /**
   * Sends the events since a resourceVersion.
   * @returns false when some of these events are no longer available.
   */
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
    // Events that have not reached the cache yet are sent when they reach it.
    const seen = missed.filter(({ revision }) => revision <= watchCache.revision);
    if (this.#served.converter !== undefined) for (const event of seen) this.#onEvent(event);
    else this.#sendBehind(seen, (event) => this.#send(event), NOTHING);
    this.#from = seen.at(-1)?.revision ?? resourceVersion;
    return true;
  }

  /**
   * Sends an event. If an object no longer matches the selection, the event is sent as DELETED. If an object
   * has begun to match the selection, the event is sent as ADDED.
   */
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
   * In 1.36, a watch that is served by etcd sends the events of every shard, unless it also has a label or
   * field selector: `createWatchChan` in k8s.io/apiserver pkg/storage/etcd3/watcher.go ignores the shard
   * selector.
   */
  #isWanted(object: StoredObject): boolean {
    const { selection } = this.#options;
    return (!this.#cached && selection.everything) || selection.matches(object);
  }

  #shown(stored: StoredObject): StoredObject {
    return fromStored(this.#served, this.#converted.get(stored) ?? stored);
  }

  /**
   * Calls `act` when `objects` are converted and all earlier events are sent. If there is nothing to wait
   * for, calls it at once.
   */
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

  /**
   * Runs `act` after all earlier sends. If too many sends are waiting, the watch ends, like the watch of a
   * slow client.
   */
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
