import type { ApiError } from 'chancery';
import type { Cancel } from 'chancery/internal';
import { apiVersionOf, INITIAL_EVENTS_END } from 'chancery/internal-objects';
import type { Cluster } from '../../cluster/cluster.ts';
import { statusOf } from '../../failures/failure.ts';
import { expired, tooLargeResourceVersion } from '../../failures/request-failures.ts';
import { goJson } from '../../objects/canonical.ts';
import type { Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { ListOptions } from '../../request/list-options.ts';
import type { StorageEvent } from '../../storage/storage-event.ts';
import { tableOf } from '../../tables/table.ts';
import { Watch, type WatchSink } from '../../verbs/reads/watch.ts';
import { bookmarkObject } from '../../watch/bookmark-object.ts';
import type { EventLines } from '../exchange/event-lines.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { inMetaVersion, presentObject, shownTo, type View } from '../exchange/present.ts';

/** How long before the end of a watch the last bookmark is sent, in milliseconds. */
const LAST_BOOKMARK_MS = 2_000;
/**
 * The delay of the first bookmark, in milliseconds, for a watch that began with the existing objects. This
 * bookmark comes at the next tick of the server's timer.
 */
const FIRST_BOOKMARK_MS = 1_000;

/**
 * Sends one watch over the connection, with one line of JSON per event, until the time of the watch is over.
 */
export class WatchStream implements WatchSink {
  readonly #exchange: Exchange;
  readonly #view: View;
  readonly #served: ServedResource;
  readonly #options: ListOptions;
  readonly #watch: Watch;
  readonly #cluster: Cluster;
  readonly #lines: EventLines;
  #cancelWait: Cancel | undefined;
  #cancelEnd: Cancel | undefined;
  #cancelBookmark: Cancel | undefined;
  #endsAtMs = Number.POSITIVE_INFINITY;
  /** The number of events written since the client stopped reading. */
  #unread = 0;
  /** Only the first Table of a watch has column definitions. */
  #columnsSent = false;
  #closed = false;

  constructor(
    cluster: Cluster,
    served: ServedResource,
    options: ListOptions,
    exchange: Exchange,
    view: View,
    lines: EventLines,
  ) {
    this.#cluster = cluster;
    this.#served = served;
    this.#options = options;
    this.#exchange = exchange;
    this.#view = view;
    this.#lines = lines;
    this.#watch = new Watch(cluster, served, options, this);
  }

  get served(): ServedResource {
    return this.#served;
  }

  /** @param onClose - called once, however the watch ends. */
  start(onClose: () => void): void {
    this.#exchange.response.once('close', () => {
      this.#closed = true;
      this.#release();
      onClose();
    });
    const { behaviour, clock, watchCache } = this.#cluster;
    const { timeoutSeconds, sendInitialEvents } = this.#options;
    const timeoutMs = timeoutSeconds ? timeoutSeconds * 1_000 : behaviour.minRequestTimeoutMs;
    this.#endsAtMs = clock.monotonic() + timeoutMs;
    this.#cancelEnd = clock.schedule(timeoutMs, () => this.close('clean'));
    if (!sendInitialEvents) {
      this.#open(true);
      return;
    }
    const { storedAs } = this.#served;
    const cached = watchCache.caches(storedAs);
    const waitMs = cached ? behaviour.futureVersionWaitMs : 0;
    const from = Number(this.#options.resourceVersion ?? this.#cluster.storage.revision);
    this.#cancelWait = watchCache.whenReached(storedAs, from, waitMs, (reached) => {
      this.#open(reached);
    });
  }

  event(
    type: 'ADDED' | 'MODIFIED' | 'DELETED',
    object: StoredObject,
    source: StorageEvent | undefined,
  ): void {
    const { as, dropsManagedFields, metaVersion } = this.#view.form;
    const encode = (): string => `{"type":"${type}","object":${this.#encode(object)}}\n`;
    // Watches cannot share a Table: the first Table of each watch has columns, and the ages in a Table depend
    // on the time.
    if (source === undefined || as === 'table') {
      this.#send(encode());
      return;
    }
    const form = `${as} ${metaVersion} ${dropsManagedFields ? 'dropped' : 'whole'}`;
    const view = `${type} ${form} ${apiVersionOf(this.#served)}`;
    this.#send(this.#lines.line(source, view, encode));
  }

  bookmark(resourceVersion: string, initialEventsEnd: boolean): void {
    const annotations = initialEventsEnd ? { [INITIAL_EVENTS_END]: 'true' } : undefined;
    const metadata = { resourceVersion, ...(annotations === undefined ? {} : { annotations }) };
    this.#send(`${goJson({ type: 'BOOKMARK', object: this.#bookmarkObject(metadata) })}\n`);
  }

  get isFull(): boolean {
    return this.#exchange.response.writableNeedDrain;
  }

  drained(): Promise<void> {
    return this.#exchange.drained();
  }

  failed(): void {
    this.close('clean');
  }

  expired(message: string): void {
    this.#error(expired(message));
  }

  /** Ends the watch gracefully, or cuts the connection. */
  close(how: 'clean' | 'reset'): void {
    this.#release();
    if (how === 'reset') this.#exchange.reset();
    else this.#exchange.response.end();
  }

  #open(reached: boolean): void {
    this.#exchange.head(200, { 'content-type': 'application/json' });
    this.#exchange.response.flushHeaders();
    if (!reached) {
      const { resourceVersion = 0 } = this.#options;
      this.#error(tooLargeResourceVersion(resourceVersion, this.#cluster.watchCache.revision));
    }
    if (!reached || !this.#watch.start()) {
      this.close('clean');
      return;
    }
    const { bookmarks, sendInitialEvents } = this.#options;
    const { bookmarkIntervalMs } = this.#cluster.behaviour;
    if (!bookmarks) return;
    const firstMs = sendInitialEvents ? FIRST_BOOKMARK_MS : bookmarkIntervalMs;
    this.#scheduleBookmark(Math.min(firstMs, bookmarkIntervalMs));
  }

  #release(): void {
    this.#watch.end();
    for (const cancel of [this.#cancelWait, this.#cancelEnd, this.#cancelBookmark]) cancel?.();
  }

  /** Plans the next bookmark. The last bookmark is sent two seconds before the end. */
  #scheduleBookmark(delayMs: number): void {
    const { clock, behaviour } = this.#cluster;
    const lastInMs = this.#endsAtMs - LAST_BOOKMARK_MS - clock.monotonic();
    if (lastInMs <= 0) return;
    this.#cancelBookmark = clock.schedule(Math.min(delayMs, lastInMs), () => {
      this.#watch.bookmark();
      this.#scheduleBookmark(behaviour.bookmarkIntervalMs);
    });
  }

  #error(error: ApiError): void {
    this.#send(`${goJson({ type: 'ERROR', object: statusOf(error) })}\n`);
  }

  #encode(object: StoredObject): string {
    if (this.#view.form.as !== 'table') {
      return goJson(presentObject(object, this.#served, this.#view));
    }
    const { resourceVersion } = object.metadata;
    const view = { ...this.#view, nowMs: this.#cluster.clock.now() };
    const shown = shownTo(view, object);
    const table = tableOf([shown], this.#served, { resourceVersion }, view);
    const columns = this.#columnsSent ? { columnDefinitions: null } : {};
    this.#columnsSent = true;
    return goJson(inMetaVersion({ ...table, ...columns }, view));
  }

  #bookmarkObject(metadata: Json): Json {
    const { as } = this.#view.form;
    if (as === 'partial') {
      const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
      return inMetaVersion(partial, this.#view);
    }
    if (as === 'table') {
      const table = tableOf([], this.#served, metadata as never, this.#view);
      return inMetaVersion({ ...table, columnDefinitions: null }, this.#view);
    }
    const { gates } = this.#cluster.behaviour;
    return bookmarkObject(this.#served, metadata, gates.nullCreationTimestamps);
  }

  #send(line: string | Buffer): void {
    const { response } = this.#exchange;
    if (this.#closed || response.writableEnded) return;
    const { watchBufferBytes, watchBufferEvents } = this.#cluster.behaviour;
    response.write(line);
    this.#unread = response.writableNeedDrain ? this.#unread + 1 : 0;
    if (this.#unread > watchBufferEvents || response.writableLength > watchBufferBytes) {
      this.close('clean');
    }
  }
}
