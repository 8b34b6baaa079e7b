import type { Cancel, Clock } from '../../../core/clock.ts';
import type { ObjectKey } from '../../../model/object.ts';
import { resourceName } from '../../../model/resource.ts';
import { ApiError } from '../../../model/status.ts';
import type { ClusterAccess, CommittedEvent, StoredObject } from '../cluster-access.ts';
import type { WorkloadController } from './workload-controller.ts';

/** First delay after a refused write, doubled up to the last: client-go's are 5 ms and 1000 s. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 60_000;

/**
 * Runs one controller: keys come from committed events, and wait until the clock's next turn. So a
 * write is answered before its consequences begin, and no two reconciles are nested.
 *
 * At rest it holds no timer. A write that the API refuses is retried after a growing delay.
 */
export class ControllerRunner {
  readonly #controller: WorkloadController;
  readonly #clock: Clock;
  /** Every key whose turn comes next; `#turn` is set exactly while there is one. */
  #dirty = new Set<ObjectKey>();
  #turn: Cancel | undefined;
  /** At most one alarm a key. */
  readonly #alarms = new Map<ObjectKey, Cancel>();
  readonly #failures = new Map<ObjectKey, number>();
  readonly #subscriptions: (() => void)[] = [];

  constructor(controller: WorkloadController, clock: Clock) {
    this.#controller = controller;
    this.#clock = clock;
  }

  /** Subscribes, and looks at everything that is there already. */
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
    for (const cancel of this.#alarms.values()) cancel();
    this.#alarms.clear();
    this.#turn?.();
    this.#turn = undefined;
    this.#dirty.clear();
  }

  #addAll(keys: Iterable<ObjectKey>): void {
    for (const key of keys) this.#add(key);
  }

  #add(key: ObjectKey): void {
    this.#dirty.add(key);
    this.#turn ??= this.#clock.schedule(0, () => this.#takeTurn());
  }

  #takeTurn(): void {
    const keys = this.#dirty;
    this.#dirty = new Set();
    this.#turn = undefined;
    for (const key of keys) this.#reconcile(key);
  }

  #reconcile(key: ObjectKey): void {
    this.#alarms.get(key)?.();
    this.#alarms.delete(key);
    const again = this.#attempt(key);
    if (again === undefined) return;
    const cancel = this.#clock.schedule(again, () => {
      this.#alarms.delete(key);
      this.#add(key);
    });
    this.#alarms.set(key, cancel);
  }

  #attempt(key: ObjectKey): number | undefined {
    try {
      const again = this.#controller.reconcile(key);
      this.#failures.delete(key);
      return again;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      return Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    }
  }
}

function added(object: StoredObject): CommittedEvent {
  return { type: 'ADDED', object, previous: undefined };
}
