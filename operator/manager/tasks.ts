import { ConfigurationError } from '../core/errors.ts';
import { isDns1035Label } from '../model/dns-name.ts';

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

/**
 * When something is asked to stop, in this order: `intake` is what gives the controllers work,
 * `controllers` stops together with them, `others` after them and before the sources and Events.
 */
export type StopPhase = 'intake' | 'controllers' | 'others';

/** Something that runs beside the controllers, for as long as the process lives. */
export interface Runnable {
  /** Lower-case words joined by `-`; names it in logs. */
  readonly name: string;
  /**
   * Works until `signal` aborts. To return earlier is to be done; to throw ends the operator, with 1.
   * What it rejects with once `signal` has aborted is logged at most.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * One replica at a time may run it: it starts with leadership and its signal aborts when that is
   * lost. Default true; without leader election in the settings, all replicas run it.
   */
  readonly needsLeaderElection?: boolean;
  /** Default `others`. */
  readonly stopPhase?: StopPhase;
}

/** Registered, so that what a module declared that has loaded this file anew is understood as well. */
const DECLARED: unique symbol = Symbol.for('chancery.runnable');

/**
 * Declares a runnable, so that a module can export it beside controllers. Starts nothing.
 *
 * @throws ConfigurationError `CONFIG` when the name is unusable.
 */
export function runnable(declaration: Runnable): Runnable {
  const { name } = declaration;
  if (!isDns1035Label(name)) {
    throw new ConfigurationError('runnable name must be at most 63 of a-z, 0-9 and "-"', {
      context: { name },
    });
  }
  return Object.freeze({
    needsLeaderElection: true,
    stopPhase: 'others',
    ...declaration,
    run: (signal: AbortSignal) => declaration.run(signal),
    [DECLARED]: true,
  });
}

/** True for what `runnable()` returned; how `chancery run` tells it from any other export. */
export function isRunnable(value: unknown): value is Runnable {
  return typeof value === 'object' && value !== null && DECLARED in value;
}
