import type { Entry, WatchEvent } from '../../operator/model/entry.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { ownedIterator } from '../../operator/stream/lines.ts';
import type {
  ListPage,
  ListPageRequest,
  ListWatch,
  WatchRequest,
} from '../../operator/watch/list-watch.ts';

import { textEntry } from './text-entry.ts';

export interface Thing extends KubernetesObject {
  readonly value: number;
}

/** As `ListPageRequest.known` promises. */
function knownOr({ known }: ListPageRequest<Thing>, object: Thing): Entry<Thing> {
  const entry = textEntry(object);
  const cached = known?.(entry.key);
  const isSame =
    cached?.uid === entry.uid &&
    cached.resourceVersion === entry.resourceVersion &&
    !cached.isUnreadable;
  return isSame ? cached : entry;
}

/** An event as a test writes it. */
export type ThingEvent =
  | Extract<WatchEvent, { type: 'BOOKMARK' }>
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Thing };

/** The event as a client hands it on. */
export function eventOf(event: ThingEvent): WatchEvent<Thing> {
  return event.type === 'BOOKMARK' ? event : { type: event.type, entry: textEntry(event.object) };
}

type Batch = readonly ThingEvent[];

/** One watch that the collection serves; a test ends it as it likes. */
export class OpenWatch {
  readonly request: WatchRequest;
  readonly #batches: (Batch | 'end' | Error)[] = [];
  #wake: () => void = () => {};
  #ended = false;

  constructor(request: WatchRequest) {
    this.request = request;
    request.signal.addEventListener('abort', () => this.#push('end'), { once: true });
  }

  get ended(): boolean {
    return this.#ended;
  }

  send(...batch: Batch): void {
    this.#push(batch);
  }

  end(): void {
    this.#push('end');
  }

  fail(error: Error): void {
    this.#push(error);
  }

  #push(item: Batch | 'end' | Error): void {
    this.#batches.push(item);
    this.#wake();
  }

  events(): AsyncGenerator<readonly WatchEvent<Thing>[], void, undefined> {
    // A generator that was never begun would not notice that it is left.
    return ownedIterator(this.#events(), () => {
      this.#ended = true;
    });
  }

  async *#events(): AsyncGenerator<readonly WatchEvent<Thing>[], void, undefined> {
    try {
      for (;;) {
        const next = this.#batches.shift();
        if (this.request.signal.aborted) throw this.request.signal.reason;
        if (next === 'end') return;
        if (next instanceof Error) throw next;
        if (next !== undefined) {
          this.request.onActivity?.();
          yield next.map(eventOf);
          continue;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#ended = true;
    }
  }
}

/**
 * A collection as a server keeps it, behind the port that a reflector sees: one revision counter,
 * history, compaction, pages, watches, and failures on demand.
 */
export class FakeCollection implements ListWatch<Thing> {
  #revision = 100;
  #uid = 0;
  #compactedAt = 0;
  readonly #objects = new Map<string, Thing>();
  readonly #history: { readonly revision: number; readonly event: ThingEvent }[] = [];
  /** What the pages under way show: later writes do not move objects between them. */
  #listed: readonly Thing[] = [];
  readonly #listFailures: Error[] = [];
  readonly #watchFailures: Error[] = [];
  readonly lists: ListPageRequest[] = [];
  readonly watches: OpenWatch[] = [];
  /** Called after each page but the last, to change the world in the middle of a list. */
  betweenPages: () => void = () => {};
  /** How a watch that asks for initial events is served. */
  streaming: 'yes' | 'no-marker' | 'manual' | Error = 'yes';
  /** Lists under way, and the most that there ever were. */
  readonly listing = { now: 0, most: 0 };
  /** A list waits for this before it answers. */
  listGate: Promise<void> | undefined;
  /** Drops the next event on the floor, as a server whose own cache lost it. */
  loseNextEvent = false;

  get revision(): string {
    return String(this.#revision);
  }

  get objects(): readonly Thing[] {
    return [...this.#objects.values()];
  }

  get openWatches(): readonly OpenWatch[] {
    return this.watches.filter(({ ended }) => !ended);
  }

  /** The watch that was opened last. */
  get newestWatch(): OpenWatch {
    const watch = this.watches.at(-1);
    if (watch === undefined) throw new Error('no watch was opened');
    return watch;
  }

  /** @param more - metadata besides name, namespace, uid and resourceVersion. */
  put(name: string, value = 0, more: Partial<ObjectMeta> = {}): Thing {
    const old = this.#objects.get(name);
    const object: Thing = {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: {
        name,
        namespace: 'demo',
        uid: old?.metadata.uid ?? `uid-${++this.#uid}`,
        resourceVersion: String(++this.#revision),
        ...more,
      },
      value,
    };
    this.#objects.set(name, object);
    this.#commit({ type: old === undefined ? 'ADDED' : 'MODIFIED', object });
    return object;
  }

  remove(name: string): void {
    const old = this.#objects.get(name);
    if (old === undefined) return;
    this.#objects.delete(name);
    const metadata = { ...old.metadata, resourceVersion: String(++this.#revision) };
    this.#commit({ type: 'DELETED', object: { ...old, metadata } });
  }

  /** Forgets all history: watches from before get a 410. */
  compact(): void {
    this.#compactedAt = this.#revision;
    this.#history.length = 0;
  }

  /** Goes back to a backup: fewer revisions, and the objects that it is told. */
  restore(revision: number, ...names: readonly string[]): void {
    this.#revision = revision;
    this.#objects.clear();
    for (const name of names) this.put(name);
    this.compact();
  }

  /** Other collections of the server are written to. */
  writtenElsewhere(writes: number): void {
    this.#revision += writes;
  }

  failLists(...errors: readonly Error[]): void {
    this.#listFailures.push(...errors);
  }

  failWatches(...errors: readonly Error[]): void {
    this.#watchFailures.push(...errors);
  }

  /** Takes back the failures that are still to come. */
  calm(): void {
    this.#listFailures.length = 0;
    this.#watchFailures.length = 0;
    this.loseNextEvent = false;
    this.betweenPages = () => {};
  }

  /** Says the latest events again to every watch. */
  replay(count = 1): void {
    const latest = this.#history.slice(-count).map(({ event }) => event);
    for (const watch of this.openWatches) watch.send(...latest);
  }

  bookmark(): void {
    const event = {
      type: 'BOOKMARK',
      resourceVersion: this.revision,
      initialEventsEnd: false,
    } as const;
    for (const watch of this.openWatches) watch.send(event);
  }

  async listPage(request: ListPageRequest<Thing>): Promise<ListPage<Thing>> {
    this.lists.push(request);
    request.signal.throwIfAborted();
    this.listing.most = Math.max(this.listing.most, ++this.listing.now);
    try {
      await this.listGate;
      return this.#page(request);
    } finally {
      this.listing.now--;
    }
  }

  #page(request: ListPageRequest<Thing>): ListPage<Thing> {
    const failure = this.#listFailures.shift();
    if (failure !== undefined) throw failure;
    const from = request.continueToken === undefined ? 0 : Number(request.continueToken);
    if (from === 0) this.#listed = [...this.#objects.values()];
    const items = this.#listed;
    const until = request.limit === 0 ? items.length : from + request.limit;
    const more = until < items.length;
    const page = {
      items: items.slice(from, until).map((object) => knownOr(request, object)),
      resourceVersion: this.revision,
      continueToken: more ? String(until) : undefined,
    };
    if (more) this.betweenPages();
    return page;
  }

  async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<Thing>[]>> {
    const watch = new OpenWatch(request);
    this.watches.push(watch);
    const failure = this.#watchFailures.shift();
    if (failure !== undefined) {
      watch.end();
      for await (const _ of watch.events());
      throw failure;
    }
    if (request.sendInitialEvents === true) {
      this.#stream(watch);
      return watch.events();
    }
    const from = Number(request.resourceVersion);
    if (from < this.#compactedAt) watch.fail(expired());
    const missed = this.#history.filter(({ revision }) => revision > from);
    if (missed.length > 0) watch.send(...missed.map(({ event }) => event));
    return watch.events();
  }

  #stream(watch: OpenWatch): void {
    if (this.streaming instanceof Error) watch.fail(this.streaming);
    if (this.streaming === 'manual' || this.streaming instanceof Error) return;
    for (const object of this.#objects.values()) watch.send({ type: 'ADDED', object });
    if (this.streaming === 'no-marker') return;
    watch.send({ type: 'BOOKMARK', resourceVersion: this.revision, initialEventsEnd: true });
  }

  #commit(event: ThingEvent): void {
    if (this.loseNextEvent) {
      this.loseNextEvent = false;
      return;
    }
    this.#history.push({ revision: this.#revision, event });
    for (const watch of this.openWatches) {
      if (Number(watch.request.resourceVersion) < this.#revision) watch.send(event);
    }
  }
}

export function expired(): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message: 'too old resource version' });
}
