import type { Cancel } from '../../../core/clock.ts';
import { apiVersionOf } from '../../../model/resource.ts';
import { INITIAL_EVENTS_END } from '../../../model/watch-event.ts';
import type { Cluster } from '../cluster.ts';
import type { StoredObject } from '../cluster-access.ts';
import { expired, statusOf } from '../failures.ts';
import { goJson } from '../objects/canonical.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ListOptions } from '../request/list-options.ts';
import { tableOf } from '../tables/table.ts';
import { Watch, type WatchSink } from '../watch/watch.ts';
import type { Exchange } from './exchange.ts';
import { presentObject, type View } from './present.ts';

/** What a client that reads too slowly may leave unread before its watch is ended. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** The shortest time for which the server keeps a watch that names none. */
const DEFAULT_TIMEOUT_SECONDS = 1_800;
/** The last bookmark comes this long before the end. */
const LAST_BOOKMARK_MS = 2_000;

/** One watch on the wire: a line of JSON for each event, until its time is over. */
export class WatchStream implements WatchSink {
  readonly #exchange: Exchange;
  readonly #view: View;
  readonly #served: ServedResource;
  readonly #watch: Watch;
  readonly #cluster: Cluster;
  readonly #cancels: Cancel[] = [];
  /** Only the first Table of a watch has column definitions. */
  #columnsSent = false;
  #closed = false;

  constructor(
    cluster: Cluster,
    served: ServedResource,
    options: ListOptions,
    exchange: Exchange,
    view: View,
  ) {
    this.#cluster = cluster;
    this.#served = served;
    this.#exchange = exchange;
    this.#view = view;
    this.#watch = new Watch(cluster, served, options, this);
  }

  get served(): ServedResource {
    return this.#served;
  }

  /** @param onClose - called once, however the watch ends. */
  start(options: ListOptions, bookmarkIntervalMs: number, onClose: () => void): void {
    const { response } = this.#exchange;
    response.once('close', () => {
      this.#closed = true;
      this.#watch.end();
      for (const cancel of this.#cancels.splice(0)) cancel();
      onClose();
    });
    this.#exchange.head(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (!this.#watch.start()) {
      this.close('clean');
      return;
    }
    const timeoutMs = (options.timeoutSeconds || DEFAULT_TIMEOUT_SECONDS) * 1_000;
    this.#after(timeoutMs, () => this.close('clean'));
    if (options.bookmarks) this.#scheduleBookmarks(bookmarkIntervalMs, timeoutMs);
  }

  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: StoredObject): void {
    this.#send(`{"type":"${type}","object":${this.#encode(object)}}\n`);
  }

  bookmark(resourceVersion: string, initialEventsEnd: boolean): void {
    const annotations = initialEventsEnd ? { [INITIAL_EVENTS_END]: 'true' } : undefined;
    const metadata = { resourceVersion, ...(annotations === undefined ? {} : { annotations }) };
    this.#send(`${goJson({ type: 'BOOKMARK', object: this.#bookmarkObject(metadata) })}\n`);
  }

  expired(asked: number, oldest: number): void {
    const status = statusOf(expired(`too old resource version: ${asked} (${oldest})`));
    this.#send(`${goJson({ type: 'ERROR', object: status })}\n`);
  }

  /** Ends the watch as the server does, or cuts the connection. */
  close(how: 'clean' | 'reset'): void {
    this.#watch.end();
    const { response } = this.#exchange;
    if (how === 'reset') response.socket?.resetAndDestroy();
    else response.end();
  }

  #scheduleBookmarks(intervalMs: number, timeoutMs: number): void {
    const lastInMs = timeoutMs - LAST_BOOKMARK_MS;
    if (lastInMs > 0) this.#after(lastInMs, () => this.#watch.bookmark());
    const again = (): void => {
      this.#watch.bookmark();
      this.#after(intervalMs, again);
    };
    this.#after(intervalMs, again);
  }

  #after(delayMs: number, act: () => void): void {
    this.#cancels.push(this.#cluster.clock.schedule(delayMs, act));
  }

  #encode(object: StoredObject): string {
    if (this.#view.form.as === 'object') return encoded(object);
    if (this.#view.form.as === 'partial') {
      return goJson(presentObject(object, this.#served, this.#view));
    }
    const { resourceVersion } = object.metadata;
    const view = { ...this.#view, nowMs: this.#cluster.clock.now() };
    const table = tableOf([object], this.#served, { resourceVersion }, view);
    const columns = this.#columnsSent ? { columnDefinitions: null } : {};
    this.#columnsSent = true;
    return goJson({ ...table, ...columns });
  }

  #bookmarkObject(metadata: object): object {
    if (this.#view.form.as === 'partial') {
      return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    }
    const kind = { kind: this.#served.kind, apiVersion: apiVersionOf(this.#served), metadata };
    return this.#view.form.as === 'table'
      ? { ...tableOf([], this.#served, metadata as never, this.#view), columnDefinitions: null }
      : kind;
  }

  #send(line: string): void {
    const { response } = this.#exchange;
    if (this.#closed || response.writableEnded) return;
    response.write(line);
    if (response.writableLength > MAX_BUFFERED_BYTES) this.close('clean');
  }
}

/** Many watches send the same object: it is encoded once. */
const ENCODED = new WeakMap<StoredObject, string>();

function encoded(object: StoredObject): string {
  let text = ENCODED.get(object);
  if (text === undefined) {
    text = goJson(object);
    ENCODED.set(object, text);
  }
  return text;
}
