import type { KubernetesObject } from 'chancery';
import { INITIAL_EVENTS_END } from 'chancery/internal-objects';
import type { Exchange, Reply } from './exchange.ts';
import { errorEvent, failure, json } from './replies.ts';
import { type Page, ScriptedPages } from './scripted-pages.ts';
import { ScriptedWatch } from './scripted-watch.ts';

export interface ScriptedCollectionOptions {
  /** The apiVersion of the objects, such as `v1`. */
  readonly apiVersion: string;
  /** The kind of the objects, such as `ConfigMap`. */
  readonly kind: string;
  /** The path of the collection, such as `/api/v1/namespaces/demo/configmaps`. */
  readonly path: string;
  /** The resourceVersion of a revision, as clients see it. Default: its decimal digits. */
  readonly versionOf?: (revision: number) => string;
}

/** An event of a watch about an object. */
export interface CollectionEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
}

const EXPIRED = {
  code: 410,
  reason: 'Expired',
  message: 'The resourceVersion for the provided watch is too old.',
} as const;

/**
 * A collection as an API server keeps it, for a `ScriptedServer`: one revision counter, history,
 * pages, bookmarks and watches. A test can cause the failures of an API server on demand.
 *
 * It applies no rules of a resource (no validation, no selectors): objects are served as the test
 * puts them. Its first revision is 100.
 */
export class ScriptedCollection {
  readonly path: string;
  readonly #apiVersion: string;
  readonly #kind: string;
  readonly #versionOf: (revision: number) => string;
  readonly #revisions = new Map<string, number>();
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #watches: ScriptedWatch[] = [];
  readonly #pages = new ScriptedPages();
  #history: { readonly revision: number; readonly event: CollectionEvent }[] = [];
  #expiredAt = 0;
  #uid = 0;
  #revision = 0;
  #lostEvents = 0;

  constructor({ apiVersion, kind, path, versionOf = String }: ScriptedCollectionOptions) {
    this.path = path;
    this.#apiVersion = apiVersion;
    this.#kind = kind;
    this.#versionOf = versionOf;
    this.#moveTo(100);
  }

  /** The newest resourceVersion. */
  get resourceVersion(): string {
    return this.#versionOf(this.#revision);
  }

  get objects(): readonly KubernetesObject[] {
    return [...this.#objects.values()];
  }

  /** Every watch so far, in the order in which they were opened. */
  get watches(): readonly ScriptedWatch[] {
    return this.#watches;
  }

  get openWatches(): readonly ScriptedWatch[] {
    return this.#watches.filter(({ closed }) => !closed);
  }

  /**
   * Creates an object. If an object with this name exists, everything except its name and uid is
   * replaced.
   */
  put(name: string, fields: Readonly<Record<string, unknown>> = {}): KubernetesObject {
    const old = this.#objects.get(name);
    this.#moveTo(this.#revision + 1);
    const object = this.#object(name, old?.metadata.uid ?? `uid-${++this.#uid}`, fields);
    this.#objects.set(name, object);
    this.#commit({ type: old === undefined ? 'ADDED' : 'MODIFIED', object });
    return object;
  }

  /** Deletes an object. Returns false if it does not exist. */
  remove(name: string): boolean {
    const old = this.#objects.get(name);
    if (old === undefined) return false;
    this.#objects.delete(name);
    this.#moveTo(this.#revision + 1);
    const metadata = { ...old.metadata, resourceVersion: this.resourceVersion };
    this.#commit({ type: 'DELETED', object: { ...old, metadata } });
    return true;
  }

  /** Increases the revision, like writes to other resources do. No object of this collection changes. */
  skipTo(revision: number): void {
    this.#moveTo(revision);
  }

  /** Sends the newest resourceVersion to open watches. */
  bookmark(): void {
    const { resourceVersion } = this;
    const object = {
      apiVersion: this.#apiVersion,
      kind: this.#kind,
      metadata: { resourceVersion },
    };
    for (const watch of this.openWatches) watch.sendEvents({ type: 'BOOKMARK', object });
  }

  /**
   * Drops the history. A watch from an earlier revision gets 200 and an `ERROR` event with code
   * 410. The next page of a running list gets HTTP 410. Open watches continue.
   */
  expire(): void {
    this.#expiredAt = this.#revision;
    this.#history = [];
    this.#pages.expire();
  }

  /** Drops the next `count` events: the changes happen, but no watch sends them. */
  loseEvents(count = 1): void {
    this.#lostEvents += count;
  }

  /**
   * Behaves like a restored backup: goes back to an older revision, deletes all objects, and
   * creates the objects in `names` at the revisions that follow. Open watches send nothing.
   */
  restore(revision: number, names: readonly string[] = []): void {
    this.#objects.clear();
    this.#moveTo(revision);
    for (const name of names) {
      this.#moveTo(this.#revision + 1);
      this.#objects.set(name, this.#object(name, `uid-${++this.#uid}`, {}));
    }
    this.#history = [];
  }

  /**
   * The reply that serves the collection: lists with `limit` and `continue`, watches, and streamed
   * lists.
   */
  readonly reply: Reply = async (exchange) => {
    const { query, isWatch } = exchange.request;
    if (isWatch) return this.#watch(exchange);
    const page = this.#pages.next(query, this.objects, this.resourceVersion);
    await (page === undefined ? failure(EXPIRED) : json(this.#list(page)))(exchange);
  };

  async #watch(exchange: Exchange): Promise<void> {
    const watch = new ScriptedWatch(exchange);
    const { resourceVersion = '', sendInitialEvents } = exchange.request.query;
    const from = this.#revisionOf(resourceVersion);
    const isExpired = sendInitialEvents !== 'true' && from < this.#expiredAt;
    const first = sendInitialEvents === 'true' ? this.#initialEvents() : this.#eventsAfter(from);
    await watch.serve(isExpired ? [] : first, () => {
      this.#watches.push(watch);
      if (!isExpired) return;
      watch.send(errorEvent(EXPIRED));
      void watch.end();
    });
  }

  #eventsAfter(from: number): readonly CollectionEvent[] {
    return this.#history.filter(({ revision }) => revision > from).map(({ event }) => event);
  }

  #initialEvents(): readonly unknown[] {
    const events = this.objects.map((object) => ({ type: 'ADDED', object }));
    return [...events, this.#bookmark({ [INITIAL_EVENTS_END]: 'true' })];
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): unknown {
    const { resourceVersion } = this;
    const metadata = { resourceVersion, ...(annotations !== undefined && { annotations }) };
    return {
      type: 'BOOKMARK',
      object: { apiVersion: this.#apiVersion, kind: this.#kind, metadata },
    };
  }

  #commit(event: CollectionEvent): void {
    if (this.#lostEvents > 0) {
      this.#lostEvents--;
      return;
    }
    this.#history.push({ revision: this.#revision, event });
    for (const watch of this.openWatches) {
      // A watch from a future revision is silent until the server reaches it.
      const from = this.#revisionOf(watch.request.query.resourceVersion ?? '');
      if (from < this.#revision) watch.sendEvents(event);
    }
  }

  #list({ items, resourceVersion, continueToken }: Page): unknown {
    return {
      apiVersion: this.#apiVersion,
      kind: `${this.#kind}List`,
      metadata: {
        resourceVersion,
        ...(continueToken !== undefined && { continue: continueToken }),
      },
      items,
    };
  }

  #object(name: string, uid: string, fields: Readonly<Record<string, unknown>>): KubernetesObject {
    const namespace = /\/namespaces\/([^/]+)\//.exec(this.path)?.[1];
    const metadata = {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion: this.resourceVersion,
    };
    return { apiVersion: this.#apiVersion, kind: this.#kind, metadata, ...fields };
  }

  #moveTo(revision: number): void {
    this.#revision = revision;
    this.#revisions.set(this.resourceVersion, revision);
  }

  #revisionOf(resourceVersion: string): number {
    return this.#revisions.get(resourceVersion) ?? 0;
  }
}
