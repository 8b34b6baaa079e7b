import { OBJECTS_PER_SLICE, yieldToEventLoop } from '../core/time-slice.ts';
import type { KubernetesObject } from '../model/object.ts';
import { Backlog } from './backlog.ts';
import { type Change, readableChange } from './change.ts';

/**
 * Told of changes in the order in which the store took them; the store has them already, and may
 * have later ones. Calls of one handler never overlap: while a promise that it returned is pending,
 * changes wait, and above 1,000 they are merged key by key. More than 1,000 at once, such as a first
 * list, or more than 512 KiB of JSON, come in several turns of the event loop. What it throws is reported,
 * and harms no other handler.
 *
 * Objects are parsed when the handler asks for them, once for all handlers. An
 * object that cannot be parsed throws, and the handler need not catch that: it is called again with the
 * other changes of the call, some of which it may have seen. The source brings that object again.
 */
export type ChangeHandler<T extends KubernetesObject> = (
  changes: readonly Change<T>[],
) => void | Promise<void>;

interface DeliveryOptions {
  /** The handler is done with every object of the first list. */
  readonly onSynced?: () => void;
}

/** JSON that one call of a handler may parse, in characters: about 5 ms. */
const TEXT_A_TURN = 512 * 1024;

/**
 * Hands changes to one handler, one batch after the other. A handler that returns nothing is called
 * at once, without a promise or a copy, if there are not too many changes for one turn.
 */
export class Delivery<T extends KubernetesObject> {
  readonly #handler: ChangeHandler<T>;
  readonly #failed: (error: unknown) => void;
  readonly #onSynced: () => void;
  readonly #backlog = new Backlog<T>();
  #busy = false;
  #working: Promise<void> | undefined;
  #closed = false;
  /** Where the end of the first list is: behind what waits, behind what is being handled, or past. */
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

  /** The handler is done with every object of the first list. */
  get synced(): boolean {
    return this.#sync === 'done';
  }

  /** Changes that wait, at the least. */
  get pending(): number {
    return this.#backlog.size;
  }

  /** Resolves when nothing waits any more; undefined when nothing does. Never rejects. */
  get working(): Promise<void> | undefined {
    return this.#working;
  }

  push(changes: readonly Change<T>[]): void {
    if (this.#closed || changes.length === 0) return;
    if (this.#busy) this.#backlog.add(changes);
    else this.#begin(changes);
  }

  /** The changes that were pushed so far complete the first list. */
  markSynced(): void {
    if (this.#sync !== 'unknown') return;
    if (!this.#busy) this.#becomeSynced();
    else this.#sync = this.#backlog.isEmpty ? 'handling' : 'waiting';
  }

  /** Calls the handler no more. */
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
      if (this.#backlog.isEmpty) break; // else the handler itself caused further changes
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
    return end < changes.length ? this.#callInTurns(changes, end) : this.#tell(changes);
  }

  async #callInTurns(changes: readonly Change<T>[], firstEnd: number): Promise<void> {
    let from = 0;
    for (let end = firstEnd; from < changes.length && !this.#closed; ) {
      await this.#tell(changes.slice(from, end));
      from = end;
      if (from < changes.length) await yieldToEventLoop();
      end = endOfTurn(changes, from);
    }
  }

  /** What the handler wants to be waited for; it never rejects. */
  #tell(changes: readonly Change<T>[]): Promise<void> | undefined {
    try {
      const pending: unknown = this.#handler(changes); // a handler in JavaScript may return anything
      return pending instanceof Promise
        ? pending.catch((error) => this.#again(changes, error))
        : undefined;
    } catch (error) {
      return this.#again(changes, error);
    }
  }

  /** The handler has failed. If an object could not be read, the others are not missed for its sake. */
  #again(changes: readonly Change<T>[], error: unknown): Promise<void> | undefined {
    const left = changes.map(readableChange);
    if (left.every((change, index) => change === changes[index])) {
      this.#failed(error);
      return undefined;
    }
    const others = left.filter((change) => change !== undefined);
    return others.length === 0 || this.#closed ? undefined : this.#tell(others);
  }
}

/** Behind the last change from `from` on that may be told of in the same turn as the first. */
function endOfTurn(changes: readonly Change[], from: number): number {
  const most = Math.min(changes.length, from + OBJECTS_PER_SLICE);
  let characters = 0;
  for (let at = from; at < most; at++) {
    characters += changes[at]?.entry.textLength ?? 0;
    if (characters > TEXT_A_TURN && at > from) return at;
  }
  return most;
}
