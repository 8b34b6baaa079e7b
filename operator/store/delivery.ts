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
 * Called with changes, in the order in which the store took them. The store already contains them, and may
 * contain later ones. Calls of one handler never overlap. While a promise that the handler returned is
 * pending, changes wait; above 1,000 waiting changes, those of the same key are merged. More than 1,000
 * changes at once, such as a first list, or more than 512 KiB of JSON, are spread over several turns of the
 * event loop. Errors of the handler are reported and affect no other handler.
 *
 * Objects are parsed when a handler reads them, once for all handlers. Reading an object that cannot be
 * parsed throws, and the handler need not catch the error: it is called again with the other changes of the
 * call, some of which it may already have handled. The source delivers the unreadable object again.
 */
export type ChangeHandler<T extends KubernetesObject> = (
  changes: readonly Change<T>[],
) => void | Promise<void>;

interface DeliveryOptions {
  /** Called when the handler has finished with every object of the first list. */
  readonly onSynced?: () => void;
}

/** Maximum characters of JSON that one call of a handler may parse. This takes about 5 ms. */
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
   * Where the end of the first list is: unknown, after the waiting changes, after the changes that are being
   * handled, or passed.
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

  /** Resolves when no change waits any more; undefined if no change waits. Never rejects. */
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

  /** The promise of the handler, if it returned one. Never rejects. */
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
   * Call this when the handler has failed. If an object was unreadable, calls it again with the other
   * changes.
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
 * The index after the last change that fits into one turn of the event loop, which begins with the
 * change at `from`.
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

/** If more changes than this wait for one handler, those of the same key are merged. */
export const COALESCE_ABOVE = 1_000;

/** The pending changes of one key: at most one object was deleted, and at most one exists. */
interface Merged<T extends KubernetesObject> {
  readonly gone: Deleted<T> | undefined;
  readonly there: Added<T> | Updated<T> | undefined;
}

/**
 * The changes that a handler has not received yet. Up to 1,000 are kept in order. If there are more, at most
 * two are kept per key, so that a handler that never returns costs no more memory than the cache.
 *
 * Merging keeps the first `old` and the last `entry`. A delete and an add are never merged into an update. An
 * add and the delete of the same object cancel each other if the handler received neither. The changes of one
 * key keep their order. Keys are ordered by their first waiting change.
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
 * The reason of an update that is merged from two updates. It has no reason if one of them came from a watch,
 * and therefore has no reason either.
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
