import type { Cancel, Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { Added, type Change, Updated } from './change.ts';
import { type ChangeHandler, Delivery } from './delivery.ts';

/** How a handler receives changes. Each option has a default. */
export interface HandlerOptions {
  /**
   * If true, this source waits while a promise of this handler is pending: it does not read from the socket,
   * and calls none of its handlers. Default false: only the changes for this handler wait and are merged, and
   * all other handlers continue.
   */
  readonly backpressure?: boolean;
  /**
   * Length of a period in milliseconds. In each period, every cached object is sent again once; see `Resync`.
   * Default 0, so that no object is sent again.
   */
  readonly resyncPeriodMs?: number;
  /** Called once, when the handler has finished with every object of the first list. */
  readonly onSynced?: () => void;
}

/** A handler, as seen by the code that added it. */
export interface HandlerRegistration {
  /**
   * True when the handler has finished with every object of the first list, and the source has not stopped.
   */
  readonly synced: boolean;
  /** A lower bound for the number of waiting changes. Above 1,000, changes of the same key are merged. */
  readonly pending: number;
  /** Stops calling the handler. */
  remove(): void;
}

/** The source of the changes: the cache of one informer, or the caches of several informers. */
interface HandlersOptions<T extends KubernetesObject> {
  readonly clock: Clock;
  readonly random: () => number;
  /** The cached entries; undefined before the first list and after the end. */
  readonly entries: () => Iterable<Entry<T>> | undefined;
  readonly get: (key: ObjectKey) => Entry<T> | undefined;
  readonly synced: () => boolean;
  readonly failed: (error: unknown) => void;
  /** Called when a handler has become synced. */
  readonly changed: () => void;
}

/**
 * Receives everything that the handlers of a source receive. A source that combines several sources follows
 * each of them.
 */
export interface HandlersFollower<T extends KubernetesObject> {
  /** Like `Handlers.publish`. */
  publish(changes: readonly Change<T>[]): Promise<unknown> | undefined;
  /** Called when the changes that were published so far complete the first list of the source. */
  synced(): void;
}

interface Registered<T extends KubernetesObject> {
  readonly delivery: Delivery<T>;
  readonly backpressure: boolean;
  readonly resync: Resync<T> | undefined;
}

/** The handlers of one source. No handler affects another. */
export class Handlers<T extends KubernetesObject> {
  readonly #options: HandlersOptions<T>;
  readonly #registered = new Set<Registered<T>>();
  readonly #followers = new Set<HandlersFollower<T>>();
  #running = false;
  /**
   * The initial adds for a handler that is added now. Undefined if they were not computed yet in this turn.
   */
  #known: readonly Change<T>[] | undefined;

  constructor(options: HandlersOptions<T>) {
    this.#options = options;
  }

  /**
   * Sends all cached objects to `handler` as initial adds, in the same turn of the event loop. Later changes
   * follow.
   *
   * @throws ConfigurationError `CONFIG` for an invalid resync period.
   */
  add(handler: ChangeHandler<T>, options: HandlerOptions): HandlerRegistration {
    const { failed, changed, synced } = this.#options;
    const { backpressure = false, onSynced, resyncPeriodMs = 0 } = options;
    const delivery = new Delivery(handler, failed, {
      onSynced: () => {
        onSynced?.();
        changed();
      },
    });
    const resync = this.#resync(delivery, resyncPeriodMs);
    const registered = { delivery, backpressure, resync };
    this.#registered.add(registered);
    delivery.push(this.#initial());
    if (synced()) delivery.markSynced();
    if (this.#running) resync?.start();
    return {
      get synced() {
        return delivery.synced && synced();
      },
      get pending() {
        return delivery.pending;
      },
      remove: () => {
        this.#registered.delete(registered);
        resync?.stop();
        delivery.close();
      },
    };
  }

  /**
   * Sends `changes` to every handler. If the result is a promise, the caller must await it before it reads
   * further changes.
   */
  publish(changes: readonly Change<T>[]): Promise<unknown> | undefined {
    if (changes.length === 0) return undefined;
    this.#known = undefined;
    let waits: Promise<unknown>[] | undefined;
    for (const { delivery, backpressure } of [...this.#registered]) {
      delivery.push(changes);
      if (!backpressure || delivery.working === undefined) continue;
      waits ??= [];
      waits.push(delivery.working);
    }
    for (const follower of this.#followers) {
      const wait = follower.publish(changes);
      if (wait === undefined) continue;
      waits ??= [];
      waits.push(wait);
    }
    return waits === undefined ? undefined : Promise.all(waits);
  }

  /**
   * Passes every change to `follower` in the turn in which it is published, until the returned function is
   * called.
   */
  follow(follower: HandlersFollower<T>): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** Call this when the changes that were published so far complete the first list. */
  markSynced(): void {
    for (const { delivery } of [...this.#registered]) delivery.markSynced();
    for (const follower of this.#followers) follower.synced();
  }

  start(): void {
    this.#running = true;
    for (const { resync } of this.#registered) resync?.start();
  }

  /** Stops permanently: no handler is called any more. */
  stop(): void {
    this.#running = false;
    for (const { delivery, resync } of this.#registered) {
      resync?.stop();
      delivery.close();
    }
  }

  /**
   * All cached objects as initial adds. Handlers that are added in the same turn share the array, because
   * there may be a thousand such handlers.
   */
  #initial(): readonly Change<T>[] {
    if (this.#known !== undefined) return this.#known;
    const known: Change<T>[] = [];
    for (const entry of this.#options.entries() ?? []) known.push(new Added(entry, true));
    this.#known = known;
    queueMicrotask(() => {
      this.#known = undefined;
    });
    return known;
  }

  #resync(delivery: Delivery<T>, periodMs: number): Resync<T> | undefined {
    if (periodMs === 0) return undefined;
    if (!(periodMs > 0 && Number.isFinite(periodMs))) {
      throw new ConfigurationError('resyncPeriodMs must be milliseconds above 0, or 0 for never', {
        context: { resyncPeriodMs: periodMs },
      });
    }
    const { clock, get, entries, random } = this.#options;
    const push = (changes: readonly Change<T>[]): void => delivery.push(changes);
    return new Resync({ periodMs, clock, random, entries, get, push });
  }
}

/**
 * Maximum number of slices in a round. For 100,000 objects and a period of 10 h, a slice has 100 objects, and
 * one slice is sent every 36 s.
 */
const MAX_PARTS = 1_000;

/** Each round has a new random period, so that processes that started together drift apart. */
const JITTER = 0.1;

interface ResyncOptions<T extends KubernetesObject> {
  readonly periodMs: number;
  readonly clock: Clock;
  /** Uniform numbers in [0, 1). */
  readonly random: () => number;
  /** The cached entries; undefined when there is no cache to send. */
  readonly entries: () => Iterable<Entry<T>> | undefined;
  readonly get: (key: ObjectKey) => Entry<T> | undefined;
  readonly push: (changes: readonly Change<T>[]) => void;
}

/**
 * Sends all cached objects to one handler again in each period, as updates with `resync: true`. The updates
 * are spread over the period, whose length varies by up to 10 %. A resync sends no request to the server, so
 * unlike a relist it does not find changes that the watch has missed.
 */
class Resync<T extends KubernetesObject> {
  readonly #options: ResyncOptions<T>;
  #cancel: Cancel = () => {};

  constructor(options: ResyncOptions<T>) {
    this.#options = options;
  }

  start(): void {
    this.stop();
    this.#round();
  }

  stop(): void {
    this.#cancel();
  }

  #round(): void {
    const { clock, entries, periodMs, random } = this.#options;
    const keys = Array.from(entries() ?? [], ({ key }) => key);
    const parts = Math.max(1, Math.min(keys.length, MAX_PARTS));
    const partMs = (periodMs * (1 - JITTER + 2 * JITTER * random())) / parts;
    const wait = (part: number): void => {
      this.#cancel = clock.schedule(partMs, () => {
        this.#tell(keys.slice(share(part), share(part + 1)));
        if (part + 1 < parts) wait(part + 1);
        else this.#round();
      });
    };
    const share = (part: number): number => Math.floor((keys.length * part) / parts);
    wait(0);
  }

  #tell(keys: readonly ObjectKey[]): void {
    const { get, entries, push } = this.#options;
    if (entries() === undefined) return;
    const changes: Change<T>[] = [];
    for (const key of keys) {
      const entry = get(key);
      if (entry !== undefined) changes.push(new Updated(entry, entry, { resync: true }));
    }
    push(changes);
  }
}
