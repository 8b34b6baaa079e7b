import { aborted } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import { ApiError } from '../model/status.ts';
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
  /** The slots of an object. An object without slots belongs to every replica. */
  slotsOf(entry: Entry): readonly number[];
  /**
   * The selectors for objects of these slots. A server that supports them sends only few objects of other
   * slots.
   */
  selectors(slots: ReadonlySet<number>): RequestSelectors;
}

/**
 * Maximum number of lists whose pages are requested at the same time: the list that fills the cache, and
 * lists that are compared with the cache or added to it.
 */
const MAX_TOKENS = 16;

interface ShardedSourceOptions {
  readonly clock: Clock;
  readonly slots: () => ReadonlySet<number>;
  /**
   * Called for each page and each batch that contains objects of other slots, with the number of these
   * objects.
   */
  readonly onForeign?: ((count: number) => void) | undefined;
  /**
   * Called with the server's error when the server has refused `shardSelector`. The request was then repeated
   * without this selector.
   */
  readonly onRefused?: ((error: ApiError) => void) | undefined;
}

/**
 * A source that delivers only the objects of some slots. The slots may change at any time. An open watch then
 * delivers objects of the new slots only if the server happens to send them; the next request selects the new
 * slots.
 *
 * Each request asks the server to select the slots. Objects of other slots are dropped here, so the result is
 * the same if the server does not support this.
 */
export class ShardedSource<T extends KubernetesObject> implements ListWatch<T> {
  readonly discovery: Discovery | undefined;
  readonly #source: ListWatch<T>;
  readonly #slotting: Slotting;
  readonly #options: ShardedSourceOptions;
  /** The slots for which each incomplete list was begun, keyed by the token of its next page. */
  readonly #tokens = new Map<string, ReadonlySet<number>>();

  constructor(source: ListWatch<T>, slotting: Slotting, options: ShardedSourceOptions) {
    this.discovery = source.discovery;
    this.#source = source;
    this.#slotting = slotting;
    this.#options = options;
  }

  /** A copy of this source for other slots, which do not change. */
  part(slots: ReadonlySet<number>): ShardedSource<T> {
    return new ShardedSource(this.#source, this.#slotting, {
      ...this.#options,
      slots: () => slots,
    });
  }

  async listPage(request: ListPageRequest<T>): Promise<ListPage<T>> {
    const { continueToken: token = '' } = request;
    const slots = this.#tokens.get(token) ?? this.#options.slots();
    this.#tokens.delete(token);
    if (slots.size === 0) {
      // The list is requested only because the caller needs its resourceVersion.
      const page = await this.#source.listPage({ ...request, limit: 1 });
      return { ...page, items: [], continueToken: undefined };
    }
    const page = await this.#selecting(slots, (selectors) =>
      this.#source.listPage({ ...request, selectors }),
    );
    if (page.continueToken !== undefined) this.#remember(page.continueToken, slots);
    const items = this.#own(page.items, (entry) => this.#isIn(slots, entry));
    for (const entry of items) entry.release(); // a list is complete only after its last page
    return { ...page, items };
  }

  async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    const slots = this.#options.slots();
    if (slots.size === 0) return this.#watchNothing(request);
    const batches = await this.#selecting(slots, (selectors) =>
      this.#source.watch({ ...request, selectors }),
    );
    const isShown = (event: WatchEvent<T>): boolean =>
      event.type === 'BOOKMARK' || this.#isIn(this.#options.slots(), event.entry);
    return eachBatch(batches, (batch) => this.#own(batch, isShown));
  }

  /**
   * The watch that is used while there are no slots: it delivers no objects and lasts as long as the request
   * allows.
   */
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
    await sleep(this.#options.clock, timeoutSeconds * 1_000, signal).catch(() => aborted(signal));
  }

  /**
   * Asks the server to select the slots. A server that cannot read the selector answers 500, as
   * kube-apiserver 1.36 does. The request is then repeated without the selector, and the server sends
   * everything.
   */
  async #selecting<A>(
    slots: ReadonlySet<number>,
    send: (selectors: RequestSelectors) => Promise<A>,
  ): Promise<A> {
    const { shardSelector, ...others } = this.#slotting.selectors(slots);
    try {
      return await send({ ...others, shardSelector });
    } catch (error) {
      if (shardSelector === undefined || !isServerError(error)) throw error;
      const answer = await send(others); // fails in the same way if the selector is not the reason
      this.#options.onRefused?.(error);
      return answer;
    }
  }

  #own<E>(received: readonly E[], isShown: (each: E) => boolean): readonly E[] {
    const shown = received.filter(isShown);
    if (shown.length < received.length) this.#options.onForeign?.(received.length - shown.length);
    return shown;
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

/** This is a plain iterator of promises, because a generator would delay each batch by several turns. */
function eachBatch<E>(
  batches: AsyncIterable<readonly E[]>,
  reduced: (batch: readonly E[]) => readonly E[],
): AsyncIterable<readonly E[]> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = batches[Symbol.asyncIterator]();
      return {
        async next() {
          const { done, value } = await iterator.next();
          return done === true ? { done, value } : { done: false, value: reduced(value) };
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

const SERVER_ERROR = 500;

function isServerError(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === SERVER_ERROR;
}
