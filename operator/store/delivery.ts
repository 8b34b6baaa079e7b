import { nextTurn, OBJECTS_A_TURN } from '../core/turns.ts';
import type { KubernetesObject } from '../model/object.ts';
import { Backlog } from './backlog.ts';
import type { Change } from './cache.ts';
import { readable, reading } from './readable.ts';

/**
 * Told of changes in the order in which the store took them; the store has them already, and may
 * have later ones. Calls of one handler never overlap: while a promise that it returned is pending,
 * changes wait, and above 1,000 they are merged key by key. More than 1,000 at once, such as a first
 * list, come 1,000 in each turn of the event loop. What it throws is reported, and nobody
 * else's concern.
 */
export type ChangeHandler<T extends KubernetesObject> = (
  changes: readonly Change<T>[],
) => void | Promise<void>;

interface DeliveryOptions {
  /** The handler is done with every object of the first list. */
  readonly onSynced?: () => void;
  /** As many changes in one call as there are. Default false: 1,000 in each turn. */
  readonly inOneTurn?: boolean;
  /** Objects are handed on as they are held. Default false: they are read before. */
  readonly held?: boolean;
}

/**
 * Hands changes to one handler, one batch after the other. A handler that returns nothing is called
 * at once, without a promise or a copy, if there are not too many changes for one turn.
 */
export class Delivery<T extends KubernetesObject> {
  readonly #handler: ChangeHandler<T>;
  readonly #failed: (error: unknown) => void;
  readonly #onSynced: () => void;
  readonly #changesATurn: number;
  readonly #held: boolean;
  readonly #backlog = new Backlog<T>();
  #busy = false;
  #working: Promise<void> | undefined;
  #closed = false;
  /** Where the end of the first list is: behind what waits, behind what is being handled, or past. */
  #sync: 'unknown' | 'waiting' | 'handling' | 'done' = 'unknown';

  constructor(
    handler: ChangeHandler<T>,
    failed: (error: unknown) => void,
    { onSynced = () => {}, inOneTurn = false, held = false }: DeliveryOptions = {},
  ) {
    this.#handler = handler;
    this.#failed = failed;
    this.#onSynced = onSynced;
    this.#held = held;
    this.#changesATurn = inOneTurn ? Number.POSITIVE_INFINITY : OBJECTS_A_TURN;
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

  /** @param shown - the changes, read; for who shares them with others. Default: they are read here. */
  push(changes: readonly Change<T>[], shown?: () => readonly Change<T>[]): void {
    if (this.#closed || changes.length === 0) return;
    if (this.#busy) this.#backlog.add(changes);
    else this.#begin(changes, shown);
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

  #begin(changes: readonly Change<T>[], shown?: () => readonly Change<T>[]): void {
    this.#busy = true;
    for (let batch = changes; ; batch = this.#next()) {
      const pending = this.#call(batch, batch === changes ? shown : undefined);
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

  #call(
    changes: readonly Change<T>[],
    shown?: () => readonly Change<T>[],
  ): Promise<void> | undefined {
    return changes.length > this.#changesATurn
      ? this.#callInTurns(changes)
      : this.#callOnce(changes, shown);
  }

  async #callInTurns(changes: readonly Change<T>[]): Promise<void> {
    for (let told = 0; told < changes.length && !this.#closed; told += this.#changesATurn) {
      if (told > 0) await nextTurn();
      await this.#callOnce(changes.slice(told, told + this.#changesATurn));
    }
  }

  /** What the handler wants to be waited for; it never rejects. */
  #callOnce(
    changes: readonly Change<T>[],
    shown: () => readonly Change<T>[] = () => readable(changes),
  ): Promise<void> | undefined {
    const steps = this.#held ? undefined : reading(changes);
    if (steps === undefined || steps.next().done === true) return this.#tell(changes, shown);
    return this.#tellInTurns(steps, changes, shown);
  }

  /** Objects so large that reading all of them would take too long at once. */
  async #tellInTurns(
    steps: Generator<void, void, undefined>,
    changes: readonly Change<T>[],
    shown: () => readonly Change<T>[],
  ): Promise<void> {
    do await nextTurn();
    while (!this.#closed && steps.next().done !== true);
    if (!this.#closed) await this.#tell(changes, shown);
  }

  #tell(
    changes: readonly Change<T>[],
    shown: () => readonly Change<T>[],
  ): Promise<void> | undefined {
    try {
      const told = this.#held ? changes : shown();
      if (told.length === 0) return undefined;
      const pending: unknown = this.#handler(told); // a handler in JavaScript may return anything
      return pending instanceof Promise ? pending.catch(this.#failed) : undefined;
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }
}
