import { LeadershipLostError } from 'chancery';
import { type Cancel, linkedAbort } from 'chancery/internal';
import type { Hook } from '../hook.ts';
import { Blockage } from '../queue/blockage.ts';
import { ProcessSlots } from '../queue/process-slots.ts';
import { isRun } from '../queue/task.ts';
import { TaskQueue } from '../queue/task-queue.ts';
import { type RunnerSignals, TaskRunner } from '../queue/task-runner.ts';
import type { HookEngineOptions, HooksStatus } from './engine-options.ts';
import { HookBindings, MAIN_QUEUE } from './hook-bindings.ts';
import { HookState } from './hook-state.ts';
import { HOOK_METRICS } from './metric-names.ts';

/**
 * Interval at which a counter is increased as long as the engine is alive. The interval is the same
 * as in shell-operator.
 */
const LIVE_TICK_MS = 10_000;

interface Lane {
  readonly queue: TaskQueue;
  readonly blockage: Blockage;
}

/**
 * Schedules the runs of all hooks.
 *
 * At startup, the queue `main` runs the hooks with `onStartup`, ordered by the value of
 * `onStartup`. Then, for each hook in path order, it runs the Synchronizations and starts the
 * schedules. After that, the runs for events and schedules wait in their own queues. A queue is
 * serial, and queues run in parallel. A task that fails is retried before the next task of its
 * queue.
 *
 * Every change reaches its hook at least once. A change may be delivered again, or together with a
 * later change of the same object.
 */
export class HookEngine {
  readonly #options: HookEngineOptions;
  readonly #lanes: ReadonlyMap<string, Lane>;
  readonly #states: ReadonlyMap<Hook, HookState>;
  readonly #runner: TaskRunner;
  #begun = false;

  constructor(options: HookEngineOptions) {
    const { hooks, clock, meter, maxProcesses, watchBinding } = options;
    this.#options = options;
    const bindings = hooks.flatMap(({ config }) => [...config.schedules, ...config.kubernetes]);
    const names = new Set([MAIN_QUEUE, ...bindings.map(({ queue }) => queue)]);
    this.#lanes = new Map(
      [...names].map((name) => {
        const queue = new TaskQueue(name, clock, meter);
        return [name, { queue, blockage: new Blockage(name, clock, meter) }];
      }),
    );
    const queueOf = (name: string): TaskQueue => this.#lane(name).queue;
    this.#states = new Map(
      hooks.map((hook) => {
        const of = new HookBindings({ hook, watchBinding, queueOf, clock, meter });
        return [hook, new HookState(hook, of, clock, meter)];
      }),
    );
    this.#runner = new TaskRunner(options, new ProcessSlots(maxProcesses, clock, meter));
  }

  /**
   * Watches and runs the hooks until `signal` aborts. Active runs may then take `stopGraceMs`
   * longer, unless leadership is lost. When the promise settles, no run is active, no task waits
   * and nothing is watched. It must not be called twice.
   *
   * @throws the errors of `watchBinding` and `newRun`. Such an error ends the engine.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, meter } = this.#options;
    this.#queueStart();
    this.#begun = true;
    using stop = linkedAbort(signal);
    const abort = new AbortController();
    let cancelGrace: Cancel = () => {};
    const onStop = (): void => {
      const { reason } = stop.signal;
      const graceMs = this.#graceMs(reason);
      if (graceMs === 0) abort.abort(reason);
      else cancelGrace = clock.schedule(graceMs, () => abort.abort(reason));
    };
    stop.signal.addEventListener('abort', onStop, { once: true });
    let cancelTick: Cancel = () => {};
    const tick = (): void => {
      meter.count(HOOK_METRICS.liveTicks, {});
      cancelTick = clock.schedule(LIVE_TICK_MS, tick);
    };
    tick();
    try {
      await this.#runLanes({ stop: stop.signal, abort: abort.signal }, (reason) =>
        stop.abort(reason),
      );
    } finally {
      cancelGrace();
      cancelTick();
      for (const { bindings } of this.#states.values()) bindings[Symbol.dispose]();
      for (const { queue } of this.#lanes.values()) queue.clear();
    }
  }

  /**
   * True when no task waits and no task runs. False while a task waits for its next attempt, and
   * before the engine has started.
   */
  get idle(): boolean {
    const lanes = [...this.#lanes.values()];
    return (
      this.#begun && lanes.every(({ queue }) => queue.head === undefined && queue.waiting === 0)
    );
  }

  /** Plain data for the status page. Each call returns a new value. */
  status(): HooksStatus {
    return {
      queues: [...this.#lanes.values()].map(({ queue, blockage }) => ({
        name: queue.name,
        waiting: queue.waiting,
        hook: queue.head?.hook.name,
        failures: blockage.failures,
        blockedSeconds: blockage.seconds,
      })),
      hooks: [...this.#states.values()].map((state) => state.status()),
      givenUp: this.#runner.givenUp,
    };
  }

  #queueStart(): void {
    const { hooks } = this.#options;
    const main = this.#lane(MAIN_QUEUE).queue;
    const place = ({ config }: Hook): number => config.onStartup ?? 0;
    const atStart = hooks.filter(({ config }) => config.onStartup !== undefined);
    for (const hook of atStart.toSorted((a, b) => place(a) - place(b))) {
      main.add({ hook, item: { type: 'onStartup' } });
    }
    for (const { hook, bindings } of this.#states.values()) {
      const { kubernetes, schedules } = hook.config;
      if (kubernetes.length + schedules.length > 0) main.add(bindings.startStep);
    }
  }

  /** Runs every queue until the engine is stopped, or until one queue fails. */
  async #runLanes(signals: RunnerSignals, fail: (reason: unknown) => void): Promise<void> {
    const ended = [...this.#lanes.values()].map(async (lane) => {
      try {
        await this.#runLane(lane, signals);
      } catch (error) {
        fail(error);
        throw error;
      }
    });
    const failed = (await Promise.allSettled(ended)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  #runLane({ queue, blockage }: Lane, signals: RunnerSignals): Promise<void> {
    return queue.run(async (task) => {
      try {
        if (!isRun(task)) await task.start(signals.stop);
        else await this.#runner.run(task, queue, this.#state(task.hook), blockage, signals);
      } catch (error) {
        if (!signals.stop.aborted) throw error;
      }
    }, signals.stop);
  }

  #graceMs(reason: unknown): number {
    return reason instanceof LeadershipLostError ? 0 : (this.#options.stopGraceMs ?? 0);
  }

  #lane(name: string): Lane {
    const lane = this.#lanes.get(name);
    if (lane === undefined) throw new Error(`no queue ${name}`);
    return lane;
  }

  #state(hook: Hook): HookState {
    const state = this.#states.get(hook);
    if (state === undefined) throw new Error(`no hook ${hook.name}`);
    return state;
  }
}
