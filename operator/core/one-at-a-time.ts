import { abortable } from './abort.ts';

/** Runs pieces of work one after the other, in the order in which they are added. */
export class OneAtATime {
  /** Settles when the last piece of work has ended. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` after all earlier work.
   *
   * @throws as `work` does; `signal.reason` as soon as it aborts. Work that has not begun then never begins.
   *   Work that has begun continues without its caller.
   */
  take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const turn = this.#last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#last = turn.catch(() => {});
    return abortable(turn, signal);
  }
}
