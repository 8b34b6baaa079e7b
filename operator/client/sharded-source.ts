import { aborted } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type {
  Discovery,
  ListPage,
  ListPageRequest,
  ListWatch,
  RequestSelectors,
  WatchRequest,
} from '../watch/list-watch.ts';

/** How the objects of a source are divided into slots. */
export interface Slotting {
  /** The slots of an object. None: it belongs to every replica. */
  slotsOf(entry: Entry): readonly number[];
  /** What a server that can select sends, besides a few objects of other slots. */
  selectors(slots: ReadonlySet<number>): RequestSelectors;
}

/** Lists whose pages are requested at the same time: that of the cache, and those that compare it or add to it. */
const MAX_TOKENS = 16;

/**
 * A source that shows the objects of some slots. The slots may change at any time: a watch that is under way then shows
 * what it gets of the new ones, and the next request asks for them.
 *
 * The server is asked to select, and what it sends of other slots is left out, so that nothing depends on what it can.
 */
export class ShardedSource<T extends KubernetesObject> implements ListWatch<T> {
  readonly discovery: Discovery | undefined;
  readonly #source: ListWatch<T>;
  readonly #slotting: Slotting;
  readonly #clock: Clock;
  readonly #slots: () => ReadonlySet<number>;
  /** The slots of lists that are not complete, by the token of the next page. */
  readonly #tokens = new Map<string, ReadonlySet<number>>();

  constructor(
    source: ListWatch<T>,
    slotting: Slotting,
    { clock, slots }: { readonly clock: Clock; readonly slots: () => ReadonlySet<number> },
  ) {
    this.discovery = source.discovery;
    this.#source = source;
    this.#slotting = slotting;
    this.#clock = clock;
    this.#slots = slots;
  }

  /** The same source, for these slots. */
  part(slots: ReadonlySet<number>): ShardedSource<T> {
    return new ShardedSource(this.#source, this.#slotting, {
      clock: this.#clock,
      slots: () => slots,
    });
  }

  async listPage(request: ListPageRequest<T>): Promise<ListPage<T>> {
    const { continueToken: token = '' } = request;
    const slots = this.#tokens.get(token) ?? this.#slots();
    this.#tokens.delete(token);
    if (slots.size === 0) {
      // Only its resourceVersion is of use.
      const page = await this.#source.listPage({ ...request, limit: 1 });
      return { ...page, items: [], continueToken: undefined };
    }
    const selectors = this.#slotting.selectors(slots);
    const page = await this.#source.listPage({ ...request, selectors });
    if (page.continueToken !== undefined) this.#remember(page.continueToken, slots);
    return { ...page, items: page.items.filter((entry) => this.#isIn(slots, entry)) };
  }

  async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    const slots = this.#slots();
    if (slots.size === 0) return this.#watchNothing(request);
    const selectors = this.#slotting.selectors(slots);
    const batches = await this.#source.watch({ ...request, selectors });
    return filtered(batches, (event) => {
      return event.type === 'BOOKMARK' || this.#isIn(this.#slots(), event.entry);
    });
  }

  /** Without slots nothing is watched until there are some. */
  async *#watchNothing(request: WatchRequest): AsyncGenerator<readonly WatchEvent<T>[]> {
    const { sendInitialEvents, signal, timeoutSeconds } = request;
    if (sendInitialEvents === true) {
      const { resourceVersion } = await this.listPage({
        consistency: { kind: 'latest' },
        limit: 1,
        signal,
      });
      yield [{ type: 'BOOKMARK', resourceVersion, initialEventsEnd: true }];
    }
    await sleep(this.#clock, timeoutSeconds * 1_000, signal).catch(() => aborted(signal));
  }

  #isIn(slots: ReadonlySet<number>, entry: Entry): boolean {
    const of = this.#slotting.slotsOf(entry);
    return of.length === 0 || of.some((slot) => slots.has(slot));
  }

  #remember(token: string, slots: ReadonlySet<number>): void {
    this.#tokens.set(token, slots);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MAX_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
  }
}

/** A plain iterator of promises: a generator would delay each batch by several turns. */
function filtered<E>(
  batches: AsyncIterable<readonly E[]>,
  isShown: (event: E) => boolean,
): AsyncIterable<readonly E[]> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = batches[Symbol.asyncIterator]();
      return {
        async next() {
          const { done, value } = await iterator.next();
          return done === true ? { done, value } : { done: false, value: value.filter(isShown) };
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
