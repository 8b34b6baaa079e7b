/** A controller or a runnable, which runs until it is stopped. */
export interface Task {
  readonly name: string;
  readonly phase: StopPhase;
  /**
   * True if the task needs leadership. It is then aborted when leadership is lost, and must end before the
   * Lease is released.
   */
  readonly guarded: boolean;
  /**
   * @param stop - aborts when the task must complete its current work, and then end.
   * @param abort - aborts when the task must end at once, even with incomplete work.
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

/** The running tasks of a manager. They are stopped by phase. */
export class Tasks {
  readonly #running = new Set<Running>();
  readonly #failed: (error: unknown) => void;

  /** @param failed - called for each task that rejects before it was stopped. */
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

  /** Names of the matching tasks that are still running. */
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

  /** Resolves when all matching tasks that are running now have ended. */
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

/**
 * When a task is stopped. First `intake`, for tasks that feed the controllers; then `controllers`, for tasks
 * that stop together with the controllers; then `others`, for tasks that stop after the controllers and
 * before the sources and Events.
 */
export type StopPhase = 'intake' | 'controllers' | 'others';
