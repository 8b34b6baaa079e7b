import { abortable } from './abort.ts';

/** Runs tasks one after the other, in the order in which they are added. */
export class OneAtATime {
  /** Settles when the last task has ended. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` after all earlier tasks.
   *
   * @throws the error of `work`; `signal.reason` as soon as it aborts. If `work` has not begun then, it never
   *   begins. If it has begun, it continues without its caller.
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
