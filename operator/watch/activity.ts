import type { Clock } from '../core/clock.ts';
import type { WatchEvent } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import { ApiError } from '../model/status.ts';
import type {
  Discovery,
  ListPage,
  ListPageRequest,
  ListWatch,
  WatchRequest,
} from './list-watch.ts';

/**
 * A ListWatch that records which of its requests are running, and when the server last gave a sign of life.
 */
export class SourceActivity<T extends KubernetesObject> implements ListWatch<T> {
  readonly #source: ListWatch<T>;
  readonly #clock: Clock;
  #lists = 0;
  #watches = 0;
  #lastAt: number | undefined;

  constructor(source: ListWatch<T>, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /**
   * The kind of the running request. While a watch is live, this is `watching`, even if a list that verifies
   * the cache is running as well.
   */
  get activity(): 'listing' | 'watching' | undefined {
    if (this.#watches > 0) return 'watching';
    return this.#lists > 0 ? 'listing' : undefined;
  }

  /** `clock.monotonic()` of the last sign of life; undefined when there was none. */
  get lastAt(): number | undefined {
    return this.#lastAt;
  }

  /**
   * An answer to a discovery request counts as a sign of life, even if another source has sent the request.
   */
  get discovery(): Discovery | undefined {
    const { discovery } = this.#source;
    return discovery && { ...discovery, onAnswer: () => this.#touch() };
  }

  async listPage(request: ListPageRequest<T>): Promise<ListPage<T>> {
    this.#lists++;
    try {
      return await this.#heard(this.#source.listPage(request));
    } finally {
      this.#lists--;
    }
  }

  async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    const onActivity = (): void => {
      this.#touch();
      request.onActivity?.();
    };
    const batches = await this.#heard(this.#source.watch({ ...request, onActivity }));
    return this.#watching(batches);
  }

  /** A watch counts as running until its iterator ends, fails, or is closed by its reader. */
  #watching(
    batches: AsyncIterable<readonly WatchEvent<T>[]>,
  ): AsyncIterable<readonly WatchEvent<T>[]> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = batches[Symbol.asyncIterator]();
        let isOver = false;
        const over = (): void => {
          if (!isOver) this.#watches--;
          isOver = true;
        };
        this.#watches++;
        return {
          async next() {
            try {
              const result = await iterator.next();
              if (result.done === true) over();
              return result;
            } catch (error) {
              over();
              throw error;
            }
          },
          async return() {
            over();
            await iterator.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  /** An answer of the API server, even a refusal, is a sign of life. */
  async #heard<R>(answer: Promise<R>): Promise<R> {
    try {
      const heard = await answer;
      this.#touch();
      return heard;
    } catch (error) {
      if (error instanceof ApiError) this.#touch();
      throw error;
    }
  }

  #touch(): void {
    this.#lastAt = this.#clock.monotonic();
  }
}
