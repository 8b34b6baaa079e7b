import type { ObjectKey } from 'chancery';
import type { Hook, KubernetesBinding } from '../hook.ts';
import type { RunTask } from '../queue/task.ts';
import type { BindingEvent } from '../watch/binding-watch.ts';

/**
 * The number of events of a binding that may wait separately. If more wait, further events of an
 * object are merged into the object's last event.
 */
const MAX_SINGLE_EVENTS = 100;

interface EventTask extends RunTask {
  item: Extract<RunTask['item'], { readonly type: 'Event' }>;
}

/**
 * The events of one binding before they enter its queue. They are held back until the
 * Synchronization of the binding is done, so that they follow it. An event is dropped if the
 * Synchronization already contains its change.
 *
 * The number of waiting events is bounded: at most `MAX_SINGLE_EVENTS`, plus two events per object.
 */
export class BindingEvents {
  readonly #hook: Hook;
  readonly #binding: KubernetesBinding;
  readonly #deliver: (task: RunTask) => void;
  /** Tasks that wait here or in the queue, oldest first, keyed by object. */
  readonly #waiting = new Map<ObjectKey, EventTask[]>();
  #count = 0;
  /**
   * Events that wait for the Synchronization. Undefined afterwards, because then events enter the
   * queue at once.
   */
  #kept: EventTask[] | undefined = [];

  /** @param deliver - puts a task into the queue of the binding. */
  constructor(hook: Hook, binding: KubernetesBinding, deliver: (task: RunTask) => void) {
    this.#hook = hook;
    this.#binding = binding;
    this.#deliver = deliver;
  }

  changed(events: readonly BindingEvent[]): void {
    for (const event of events) if (this.#binding.events.has(event.type)) this.#add(event);
  }

  /**
   * Drops the events that are held back, because the Synchronization already contains all their
   * changes.
   */
  drop(): void {
    for (const task of this.#kept ?? []) task.onTaken?.();
    if (this.#kept !== undefined) this.#kept = [];
  }

  /** Delivers the events that are held back, because the Synchronization is done. */
  release(): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const task of kept) this.#deliver(task);
  }

  #add(event: BindingEvent): void {
    const { key } = event.object;
    const waiting = this.#waiting.get(key) ?? [];
    if (this.#count >= MAX_SINGLE_EVENTS && mergeInto(waiting, event)) return;
    const task: EventTask = {
      hook: this.#hook,
      item: { type: 'Event', binding: this.#binding, event },
      onTaken: () => this.#taken(key, task),
    };
    waiting.push(task);
    this.#waiting.set(key, waiting);
    this.#count += 1;
    if (this.#kept === undefined) this.#deliver(task);
    else this.#kept.push(task);
  }

  #taken(key: ObjectKey, task: EventTask): void {
    const left = (this.#waiting.get(key) ?? []).filter((each) => each !== task);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
    this.#count -= 1;
  }
}

/**
 * Merges `event` into the last of `waiting`, if possible. `waiting` are the events of the same
 * object. An object that is deleted and created again keeps two events: Deleted, and then the
 * newest.
 */
function mergeInto(waiting: readonly EventTask[], event: BindingEvent): boolean {
  const last = waiting.at(-1);
  if (last === undefined) return false;
  const before = waiting.at(-2)?.item.event.type;
  const lastType = last.item.event.type;
  if (lastType === 'Deleted' && event.type !== 'Deleted' && before !== 'Deleted') return false;
  const type = lastType === 'Added' && event.type === 'Modified' ? 'Added' : event.type;
  last.item = { ...last.item, event: { type, object: event.object } };
  return true;
}
