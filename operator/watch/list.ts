import { ProtocolError } from '../core/errors.ts';
import { OBJECTS_PER_SLICE, yieldToEventLoop } from '../core/time-slice.ts';
import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { isGone } from '../model/status.ts';
import type { ListConsistency, ListPage, ListPageRequest, ListWatch } from './list-watch.ts';

export interface ListPagesRequest<T extends KubernetesObject = KubernetesObject> {
  readonly consistency: ListConsistency;
  /**
   * Objects per page; 0 for everything at once. It is used only for lists of the latest state, because all
   * other lists have a single page.
   */
  readonly pageSize: number;
  /**
   * If true, pages have about 4 MiB and at most `pageSize` objects, whatever `consistency` is: see
   * `PageLimit`. A list then fails if its token expires. Default false.
   */
  readonly bySize?: boolean;
  /** See `ListPageRequest`. */
  readonly known?: ListPageRequest<T>['known'];
  readonly signal: AbortSignal;
}

/**
 * Takes the entries of a page, and returns the entries that replace them in the list.
 *
 * @param first - true when the page begins a list.
 */
export type TakePage<T extends KubernetesObject> = (
  items: readonly Entry<T>[],
  first: boolean,
) => readonly Entry<T>[] | Promise<readonly Entry<T>[]>;

interface ListAllRequest<T extends KubernetesObject> extends Omit<ListPagesRequest<T>, 'bySize'> {
  /**
   * Called for each page before the next page is requested. If set, the size of pages is chosen as with
   * `bySize: true`.
   */
  readonly takePage?: TakePage<T> | undefined;
}

/** Objects per page, as in client-go and kube-rs. */
export const DEFAULT_PAGE_SIZE = 500;

/**
 * Number of pages after which the event loop gets a turn. Reading pages from the network causes turns anyway,
 * but pages from other sources may not.
 */
const PAGES_A_TURN = 4;

/**
 * Number of consecutive pages without a new first or last object after which a list is treated as endless.
 */
const MAX_BARREN_PAGES = 1_000;

/**
 * Maximum number of objects in a list. etcd cannot store more objects of one kind: its 8 GiB have space for 5
 * million objects of 1.6 KiB.
 */
const MAX_OBJECTS = 5_000_000;

/** All objects of a collection at one resourceVersion. */
export interface CompleteList<T extends KubernetesObject> {
  readonly items: readonly Entry<T>[];
  /** The resourceVersion of the first page. A watch must begin at this version so that it misses no event. */
  readonly resourceVersion: string;
}

/** A list, and the keys that occur in it more than once. */
export interface GatheredList<T extends KubernetesObject> extends CompleteList<T> {
  /** Objects that appeared more than once in the list. */
  readonly duplicates: readonly ObjectKey[];
}

/**
 * Reads all pages: the caller gets all objects or an error, never only some of the pages. If an object is on
 * two pages, the state on the later page is used, because the object was written in between.
 *
 * The memory contains the collection and one page. The number of pages is not limited, except that an endless
 * list causes an error: see `listPages`.
 */
export async function listAll<T extends KubernetesObject>(
  source: Pick<ListWatch<T>, 'listPage'>,
  { takePage, ...listing }: ListAllRequest<T>,
): Promise<GatheredList<T>> {
  const entries = new Map<ObjectKey, Entry<T>>();
  const duplicates: ObjectKey[] = [];
  let resourceVersion = '';
  const request = { ...listing, bySize: takePage !== undefined };
  for await (const { page, first } of listPages(source, request)) {
    if (first) {
      entries.clear();
      duplicates.length = 0;
      resourceVersion = page.resourceVersion;
    }
    const items = takePage === undefined ? page.items : await takePage(page.items, first);
    for (const [index, item] of items.entries()) {
      // A page can be the whole list, because a list of the kind `not-older-than` has only one page.
      if (index > 0 && index % OBJECTS_PER_SLICE === 0) await yieldToEventLoop();
      if (entries.has(item.key)) duplicates.push(item.key);
      entries.set(item.key, item);
    }
  }
  return { items: [...entries.values()], resourceVersion, duplicates };
}

/**
 * A page of a list. If `first` is true, the list begins or starts over with this page, so all earlier pages
 * must be dropped.
 */
interface Page<T extends KubernetesObject> {
  readonly page: ListPage<T>;
  readonly first: boolean;
}

/**
 * The pages of a collection, each read by one request. Between them the event loop gets turns, so that a
 * large collection does not delay the renewal of a Lease or the answer to a probe.
 *
 * If a page token has expired, the list starts over once, without pages. The server offers another token to
 * continue, but the list would then mix two states and could hide deletes.
 *
 * A list of the kind `not-older-than` is requested without pages. With a limit, API servers before 1.31 would
 * read it from etcd, and thousands of such lists may come at once. With `bySize` pages are requested
 * nevertheless, because the reader cannot keep all objects in memory.
 *
 * @throws ProtocolError `DECODE` for an endless list: a repeated token, a thousand pages without a new first
 *   or last object, or more than five million objects.
 */
export async function* listPages<T extends KubernetesObject>(
  source: Pick<ListWatch<T>, 'listPage'>,
  { consistency, pageSize, bySize = false, known, signal }: ListPagesRequest<T>,
): AsyncGenerator<Page<T>, void, undefined> {
  const sizes = bySize && pageSize > 0 ? new PageLimit(pageSize) : undefined;
  const limit = sizes?.limit ?? (consistency.kind === 'latest' ? pageSize : 0);
  const end = new EndlessListGuard();
  let pages = 0;
  let request: ListPageRequest<T> = { consistency, limit, known, signal };
  for (let first = true; ; first = false) {
    let page: ListPage<T>;
    try {
      page = await source.listPage(request);
    } catch (error) {
      if (first || bySize || !isGone(error)) throw error;
      const whole = { consistency: { kind: 'latest' }, limit: 0, known, signal } as const;
      yield { page: await source.listPage(whole), first: true };
      return;
    }
    yield { page, first };
    if (page.continueToken === undefined) return;
    end.check(page, page.continueToken);
    if (++pages % PAGES_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    sizes?.seen(page);
    const { limit: next = limit } = sizes ?? {};
    request = { ...request, limit: next, continueToken: page.continueToken };
  }
}

/** Target size of a page in bytes of JSON. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Number of objects in the first page, when their size is unknown. etcd accepts objects of up to 1.5 MiB. */
const FIRST_LIMIT = 10;

/**
 * Maximum factor by which the limit grows from one page to the next. It is limited because large objects may
 * follow small objects.
 */
const MAX_GROWTH = 5;

/** Chooses the number of objects per page so that pages have about the same size in bytes. */
class PageLimit {
  readonly #most: number;
  #limit: number;

  constructor(most: number) {
    this.#most = most;
    this.#limit = Math.min(FIRST_LIMIT, most);
  }

  get limit(): number {
    return this.#limit;
  }

  seen({ items, itemBytes = 0 }: ListPage<KubernetesObject>): void {
    const fitting = Math.floor((PAGE_BYTES * items.length) / Math.max(itemBytes, 1));
    const grown = this.#limit * MAX_GROWTH;
    this.#limit = Math.max(1, Math.min(itemBytes === 0 ? grown : fitting, grown, this.#most));
  }
}

/** Detects a server that sends pages forever. */
class EndlessListGuard {
  readonly #tokens = new Set<string>();
  /**
   * The first and the last key of each page. All keys of a large collection would take as much memory as a
   * second index.
   */
  readonly #keys = new Set<ObjectKey>();
  #objects = 0;
  #barrenPages = 0;

  check({ items }: ListPage<KubernetesObject>, token: string): void {
    const before = this.#keys.size;
    for (const item of [items[0], items.at(-1)]) if (item !== undefined) this.#keys.add(item.key);
    this.#objects += items.length;
    this.#barrenPages = this.#keys.size > before ? 0 : this.#barrenPages + 1;
    if (this.#tokens.has(token)) throw endless('the token of a page comes again');
    this.#tokens.add(token);
    if (this.#barrenPages >= MAX_BARREN_PAGES) throw endless('page after page brings nothing new');
    if (this.#objects > MAX_OBJECTS) throw endless('the list is larger than a cluster can be');
  }
}

function endless(message: string): ProtocolError {
  return new ProtocolError(message, { code: 'DECODE' });
}

/**
 * Collects the initial events of a watch into a list. The events are ordered by the names of the objects, not
 * by their resourceVersions, and a bookmark ends them. Only the resourceVersion of that bookmark is used.
 *
 * The objects are kept here until the bookmark arrives, so that a stream that ends early does not change the
 * sink.
 */
export class InitialEvents<T extends KubernetesObject> {
  readonly #entries = new Map<ObjectKey, Entry<T>>();

  /**
   * Takes events up to the bookmark that ends the list. A bookmark without a resourceVersion is ignored,
   * because no watch could continue from it.
   *
   * @returns the list, and the events after that bookmark; undefined while the bookmark has not arrived.
   */
  take(
    batch: readonly WatchEvent<T>[],
  ): { readonly list: CompleteList<T>; readonly rest: readonly WatchEvent<T>[] } | undefined {
    for (const [index, event] of batch.entries()) {
      if (event.type === 'BOOKMARK') {
        const { initialEventsEnd, resourceVersion = '0' } = event;
        if (!initialEventsEnd || resourceVersion === '0') continue;
        const items = [...this.#entries.values()];
        return { list: { items, resourceVersion }, rest: batch.slice(index + 1) };
      }
      const { entry } = event;
      if (event.type === 'DELETED') this.#entries.delete(entry.key);
      else this.#entries.set(entry.key, entry);
    }
    return undefined;
  }
}
