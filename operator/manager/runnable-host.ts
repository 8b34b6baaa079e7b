import type { Client } from '../client/client.ts';
import type { Controller } from '../controller/controller.ts';
import type { EventRecorder } from '../controller/events/event-recorder.ts';
import type { Log, Self } from '../controller/reconciler.ts';
import { linkedAbort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf, OperatorError } from '../core/errors.ts';
import type { Meter } from '../core/metrics.ts';
import type { Runnable, RunnableContext } from './runnable.ts';
import type { Informers } from './sources/informers.ts';
import type { RunnableStatus } from './status-page/process-status.ts';
import type { Task } from './tasks.ts';

interface RunnableHostOptions {
  readonly informers: Informers;
  /**
   * Creates the client and the Event recorder of the runnable with this name. If the runnable needs
   * leadership, both belong to the current term.
   */
  readonly partsFor: (
    name: string,
    needsLeaderElection: boolean,
  ) => { readonly client: Client; readonly events: EventRecorder };
  /** Runs a controller until `stop` aborts. */
  readonly start: (controller: Controller, stop: AbortSignal, abort: AbortSignal) => Promise<void>;
  readonly discover: RunnableContext['discover'];
  readonly discoverExactly: RunnableContext['discoverExactly'];
  readonly hasSubresource: RunnableContext['hasSubresource'];
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly self: Self;
  readonly dryRun: boolean;
}

/** Runs runnables. Each run gets its own context, with the client of the term. */
export class RunnableHost {
  readonly #options: RunnableHostOptions;
  readonly #attached = new Set<Runnable>();
  /** The runnables whose `run` has been called and has not ended. */
  readonly #running = new Set<Runnable>();

  constructor(options: RunnableHostOptions) {
    this.#options = options;
  }

  /** True when every runnable that can report idleness is running and idle. */
  get idle(): boolean {
    return [...this.#attached].every((each) => each.idle === undefined || this.#isIdle(each));
  }

  /** The state of each runnable that has a `status`. */
  statuses(): readonly RunnableStatus[] {
    return [...this.#attached].flatMap((each) =>
      each.status === undefined
        ? []
        : [{ name: each.name, running: this.#running.has(each), state: each.status() }],
    );
  }

  /** Starts to list and watch the sources of `runnable`, for the life of the process. Idempotent. */
  attach(runnable: Runnable): void {
    if (this.#attached.has(runnable)) return;
    this.#attached.add(runnable);
    for (const source of runnable.sources ?? []) this.#options.informers.of(source);
  }

  /**
   * The runnable as a task that a manager can start and stop. The errors of the task contain the name of the
   * runnable.
   */
  taskOf(runnable: Runnable): Task {
    const { name, needsLeaderElection = true, stopPhase = 'others' } = runnable;
    this.attach(runnable);
    const log = this.#options.logFor({ runnable: name });
    return {
      name,
      phase: stopPhase,
      guarded: needsLeaderElection,
      run: async (stop, abort) => {
        this.#running.add(runnable);
        const started = new StartedControllers((controller, signal) =>
          this.#options.start(controller, signal, abort),
        );
        try {
          await runnable.run(stop, this.#contextOf(runnable, log, started));
        } catch (error) {
          if (!stop.aborted) throw failureOf(name, error, log);
          // Most runnables reject with the reason of their signal, or with an error that wraps it.
          log.debug({ err: error }, 'runnable rejected when it was stopped');
        } finally {
          await started.end(stop.reason);
          this.#running.delete(runnable);
        }
      },
    };
  }

  #isIdle(runnable: Runnable): boolean {
    return this.#running.has(runnable) && runnable.idle?.() === true;
  }

  #contextOf(
    { name, needsLeaderElection = true }: Runnable,
    log: Log,
    started: StartedControllers,
  ): RunnableContext {
    const { clock, discover, discoverExactly, dryRun, hasSubresource } = this.#options;
    const { informers, meter, partsFor, self } = this.#options;
    return {
      ...partsFor(name, needsLeaderElection),
      ...{ log, meter, clock, self, dryRun, discover, discoverExactly, hasSubresource },
      open: (source) => informers.open(source),
      start: (controller, signal) => started.start(controller, signal),
    };
  }
}

/** The controllers that one run of a runnable has started. All of them end before that run ends. */
class StartedControllers {
  readonly #run: RunnableContext['start'];
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(run: RunnableContext['start']) {
    this.#run = run;
  }

  async start(controller: Controller, signal: AbortSignal): Promise<void> {
    using stop = linkedAbort(signal);
    const end = (): void => stop.abort(this.#ending.signal.reason);
    this.#ending.signal.addEventListener('abort', end, { once: true });
    if (this.#ending.signal.aborted) end();
    const running = this.#run(controller, stop.signal);
    const settled = running.catch(() => {}); // `end` only waits: the caller gets the failure
    this.#running.add(settled);
    try {
      await running;
    } finally {
      this.#running.delete(settled);
      this.#ending.signal.removeEventListener('abort', end);
    }
  }

  async end(reason: unknown): Promise<void> {
    this.#ending.abort(reason);
    await Promise.all(this.#running);
  }
}

function failureOf(name: string, error: unknown, log: Log): OperatorError {
  const failure = new OperatorError(`runnable ${name} failed: ${messageOf(error)}`, {
    code: 'USER_CODE',
    layer: 'user-code',
    cause: error,
    context: { runnable: name },
  });
  log.error({ err: failure }, 'runnable failed, the manager stops');
  return failure;
}
