import type { Clock, Log } from 'chancery';
import type { Meter } from 'chancery/internal';
import type { Hook } from '../hook.ts';
import type { NewHookRun } from '../run/hook-run.ts';
import type { WatchBinding } from '../watch/binding-watch.ts';

/** The options of an engine, which schedules the runs of all hooks. */
export interface HookEngineOptions {
  /** The hooks, sorted by path. */
  readonly hooks: readonly Hook[];
  readonly newRun: NewHookRun;
  readonly watchBinding: WatchBinding;
  /** Maximum number of concurrent runs, over all queues. */
  readonly maxProcesses: number;
  /**
   * Number of attempts after which a task is given up and recorded. If undefined, tasks are never
   * given up.
   */
  readonly maxAttempts: number | undefined;
  /**
   * Milliseconds that active runs may still take after the engine is stopped. Then they are
   * aborted. Default 0.
   */
  readonly stopGraceMs?: number;
  readonly clock: Clock;
  /** Returns uniformly distributed numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  readonly log: Log;
  readonly meter: Meter;
  /**
   * Called when a task fails, blocks its queue, or is given up, so that an Event can be recorded.
   */
  readonly onTrouble?: (hook: Hook, trouble: HookTrouble) => void;
}

/** A failure that users should see. */
export interface HookTrouble {
  readonly reason: 'HookFailed' | 'HookBlocked' | 'HookGivenUp' | 'FilterFailed';
  /** A description of the problem in one line. It contains no data of an object. */
  readonly note: string;
}

/** The state of the engine, for the status page. Plain data without any data of objects. */
export interface HooksStatus {
  readonly queues: readonly QueueStatus[];
  readonly hooks: readonly HookStatus[];
  /** The latest tasks that were given up, newest first. */
  readonly givenUp: readonly GivenUpTask[];
}

export interface QueueStatus {
  readonly name: string;
  readonly waiting: number;
  /** The hook whose run is active or waits for its next attempt. */
  readonly hook: string | undefined;
  /** Failed attempts of the task at the head. */
  readonly failures: number;
  /** Seconds since the first of the `failures`; 0 when the queue is not blocked. */
  readonly blockedSeconds: number;
}

export interface HookStatus {
  readonly name: string;
  readonly runs: number;
  readonly errors: number;
  /** The wall-clock time of the last run, in RFC 3339. */
  readonly lastRunAt: string | undefined;
  /** Class, code and reason of the last error; undefined after a success. */
  readonly lastError: string | undefined;
  /** The reasons why bindings of the hook still wait. Empty when no binding waits. */
  readonly waitsFor: readonly string[];
}

export interface GivenUpTask {
  readonly at: string;
  readonly hook: string;
  readonly binding: string;
  readonly attempts: number;
  readonly error: string;
}
