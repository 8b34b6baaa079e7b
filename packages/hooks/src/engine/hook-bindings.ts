import type { Clock } from 'chancery';
import { abortable, type Cancel, type Meter } from 'chancery/internal';
import type { Hook, KubernetesBinding, ScheduleBinding } from '../hook.ts';
import type { RunTask, StartStep, Task } from '../queue/task.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import type {
  BindingEvent,
  BindingObject,
  BindingWatch,
  WatchBinding,
} from '../watch/binding-watch.ts';
import { BindingEvents } from './binding-events.ts';
import { HOOK_METRICS } from './metric-names.ts';
import { startSchedule } from './schedule-timer.ts';

/**
 * Bindings that are not listed yet are checked at this interval, because a list may turn out to be
 * impossible.
 */
const RECHECK_MS = 1_000;

/** Name of the queue for the steps of the startup, and for bindings that do not set a queue. */
export const MAIN_QUEUE = 'main';

interface HookBindingsOptions {
  readonly hook: Hook;
  readonly watchBinding: WatchBinding;
  readonly queueOf: (name: string) => TaskQueue;
  readonly clock: Clock;
  readonly meter: Meter;
}

interface WatchedBinding {
  readonly binding: KubernetesBinding;
  readonly events: BindingEvents;
  watch?: BindingWatch;
  /**
   * True when the Synchronization of the binding is queued, or when the binding needs no
   * Synchronization.
   */
  begun: boolean;
}

/**
 * The bindings and schedules of one hook. Kubernetes bindings are first watched, then synchronized,
 * and then deliver events.
 *
 * A binding begins when its own objects and the objects of its snapshots are listed. A binding
 * whose kind is not served yet begins later, and delays nothing else.
 */
export class HookBindings implements Disposable {
  readonly #options: HookBindingsOptions;
  readonly #watched: readonly WatchedBinding[];
  #unstarted: readonly ScheduleBinding[];
  readonly #timers: Disposable[] = [];
  /**
   * Resolves when every binding is either synced, or has to wait for something such as a kind that
   * is not served. Then the next hook may start.
   */
  readonly #decided = Promise.withResolvers<void>();
  /**
   * True when `#decided` may resolve. Bindings that are synced at that time begin together, in the
   * order of the configuration.
   */
  #begins = false;
  #startedAt = 0;

  constructor(options: HookBindingsOptions) {
    const { hook, queueOf } = options;
    this.#options = options;
    this.#unstarted = hook.config.schedules;
    this.#watched = hook.config.kubernetes.map((binding) => ({
      binding,
      events: new BindingEvents(hook, binding, (task) => queueOf(binding.queue).add(task)),
      begun: false,
    }));
  }

  /**
   * The step of the startup that begins to watch the bindings. It ends when their Synchronizations
   * are queued.
   */
  get startStep(): StartStep {
    return { hook: this.#options.hook, start: (signal) => this.#start(signal) };
  }

  /** The reasons why bindings still wait, for the status page. */
  get waitsFor(): readonly string[] {
    return this.#watched.flatMap(({ watch, binding }) =>
      watch?.waitsFor === undefined ? [] : [`${binding.name} ${watch.waitsFor}`],
    );
  }

  /** The current objects of a binding. */
  read(binding: KubernetesBinding): readonly BindingObject[] {
    const watch = this.#watched.find((each) => each.binding === binding)?.watch;
    if (watch !== undefined) return watch.snapshot();
    this.#options.meter.count(HOOK_METRICS.bindingMonitorMissing, { binding: binding.name });
    return [];
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    for (const { watch } of this.#watched) watch?.close();
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { hook, watchBinding, clock } = this.#options;
    this.#startedAt = clock.monotonic();
    for (const watched of this.#watched) {
      watched.watch = watchBinding(hook, watched.binding, {
        synced: () => this.#changed(),
        changed: (events) => this.#take(watched, events),
      });
    }
    let cancel: Cancel = () => {};
    const recheck = (): void => {
      this.#changed();
      cancel = clock.schedule(RECHECK_MS, recheck);
    };
    recheck();
    try {
      await abortable(this.#decided.promise, signal);
    } finally {
      cancel();
    }
  }

  #take({ binding, events }: WatchedBinding, changes: readonly BindingEvent[]): void {
    const { hook, meter, clock } = this.#options;
    const beganAt = clock.monotonic();
    events.changed(changes);
    const labels = { hook: hook.name, binding: binding.name, queue: binding.queue };
    meter.observe(HOOK_METRICS.eventSeconds, labels, (clock.monotonic() - beganAt) / 1_000);
  }

  #changed(): void {
    const isDecided = this.#watched.every(({ watch }) => watch?.synced || watch?.waitsFor);
    if (isDecided && !this.#begins) {
      this.#begins = true;
      this.#measureStart();
    }
    if (!this.#begins) return;
    this.#begin();
    this.#decided.resolve();
  }

  /**
   * Puts the Synchronizations that have become possible at the head of the queue `main`, or of
   * their own queue if the startup does not wait for them. In `main`, they are followed by the step
   * that starts the schedules.
   */
  #begin(): void {
    const { hook, queueOf, meter } = this.#options;
    const first: Task[] = [];
    for (const watched of this.#watched) {
      if (watched.begun || !watched.watch?.synced || !this.#showsAll(watched.binding)) continue;
      watched.begun = true;
      const task = synchronization(hook, watched);
      const { waitsForSynchronization, queue } = watched.binding;
      if (task === undefined) watched.events.release();
      else if (waitsForSynchronization || queue === MAIN_QUEUE) first.push(task);
      else queueOf(queue).addFirst([task]);
    }
    const schedules = this.#unstarted.filter((binding) => this.#showsAll(binding));
    if (schedules.length > 0) first.push(this.#scheduleStep(schedules));
    queueOf(MAIN_QUEUE).addFirst(first);
    if (this.#watched.length === 0 || this.#watched.some(({ begun }) => !begun)) return;
    meter.gauge(HOOK_METRICS.enableSuccess, { hook: hook.name }, 1);
  }

  #scheduleStep(schedules: readonly ScheduleBinding[]): StartStep {
    const { hook, queueOf, clock } = this.#options;
    this.#unstarted = this.#unstarted.filter((each) => !schedules.includes(each));
    return {
      hook,
      start: async () => {
        for (const binding of schedules) {
          const queue = queueOf(binding.queue);
          this.#timers.push(startSchedule(hook, binding, clock, (task) => queue.add(task)));
        }
      },
    };
  }

  /**
   * True when every binding in the snapshots is listed. Without this check, a hook could mistake an
   * object that is not known yet for a deleted object.
   */
  #showsAll({ includeSnapshotsFrom }: KubernetesBinding | ScheduleBinding): boolean {
    return this.#watched.every(
      ({ binding, watch }) => watch?.synced || !includeSnapshotsFrom.includes(binding.name),
    );
  }

  #measureStart(): void {
    const { hook, meter, clock } = this.#options;
    if (this.#watched.length === 0) return;
    const labels = { hook: hook.name };
    const late = this.#watched.filter(({ watch }) => !watch?.synced);
    meter.gauge(HOOK_METRICS.enableSuccess, labels, 0);
    meter.count(HOOK_METRICS.enableErrors, labels, late.length);
    meter.gauge(HOOK_METRICS.enableSeconds, labels, (clock.monotonic() - this.#startedAt) / 1_000);
  }
}

/**
 * The Synchronization of a binding. Undefined when the binding needs none and its events may be
 * delivered at once. A binding without events only provides a snapshot.
 */
function synchronization(hook: Hook, { binding, events }: WatchedBinding): RunTask | undefined {
  const runs = binding.runsOnSynchronization && binding.events.size > 0;
  if (!runs || hook.config.version === 'v0') return undefined;
  return {
    hook,
    item: { type: 'Synchronization', binding },
    onRead: () => events.drop(),
    onDone: () => events.release(),
  };
}
