import { OBJECTS_PER_SLICE, yieldToEventLoop } from '../core/time-slice.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import {
  Added,
  type Change,
  type Deleted,
  readableChange,
  Updated,
  type UpdateReason,
} from './change.ts';

/**
 * Called with changes, in the order in which they were made in the store. The store already contains these
 * changes, and may contain later changes. Calls of one handler never overlap. While a promise that the
 * handler returned is pending, changes wait. If more than 1,000 changes wait, changes of the same key are
 * merged. More than 1,000 changes at once, such as a first list, or more than 512 KiB of JSON, are spread
 * over several turns of the event loop. Errors of the handler are reported and affect no other handler.
 *
 * Objects are parsed when a handler reads them, once for all handlers. Reading an object that cannot be
 * parsed throws an error, which the handler does not need to catch. The handler is then called again with all
 * other changes of the call, although it may already have handled some of them. The source delivers the
 * unreadable object again later.
 */
export type ChangeHandler<T extends KubernetesObject> = (
  changes: readonly Change<T>[],
) => void | Promise<void>;

interface DeliveryOptions {
  /** Called when the handler has finished with every object of the first list. */
  readonly onSynced?: () => void;
}

/**
 * Maximum number of characters of JSON in the changes of one call of a handler. Parsing them takes about 5
 * ms.
 */
const TEXT_A_TURN = 512 * 1024;

/**
 * Passes changes to one handler, one batch after another. A handler that returns nothing is called
 * at once, without a promise or a copy, unless there are too many changes for one turn.
 */
export class Delivery<T extends KubernetesObject> {
  readonly #handler: ChangeHandler<T>;
  readonly #failed: (error: unknown) => void;
  readonly #onSynced: () => void;
  readonly #backlog = new Backlog<T>();
  #busy = false;
  #working: Promise<void> | undefined;
  #closed = false;
  /**
   * Where the first list ends. `waiting`: after the changes that wait. `handling`: after the changes that the
   * handler is handling. `done`: the handler has finished the first list. `unknown`: not known yet.
   */
  #sync: 'unknown' | 'waiting' | 'handling' | 'done' = 'unknown';

  constructor(
    handler: ChangeHandler<T>,
    failed: (error: unknown) => void,
    { onSynced = () => {} }: DeliveryOptions = {},
  ) {
    this.#handler = handler;
    this.#failed = failed;
    this.#onSynced = onSynced;
  }

  /** True when the handler has finished with every object of the first list. */
  get synced(): boolean {
    return this.#sync === 'done';
  }

  /** A lower bound for the number of waiting changes. */
  get pending(): number {
    return this.#backlog.size;
  }

  /**
   * Resolves when the handler has finished all changes. Undefined if the handler is not working. Never
   * rejects.
   */
  get working(): Promise<void> | undefined {
    return this.#working;
  }

  push(changes: readonly Change<T>[]): void {
    if (this.#closed || changes.length === 0) return;
    if (this.#busy) this.#backlog.add(changes);
    else this.#begin(changes);
  }

  /** Call this when the changes that were pushed so far complete the first list. */
  markSynced(): void {
    if (this.#sync !== 'unknown') return;
    if (!this.#busy) this.#becomeSynced();
    else this.#sync = this.#backlog.isEmpty ? 'handling' : 'waiting';
  }

  /** Stops calling the handler. */
  close(): void {
    this.#closed = true;
    this.#backlog.take();
  }

  #begin(changes: readonly Change<T>[]): void {
    this.#busy = true;
    for (let batch = changes; ; batch = this.#next()) {
      const pending = this.#call(batch);
      if (pending !== undefined) {
        this.#working = this.#finish(pending);
        return;
      }
      this.#handled();
      if (this.#backlog.isEmpty) break; // the handler may have caused more changes
    }
    this.#busy = false;
  }

  async #finish(first: Promise<void>): Promise<void> {
    await first;
    this.#handled();
    while (!this.#backlog.isEmpty) {
      await this.#call(this.#next());
      this.#handled();
    }
    this.#busy = false;
    this.#working = undefined;
  }

  #next(): readonly Change<T>[] {
    if (this.#sync === 'waiting') this.#sync = 'handling';
    return this.#backlog.take();
  }

  #handled(): void {
    if (this.#sync === 'handling') this.#becomeSynced();
  }

  #becomeSynced(): void {
    this.#sync = 'done';
    if (!this.#closed) this.#onSynced();
  }

  #call(changes: readonly Change<T>[]): Promise<void> | undefined {
    const end = endOfTurn(changes, 0);
    return end < changes.length ? this.#callInTurns(changes, end) : this.#deliver(changes);
  }

  async #callInTurns(changes: readonly Change<T>[], firstEnd: number): Promise<void> {
    let from = 0;
    for (let end = firstEnd; from < changes.length && !this.#closed; ) {
      await this.#deliver(changes.slice(from, end));
      from = end;
      if (from < changes.length) await yieldToEventLoop();
      end = endOfTurn(changes, from);
    }
  }

  /** Calls the handler. If it returns a promise, the result is a promise that never rejects. */
  #deliver(changes: readonly Change<T>[]): Promise<void> | undefined {
    try {
      const pending: unknown = this.#handler(changes); // a handler in JavaScript may return anything
      return pending instanceof Promise
        ? pending.catch((error) => this.#again(changes, error))
        : undefined;
    } catch (error) {
      return this.#again(changes, error);
    }
  }

  /**
   * Call this when the handler has failed. If it failed because an object is unreadable, it is called again
   * with all other changes.
   */
  #again(changes: readonly Change<T>[], error: unknown): Promise<void> | undefined {
    const left = changes.map(readableChange);
    if (left.every((change, index) => change === changes[index])) {
      this.#failed(error);
      return undefined;
    }
    const others = left.filter((change) => change !== undefined);
    return others.length === 0 || this.#closed ? undefined : this.#deliver(others);
  }
}

/**
 * The index after the last change that fits into a turn of the event loop, if the turn begins with the change
 * at `from`.
 */
function endOfTurn(changes: readonly Change[], from: number): number {
  const most = Math.min(changes.length, from + OBJECTS_PER_SLICE);
  let characters = 0;
  for (let at = from; at < most; at++) {
    characters += changes[at]?.entry.textLength ?? 0;
    if (characters > TEXT_A_TURN && at > from) return at;
  }
  return most;
}

/** If more changes than this wait for one handler, changes of the same key are merged. */
export const COALESCE_ABOVE = 1_000;

/**
 * The merged changes of one key: at most one delete, and at most one add or update, which follows the delete.
 */
interface Merged<T extends KubernetesObject> {
  readonly gone: Deleted<T> | undefined;
  readonly there: Added<T> | Updated<T> | undefined;
}

/**
 * The changes that a handler has not received yet. Up to 1,000 are kept in order. If there are more, at most
 * two changes are kept per key. So a handler that never returns does not need much more memory than the
 * cache.
 *
 * A merged update has the `old` of the first change and the `entry` of the last change. A delete and an add
 * are never merged into an update. An add and the delete of the same object cancel each other if the handler
 * received neither. The changes of one key keep their order. Keys are ordered by their first waiting change.
 */
export class Backlog<T extends KubernetesObject> {
  #changes: Change<T>[] = [];
  #byKey: Map<ObjectKey, Merged<T>> | undefined;

  get isEmpty(): boolean {
    return this.#changes.length === 0 && (this.#byKey?.size ?? 0) === 0;
  }

  /** A lower bound for the number of waiting changes. */
  get size(): number {
    return this.#byKey?.size ?? this.#changes.length;
  }

  add(changes: readonly Change<T>[]): void {
    if (this.#byKey === undefined) {
      for (const change of changes) this.#changes.push(change);
      if (this.#changes.length <= COALESCE_ABOVE) return;
      this.#byKey = new Map();
      this.#merge(this.#byKey, this.#changes);
      this.#changes = [];
    } else {
      this.#merge(this.#byKey, changes);
    }
  }

  /** Returns all waiting changes and removes them. */
  take(): readonly Change<T>[] {
    const taken = this.#byKey === undefined ? this.#changes : [...unmerged(this.#byKey)];
    this.#changes = [];
    this.#byKey = undefined;
    return taken;
  }

  #merge(byKey: Map<ObjectKey, Merged<T>>, changes: readonly Change<T>[]): void {
    for (const change of changes) {
      const merged = follow(byKey.get(change.key) ?? NOTHING, change);
      if (merged.gone === undefined && merged.there === undefined) byKey.delete(change.key);
      else byKey.set(change.key, merged);
    }
  }
}

const NOTHING = { gone: undefined, there: undefined };

function follow<T extends KubernetesObject>(
  { gone, there }: Merged<T>,
  change: Change<T>,
): Merged<T> {
  if (change.type === 'delete') {
    const neverDelivered = there?.type === 'add' && gone?.entry.uid !== change.entry.uid;
    return { gone: neverDelivered ? gone : change, there: undefined };
  }
  if (there === undefined || change.type === 'add') return { gone, there: change };
  const { entry } = change;
  if (there.type === 'add') return { gone, there: new Added(entry, there.initial) };
  return { gone, there: new Updated(entry, there.old, sharedReason(there, change)) };
}

/**
 * The reason of an update that is merged from two updates. If a watch reported one of the two, the merged
 * update has no reason, either.
 */
function sharedReason(a: UpdateReason, b: UpdateReason): UpdateReason {
  if (a.resync === true && b.resync === true) return { resync: true };
  const isLive = ({ resync, relist }: UpdateReason): boolean => resync !== true && relist !== true;
  return isLive(a) || isLive(b) ? {} : { relist: true };
}

function* unmerged<T extends KubernetesObject>(
  byKey: ReadonlyMap<ObjectKey, Merged<T>>,
): Generator<Change<T>, void, undefined> {
  for (const { gone, there } of byKey.values()) {
    if (gone !== undefined) yield gone;
    if (there !== undefined) yield there;
  }
}
