import type { Clock, ObjectKey } from 'chancery';
import type { Cancel } from 'chancery/internal';
import { ApiError, resourceName } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { CommittedEvent, StoredObject } from '../../objects/stored-object.ts';
import { NO_PACE, type Pace, type WriteBudget } from './pace.ts';
import { Slice } from './slice.ts';
import type { Again, WorkloadController } from './workload-controller.ts';

/**
 * The first delay after a refused write, and the limit up to which it doubles. client-go uses 5 ms
 * and 1000 s.
 */
const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 60_000;

/**
 * A queue of this length or more is processed without the simulated wait between writes. With such a long
 * queue, only the order of the writes matters.
 */
const LONG_QUEUE = 100;

/**
 * A wait that is shorter than this is treated as zero. Such waits are rounding errors: a clock that counts
 * from 1970 cannot measure them.
 */
const NO_TIME_MS = 0.01;

export interface RunnerOptions {
  /** The speed of the controller. Default: no delay. */
  readonly pace?: Pace;
  /** Returns the number of writes since the last call. Default: 0, so that writes take no time. */
  readonly takeWrites?: () => number;
  /** The limit for writes. Default: none. */
  readonly budget?: WriteBudget | undefined;
}

/** The planned time of a key's next reconcile. */
interface Look {
  readonly atMs: number;
  readonly cancel: Cancel;
}

/**
 * Runs one controller. Keys come from committed events, and are reconciled in the clock's next turn at the
 * earliest. So a client gets the answer to its write before a controller reacts to the write, and reconciles
 * never nest.
 *
 * At rest it holds no timer. A write that the API refuses is retried after a growing delay.
 */
export class ControllerRunner {
  readonly #controller: WorkloadController;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #takeWrites: () => number;
  readonly #budget: WriteBudget | undefined;
  /** The planned reconciles, at most one per key. */
  readonly #looks = new Map<ObjectKey, Look>();
  /**
   * For each key: the time at which the writes of its last reconcile are done. The next reconcile removes the
   * entry.
   */
  readonly #busyUntil = new Map<ObjectKey, number>();
  /** Keys that are due, in the order in which they became due. `#turn` is set while a key waits. */
  readonly #ready = new Set<ObjectKey>();
  #turn: Cancel | undefined;
  /**
   * The key that is being reconciled. `isDirty` is set when an event concerns this key during the reconcile.
   */
  #current: { readonly key: ObjectKey; isDirty: boolean } | undefined;
  #freeAtMs = 0;
  #isCold = true;
  #slice: Slice;
  readonly #failures = new Map<ObjectKey, number>();
  readonly #subscriptions: (() => void)[] = [];

  constructor(
    controller: WorkloadController,
    clock: Clock,
    { pace = NO_PACE, takeWrites = () => 0, budget }: RunnerOptions = {},
  ) {
    this.#controller = controller;
    this.#clock = clock;
    this.#pace = pace;
    this.#takeWrites = takeWrites;
    this.#budget = budget;
    this.#slice = new Slice(clock);
  }

  /** Subscribes to events, and reconciles all existing objects. */
  start(access: ClusterAccess): void {
    const { watches, keysForAny } = this.#controller;
    for (const { resource, keysFor } of watches) {
      this.#subscriptions.push(access.subscribe(resource, (event) => this.#addAll(keysFor(event))));
      for (const object of access.list(resource)) this.#addAll(keysFor(added(object)));
    }
    if (keysForAny === undefined) return;
    this.#subscriptions.push(
      access.subscribeAll((resource, event) => this.#addAll(keysForAny(resource, event))),
    );
    for (const resource of access.resources().map(resourceName)) {
      for (const object of access.list(resource)) this.#addAll(keysForAny(resource, added(object)));
    }
  }

  close(): void {
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
    for (const { cancel } of this.#looks.values()) cancel();
    this.#looks.clear();
    this.#turn?.();
    this.#turn = undefined;
    this.#ready.clear();
    this.#busyUntil.clear();
  }

  #addAll(keys: Iterable<ObjectKey>): void {
    for (const key of keys) this.#add(key);
  }

  #add(key: ObjectKey): void {
    if (this.#current?.key === key) this.#current.isDirty = true;
    else this.#lookAfter(key, this.#pace.reactionMs + this.#coldMs());
  }

  #coldMs(): number {
    return this.#isCold ? (this.#pace.coldMs ?? 0) : 0;
  }

  /**
   * Plans a reconcile of the key after `delayMs`, but not before the key's last writes are done. If an
   * earlier reconcile is already planned, that plan is kept.
   */
  #lookAfter(key: ObjectKey, delayMs: number): void {
    if (this.#ready.has(key)) return;
    const nowMs = this.#clock.monotonic();
    const atMs = Math.max(nowMs + delayMs, this.#busyUntil.get(key) ?? 0);
    const planned = this.#looks.get(key);
    if (planned !== undefined && planned.atMs <= atMs) return;
    planned?.cancel();
    const cancel = this.#clock.schedule(atMs - nowMs, () => {
      this.#looks.delete(key);
      this.#ready.add(key);
      if (this.#turn === undefined) this.#takeTurn();
    });
    this.#looks.set(key, { atMs, cancel });
  }

  #takeTurn(): void {
    this.#turn = undefined;
    for (const key of this.#ready) {
      const waitMs = this.#waitMs();
      if (waitMs > 0 || this.#slice.isOver) {
        this.#rest(waitMs);
        return;
      }
      this.#ready.delete(key);
      if (this.#slice.step(() => this.#reconcile(key)) !== 'more') continue;
      this.#ready.add(key);
      this.#rest(0);
      return;
    }
  }

  /** Gives other work a turn, then continues with a new slice. */
  #rest(waitMs: number): void {
    this.#slice = new Slice(this.#clock);
    this.#turn = this.#clock.schedule(waitMs, () => this.#takeTurn());
  }

  /** Milliseconds until the worker is free and the budget allows a write. */
  #waitMs(): number {
    const nowMs = this.#clock.monotonic();
    const isPaced = this.#pace.serial === true && this.#ready.size < LONG_QUEUE;
    const waitMs = Math.max(isPaced ? this.#freeAtMs - nowMs : 0, this.#budget?.waitMs(nowMs) ?? 0);
    return waitMs < NO_TIME_MS ? 0 : waitMs;
  }

  #reconcile(key: ObjectKey): Again {
    this.#looks.get(key)?.cancel();
    this.#looks.delete(key);
    this.#busyUntil.delete(key);
    this.#isCold = false;
    const current = { key, isDirty: false };
    this.#current = current;
    const again = this.#attempt(key);
    this.#current = undefined;
    this.#account(key);
    if (again === 'more') return again;
    if (current.isDirty) this.#lookAfter(key, this.#pace.reactionMs);
    if (again !== undefined) this.#lookAfter(key, again);
    return again;
  }

  #account(key: ObjectKey): void {
    const writes = this.#takeWrites();
    if (writes === 0) return;
    const nowMs = this.#clock.monotonic();
    this.#freeAtMs = nowMs + writes * this.#pace.writeMs;
    this.#busyUntil.set(key, this.#freeAtMs);
    this.#budget?.spend(writes, nowMs);
  }

  #attempt(key: ObjectKey): Again {
    try {
      const again = this.#controller.reconcile(key);
      this.#failures.delete(key);
      return again;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isNamespaceEnding(error)) return undefined;
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      return Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    }
  }
}

function added(object: StoredObject): CommittedEvent {
  return { type: 'ADDED', object, previous: undefined };
}

/**
 * True when an object was not created because its namespace is terminating. A retry cannot help.
 */
export function isNamespaceEnding(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}
