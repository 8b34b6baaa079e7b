import { sleep } from 'chancery/internal';
import { mergeGroups } from '../context/context-item.ts';
import { contextText } from '../context/context-text.ts';
import { describeFailure } from '../engine/describe-failure.ts';
import type { GivenUpTask, HookEngineOptions } from '../engine/engine-options.ts';
import type { HookState } from '../engine/hook-state.ts';
import { HOOK_METRICS } from '../engine/metric-names.ts';
import type { Hook } from '../hook.ts';
import type { HookRun } from '../run/hook-run.ts';
import type { Blockage } from './blockage.ts';
import { mergeLimit } from './merge-limit.ts';
import type { ProcessSlots } from './process-slots.ts';
import { retryDelayMs } from './retry-delay.ts';
import { bindingNameOf, mayFail, type RunTask } from './task.ts';
import type { MergedTasks, TaskQueue } from './task-queue.ts';

/**
 * A blocked queue is reported to users from this number of failed attempts on. A single failure may
 * pass by itself.
 */
const BLOCKED_FROM = 2;

/** Maximum number of given-up tasks that are remembered. */
const MAX_GIVEN_UP = 100;

/** The two steps in which a runner is stopped. */
export interface RunnerSignals {
  /** When aborted, no further attempt begins. */
  readonly stop: AbortSignal;
  /** When aborted, active attempts are aborted. */
  readonly abort: AbortSignal;
}

/** A task whose hook has been started, with the tasks that were merged into it. */
interface StartedTask {
  readonly run: HookRun;
  readonly tasks: MergedTasks['tasks'];
  readonly labels: RunLabels;
}

/** A type alias, so that a Meter accepts it as labels. */
type RunLabels = { readonly hook: string; readonly binding: string; readonly queue: string };

/**
 * Makes the attempts of a task until it succeeds, until its binding allows the failure, or until
 * the task is given up.
 */
export class TaskRunner {
  readonly #options: HookEngineOptions;
  readonly #slots: ProcessSlots;
  readonly #random: () => number;
  readonly #givenUp: GivenUpTask[] = [];

  constructor(options: HookEngineOptions, slots: ProcessSlots) {
    this.#options = options;
    this.#slots = slots;
    this.#random = options.random ?? Math.random;
  }

  /** The latest tasks that were given up, newest first. */
  get givenUp(): readonly GivenUpTask[] {
    return [...this.#givenUp];
  }

  /**
   * Runs `task`, which is at the head of `queue`. Resolves when the task is done.
   *
   * @throws `signals.stop.reason` if `signals.stop` aborts before the task is done.
   */
  async run(
    task: RunTask,
    queue: TaskQueue,
    state: HookState,
    blockage: Blockage,
    signals: RunnerSignals,
  ): Promise<void> {
    const { clock } = this.#options;
    let started: StartedTask | undefined;
    try {
      for (;;) {
        const retryInMs = await this.#inTurn(state, signals.stop, () => {
          started ??= this.#start(task, queue, state);
          return this.#attempt(started, state, blockage, signals.abort);
        });
        if (retryInMs === undefined) break;
        await sleep(clock, retryInMs, signals.stop);
      }
    } finally {
      blockage.end(task.hook);
    }
    for (const { onDone } of started?.tasks ?? []) onDone?.();
  }

  /**
   * Calls `work` with a process slot and a rate-limit token of the hook. The token is taken only
   * when a slot is free, at the start of the run.
   */
  async #inTurn<T>(
    { rateLimit }: HookState,
    stop: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#options;
    for (;;) {
      const waitMs = rateLimit?.waitMs(clock.monotonic()) ?? 0;
      if (waitMs > 0) await sleep(clock, waitMs, stop);
      using _slot = await this.#slots.take(stop);
      // While this run waited, the hook may have run from another queue.
      if ((rateLimit?.waitMs(clock.monotonic()) ?? 0) > 0) continue;
      rateLimit?.take(clock.monotonic());
      return await work();
    }
  }

  #start(task: RunTask, queue: TaskQueue, { bindings }: HookState): StartedTask {
    const { newRun, meter } = this.#options;
    const { hook } = task;
    const facts = { binding: bindingNameOf(task), queue: queue.name };
    const { tasks, waitedSeconds } = queue.merge(
      task,
      mergeLimit((each) => bindings.read(each)),
    );
    const labels = { hook: hook.name, ...facts };
    meter.count(HOOK_METRICS.waitInQueueSeconds, labels, waitedSeconds);
    return { run: newRun(hook, facts), tasks, labels };
  }

  /** @returns the milliseconds until the next attempt, or undefined when the task is done. */
  async #attempt(
    started: StartedTask,
    state: HookState,
    blockage: Blockage,
    abort: AbortSignal,
  ): Promise<number | undefined> {
    const { clock, log, meter } = this.#options;
    const { run, tasks, labels } = started;
    const beganAt = clock.monotonic();
    state.began();
    try {
      await run.attempt(() => this.#contexts(tasks, state), abort);
      state.succeeded();
      meter.count(HOOK_METRICS.runSuccess, labels);
      log.debug({ ...labels, contexts: tasks.length }, 'a run of a hook has succeeded');
      return undefined;
    } catch (error) {
      abort.throwIfAborted();
      state.failed(describeFailure(error));
      return this.#retryInMs(started, state, blockage, error);
    } finally {
      meter.observe(HOOK_METRICS.runSeconds, labels, (clock.monotonic() - beganAt) / 1_000);
    }
  }

  #retryInMs(
    { tasks: [task], labels }: StartedTask,
    { hook }: HookState,
    blockage: Blockage,
    err: unknown,
  ): number | undefined {
    const { log, meter, maxAttempts, onTrouble } = this.#options;
    const note = `${labels.binding}: ${describeFailure(err)}`;
    onTrouble?.(hook, { reason: 'HookFailed', note });
    if (mayFail(task)) {
      meter.count(HOOK_METRICS.runAllowedErrors, labels);
      log.warn({ ...labels, err }, 'a run of a hook failed, which its binding allows');
      return undefined;
    }
    meter.count(HOOK_METRICS.runErrors, labels);
    blockage.failed(hook);
    const { failures } = blockage;
    if (maxAttempts !== undefined && failures >= maxAttempts) {
      this.#abandon(hook, labels, failures, err);
      return undefined;
    }
    const retryInMs = retryDelayMs(failures, this.#random);
    log.warn({ ...labels, failures, retryInMs, err }, 'a run of a hook failed; it is retried');
    if (failures === BLOCKED_FROM) {
      onTrouble?.(hook, { reason: 'HookBlocked', note: `queue ${labels.queue} waits for ${note}` });
    }
    return retryInMs;
  }

  #abandon(hook: Hook, labels: RunLabels, attempts: number, err: unknown): void {
    const { log, meter, clock, onTrouble } = this.#options;
    const { binding } = labels;
    const error = describeFailure(err);
    const at = new Date(clock.now()).toISOString();
    this.#givenUp.unshift({ at, hook: hook.name, binding, attempts, error });
    this.#givenUp.splice(MAX_GIVEN_UP);
    meter.count(HOOK_METRICS.givenUp, { hook: hook.name });
    log.error({ ...labels, attempts, err }, 'retries of a hook are exhausted');
    onTrouble?.(hook, {
      reason: 'HookGivenUp',
      note: `${binding} after ${attempts} attempts: ${error}`,
    });
  }

  /** The text of the binding contexts. All objects are read in this method, when the hook is started. */
  #contexts(tasks: MergedTasks['tasks'], { hook, bindings }: HookState): Iterable<string> {
    const items = mergeGroups(tasks.map(({ item }) => item));
    const text = contextText(hook, items, (binding) => bindings.read(binding));
    for (const { onRead } of tasks) onRead?.();
    return text;
  }
}
