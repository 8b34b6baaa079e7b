import type { QueuedItem } from '../context/context-item.ts';
import type { Hook } from '../hook.ts';

/** A run of a hook that is to be made. */
export interface RunTask {
  readonly hook: Hook;
  /** Replaced by a newer one while it waits, if too many wait. */
  item: QueuedItem;
  /** Called when the run reads the snapshots, if the item is a Synchronization. */
  readonly onRead?: () => void;
  /** Called when the task no longer waits, because it starts or is part of another run. */
  readonly onTaken?: () => void;
  /** Called when the task is done: after a success, an allowed failure, or the last of its attempts. */
  readonly onDone?: () => void;
}

/** A step of the start, in its place among the runs of the queue `main`. */
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

/** Whether a failed run is dropped. */
export function mayFail({ item }: RunTask): boolean {
  return item.type !== 'onStartup' && item.binding.allowFailure;
}

/** Whether a run takes following tasks of its hook along. A Synchronization without a group runs alone. */
export function takesOthers({ hook, item }: RunTask): boolean {
  if (hook.config.version === 'v0' || item.type === 'onStartup') return false;
  return item.type !== 'Synchronization' || item.binding.group !== undefined;
}

/** Whether a waiting task can be part of a run of `hook` that takes others. Hooks run at the start before all others. */
export function joins(task: Task, hook: Hook): task is RunTask {
  return isRun(task) && task.hook === hook;
}
