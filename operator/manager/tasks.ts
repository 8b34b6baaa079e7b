import type { StopPhase } from './runnable.ts';

/** One thing that runs until it is asked to stop: a controller, a runnable. */
export interface Task {
  readonly name: string;
  readonly phase: StopPhase;
  /** Runs by leadership: it is aborted with its loss, and it must have ended before that is given back. */
  readonly guarded: boolean;
  /**
   * @param stop - asks it to end what it does.
   * @param abort - asks it to leave everything as it is.
   */
  run(stop: AbortSignal, abort: AbortSignal): Promise<void>;
}

export type TaskFilter = (task: Task) => boolean;

interface Running {
  readonly task: Task;
  readonly stop: AbortController;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** What runs in a manager, by the order in which it is to stop. */
export class Tasks {
  readonly #running = new Set<Running>();
  readonly #failed: (error: unknown) => void;

  /** @param failed - told of each that rejects, unless it was asked to stop. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  start(task: Task): void {
    const stop = new AbortController();
    const abort = new AbortController();
    const ended = this.#run(task, stop.signal, abort.signal).finally(() =>
      this.#running.delete(running),
    );
    const running: Running = { task, stop, abort, ended };
    this.#running.add(running);
  }

  /** Names of those that still run. */
  names(isMeant: TaskFilter): readonly string[] {
    return this.#meant(isMeant).map(({ task }) => task.name);
  }

  stop(isMeant: TaskFilter, reason: unknown): void {
    for (const { stop } of this.#meant(isMeant)) stop.abort(reason);
  }

  abort(isMeant: TaskFilter, reason: unknown): void {
    for (const { stop, abort } of this.#meant(isMeant)) {
      stop.abort(reason);
      abort.abort(reason);
    }
  }

  /** Resolves when all of them that run now have ended. */
  async settled(isMeant: TaskFilter): Promise<void> {
    await Promise.all(this.#meant(isMeant).map(({ ended }) => ended));
  }

  #meant(isMeant: TaskFilter): readonly Running[] {
    return [...this.#running].filter(({ task }) => isMeant(task));
  }

  async #run(task: Task, stop: AbortSignal, abort: AbortSignal): Promise<void> {
    try {
      await task.run(stop, abort);
    } catch (error) {
      if (!stop.aborted) this.#failed(error);
    }
  }
}
