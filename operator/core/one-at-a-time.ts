import { abortable } from './abort.ts';

/** Runs tasks one after the other, in the order in which they are added. */
export class OneAtATime {
  /** Settles when the last task has ended. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` after all earlier tasks.
   *
   * @throws the error of `work`; `signal.reason` as soon as `signal` aborts. If `work` has not begun by then,
   *   it is never started. If it has begun, it continues, but its result is ignored.
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
