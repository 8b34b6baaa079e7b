import { abortable } from './abort.ts';

/** Work that is done one after the other, in the order in which it comes. */
export class OneAtATime {
  /** Ends when the last work has ended. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /** @throws as `work` does; `signal.reason` as soon as it is aborted. Then `work` is not begun, or goes on by itself. */
  take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const turn = this.#last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#last = turn.catch(() => {});
    return abortable(turn, signal);
  }
}
