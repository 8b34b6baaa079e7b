import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { Added, type Change } from './change.ts';
import { type ChangeHandler, Delivery } from './delivery.ts';
import { Resync } from './resync.ts';

/** How a handler is told of changes. Each option has a default. */
export interface HandlerOptions {
  /**
   * A promise that the handler returns holds back the reading of the socket, for this source and all
   * of its handlers, until it settles. Default false: others go on, and its own changes wait and are
   * merged.
   */
  readonly backpressure?: boolean;
  /**
   * Tell again of every cached object once in so long, spread over the period; see `Resync`. Default
   * 0: never.
   */
  readonly resyncPeriodMs?: number;
  /** Called once, when the handler is done with every object of the first list. */
  readonly onSynced?: () => void;
}

/** A handler, as who added it sees it. */
export interface HandlerRegistration {
  /** The handler is done with every object of the first list, and the source has not stopped. */
  readonly synced: boolean;
  /** Changes that wait for the handler, at the least: above 1,000 they are merged key by key. */
  readonly pending: number;
  /** Calls the handler no more. */
  remove(): void;
}

/** What handlers are told of: the cache of an informer, or several in one. */
interface HandlersOptions<T extends KubernetesObject> {
  readonly clock: Clock;
  readonly random: () => number;
  /** What is cached; undefined before the first list and after the end. */
  readonly entries: () => Iterable<Entry<T>> | undefined;
  readonly get: (key: ObjectKey) => Entry<T> | undefined;
  readonly synced: () => boolean;
  readonly failed: (error: unknown) => void;
  /** A handler has become synced. */
  readonly changed: () => void;
}

/** Handlers of several sources: each of them is followed. */
export interface HandlersFollower<T extends KubernetesObject> {
  /** As `Handlers.publish`. */
  publish(changes: readonly Change<T>[]): Promise<unknown> | undefined;
  /** What has been published so far completes the first list of the source. */
  synced(): void;
}

interface Registered<T extends KubernetesObject> {
  readonly delivery: Delivery<T>;
  readonly backpressure: boolean;
  readonly resync: Resync<T> | undefined;
}

/** The handlers of one source, none of which disturbs another. */
export class Handlers<T extends KubernetesObject> {
  readonly #options: HandlersOptions<T>;
  readonly #registered = new Set<Registered<T>>();
  readonly #followers = new Set<HandlersFollower<T>>();
  #running = false;
  /** What a handler is told of first that is added now; undefined when that was not asked lately. */
  #known: readonly Change<T>[] | undefined;

  constructor(options: HandlersOptions<T>) {
    this.#options = options;
  }

  /**
   * First tells `handler` of everything that is cached, as initial adds, in the turn of the call:
   * what changes later comes later.
   *
   * @throws ConfigurationError `CONFIG` for a period that is no time.
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

  /** Tells all of them; the answer is what to wait for before more is read, if anything. */
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

  /** `follower` is told of all that is published, in the same turn, until the answer is called. */
  follow(follower: HandlersFollower<T>): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** What has been published so far completes the first list. */
  markSynced(): void {
    for (const { delivery } of [...this.#registered]) delivery.markSynced();
    for (const follower of this.#followers) follower.synced();
  }

  start(): void {
    this.#running = true;
    for (const { resync } of this.#registered) resync?.start();
  }

  /** For good: nobody is called any more. */
  stop(): void {
    this.#running = false;
    for (const { delivery, resync } of this.#registered) {
      resync?.stop();
      delivery.close();
    }
  }

  /** All that is cached. Handlers that are added in one turn share it: there may be a thousand. */
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
