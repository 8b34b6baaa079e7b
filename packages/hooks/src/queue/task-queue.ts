import type { Clock } from 'chancery';
import type { Meter } from 'chancery/internal';
import { HOOK_METRICS } from '../engine/metric-names.ts';
import { joins, type RunTask, type Task, takesOthers } from './task.ts';

/**
 * In a queue above this length, a run also takes tasks of its hook that do not follow directly. The
 * number is the same as in shell-operator.
 */
const LONG_QUEUE = 100;

interface Waiting {
  readonly task: Task;
  readonly addedAt: number;
}

/** A run that starts: its task, and the tasks that are merged into it. */
export interface MergedTasks {
  readonly tasks: readonly [RunTask, ...RunTask[]];
  /** Seconds that the first task of the queue has waited. */
  readonly waitedSeconds: number;
}

/** A queue whose tasks run strictly one after another. */
export class TaskQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #meter: Meter;
  #waiting: Waiting[] = [];
  /** The task that was taken from the queue and is not done. */
  #head: Waiting | undefined;
  #wake: (() => void) | undefined;

  constructor(name: string, clock: Clock, meter: Meter) {
    this.name = name;
    this.#clock = clock;
    this.#meter = meter;
    this.#setLength();
  }

  get head(): Task | undefined {
    return this.#head?.task;
  }

  /** Number of tasks behind the head. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(task: Task): void {
    this.#change('AddLast', () => this.#waiting.push(this.#waitingNow(task)));
  }

  /** Puts tasks before all waiting tasks. Their order is kept. */
  addFirst(tasks: readonly Task[]): void {
    if (tasks.length === 0) return;
    this.#change('AddFirst', () =>
      this.#waiting.unshift(...tasks.map((task) => this.#waitingNow(task))),
    );
  }

  /** Drops all waiting tasks. Called when the engine has ended. */
  clear(): void {
    this.#waiting = [];
    this.#setLength();
  }

  /**
   * Removes from the queue the tasks that run together with the head: the directly following tasks
   * of the same hook. In a long queue, these are all tasks of the hook.
   *
   * @param fits - whether one more task can join the tasks that are already taken. The other tasks
   * wait for the next run.
   */
  merge(head: RunTask, fits: (taken: readonly RunTask[], next: RunTask) => boolean): MergedTasks {
    const waitedMs = this.#clock.monotonic() - (this.#head?.addedAt ?? 0);
    const tasks: [RunTask, ...RunTask[]] = [head];
    if (takesOthers(head)) this.#change('Merge', () => this.#take(head, tasks, fits));
    for (const { onTaken } of tasks) onTaken?.();
    return { tasks, waitedSeconds: waitedMs / 1_000 };
  }

  /** Calls `work` with one task after another. When `signal` aborts, resolves after the current call. */
  async run(work: (task: Task) => Promise<void>, signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake?.();
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      const next = this.#waiting[0];
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#head = next;
      this.#change('RemoveFirst', () => this.#waiting.shift());
      await work(next.task);
      this.#head = undefined;
      this.#setLength();
    }
    signal.removeEventListener('abort', wake);
  }

  #take(
    head: RunTask,
    tasks: RunTask[],
    fits: (taken: readonly RunTask[], next: RunTask) => boolean,
  ): void {
    const isLong = this.#waiting.length > LONG_QUEUE;
    let ends = false;
    this.#waiting = this.#waiting.filter(({ task }) => {
      ends ||= !isLong && !joins(task, head.hook);
      if (ends || !joins(task, head.hook)) return true;
      ends = !fits(tasks, task);
      if (!ends) tasks.push(task);
      return ends;
    });
  }

  #waitingNow(task: Task): Waiting {
    return { task, addedAt: this.#clock.monotonic() };
  }

  #change(action: string, change: () => void): void {
    const beganAt = this.#clock.monotonic();
    change();
    const seconds = (this.#clock.monotonic() - beganAt) / 1_000;
    const labels = { queue_name: this.name, queue_action: action };
    this.#meter.observe(HOOK_METRICS.queueActionSeconds, labels, seconds);
    this.#setLength();
    this.#wake?.();
  }

  /** Reports the length of the queue. As in shell-operator, it includes the task at the head. */
  #setLength(): void {
    const length = this.#waiting.length + (this.#head === undefined ? 0 : 1);
    this.#meter.gauge(HOOK_METRICS.queueLength, { queue: this.name }, length);
  }
}
