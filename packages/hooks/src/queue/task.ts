import type { QueuedItem } from '../context/context-item.ts';
import type { Hook } from '../hook.ts';

/** A run of a hook that waits in a queue or is active. */
export interface RunTask {
  readonly hook: Hook;
  /** The item of the context. If too many tasks wait, it is replaced by a newer item. */
  item: QueuedItem;
  /** Called when the run reads the snapshots. Set only if the item is a Synchronization. */
  readonly onRead?: () => void;
  /** Called when the task stops waiting, because it starts or becomes part of another run. */
  readonly onTaken?: () => void;
  /** Called when the task is done: after a success, an allowed failure, or its last attempt. */
  readonly onDone?: () => void;
}

/** A step of the engine's startup. It is queued in `main`, together with runs of hooks. */
export interface StartStep {
  readonly hook: Hook;
  start(signal: AbortSignal): Promise<void>;
}

export type Task = RunTask | StartStep;

export function isRun(task: Task): task is RunTask {
  return 'item' in task;
}

/** Name of the binding, for labels and logs. */
export function bindingNameOf({ item }: RunTask): string {
  return item.type === 'onStartup' ? item.type : item.binding.name;
}

/** True when a failed run is not retried. */
export function mayFail({ item }: RunTask): boolean {
  return item.type !== 'onStartup' && item.binding.allowFailure;
}

/**
 * True when a run also handles the following tasks of its hook. A Synchronization without a group runs alone.
 */
export function takesOthers({ hook, item }: RunTask): boolean {
  if (hook.config.version === 'v0' || item.type === 'onStartup') return false;
  return item.type !== 'Synchronization' || item.binding.group !== undefined;
}

/**
 * True when a waiting task can join a run of `hook` that takes other tasks. A task of `onStartup`
 * runs before all others, so it never waits behind such a run.
 */
export function joins(task: Task, hook: Hook): task is RunTask {
  return isRun(task) && task.hook === hook;
}
