import { abortable } from '../core/abort.ts';
import { OperatorError } from '../core/errors.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import type { CompleteList } from '../watch/list-all.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import { Reflector, type ReflectorSink } from '../watch/reflector.ts';
import type { ReflectorOptions } from '../watch/reflector-options.ts';
import type { ReflectorStatus } from '../watch/reflector-status.ts';
import { Cache, type Change } from './cache.ts';
import type { Store } from './store.ts';

/**
 * Told of changes in the order in which the store took them; the store has them already. A promise
 * holds back the reading of the socket until it settles, for this source only.
 */
export type ChangeHandler<T extends KubernetesObject> = (
  changes: readonly Change<T>[],
) => void | Promise<void>;

/** What an informer tells its owner, for logs and metrics. */
export interface InformerObserver {
  /** Once per change of state, not per attempt. */
  statusChanged(status: ReflectorStatus): void;
  /** Keys that an authoritative relist found wrong; the cache is about to be repaired. */
  drifted(keys: readonly ObjectKey[]): void;
  /** A handler threw; the other handlers and the source go on. */
  handlerFailed(error: unknown): void;
}

/** One resource kept in a store, and handlers that are told of each change. */
export class Informer<T extends KubernetesObject> {
  readonly store: Store<T>;
  readonly #cache = new Cache<T>();
  readonly #reflector: Reflector<T>;
  readonly #handlers: ChangeHandler<T>[] = [];
  readonly #observer: InformerObserver;
  /** Each waits for the next change of `synced` or of the status. */
  readonly #waiting = new Set<() => void>();
  #stopped = false;
  #signal: AbortSignal = new AbortController().signal;

  constructor(source: ListWatch<T>, observer: InformerObserver, options: ReflectorOptions) {
    this.#observer = observer;
    this.#reflector = new Reflector(source, this.#sink(), options);
    this.store = this.#view();
  }

  get status(): ReflectorStatus {
    return this.#reflector.status;
  }

  /** The first list is in the store. False again once stopped: a frozen cache is no cache. */
  get synced(): boolean {
    return this.#cache.objects !== undefined && !this.#stopped;
  }

  /** A handler that comes late is first told of everything in the store, as initial adds. */
  addHandler(handler: ChangeHandler<T>): void {
    this.#handlers.push(handler);
    const known = [...(this.#cache.objects ?? [])];
    if (known.length === 0) return;
    void this.#call(
      handler,
      known.map(([key, object]) => ({ type: 'add', key, object, initial: true })),
    );
  }

  /**
   * Resolves when `condition` holds, which is looked at after each change of state.
   *
   * @throws `signal.reason` when aborted first.
   */
  async until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    while (!condition()) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
      await promise;
      this.#waiting.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    try {
      await this.#reflector.run(signal);
    } finally {
      this.#stopped = true;
      this.#wake();
    }
  }

  #sink(): ReflectorSink<T> {
    return {
      replace: async (list: CompleteList<T>): Promise<void> => {
        const changes = this.#cache.replace(list.items);
        this.#wake();
        await this.#deliver(changes);
      },
      apply: (batch: readonly WatchEvent<T>[]): Promise<void> =>
        this.#deliver(batch.flatMap((event) => this.#cache.apply(event))),
      statusChanged: (status) => {
        this.#observer.statusChanged(status);
        this.#wake();
      },
      verified: (drift) => {
        if (drift.length > 0) this.#observer.drifted(drift);
      },
      version: (key) => this.#cache.objects?.get(key)?.metadata as VersionOf | undefined,
      keys: () => this.#cache.objects?.keys() ?? [],
    };
  }

  #view(): Store<T> {
    const objects = (): ReadonlyMap<ObjectKey, T> => {
      const known = this.#cache.objects;
      if (known === undefined || this.#stopped) {
        throw new OperatorError('store read before its first list, or after its end', {
          code: 'NOT_SYNCED',
          layer: 'user-code',
        });
      }
      return known;
    };
    const isSynced = (): boolean => this.synced;
    return {
      get synced() {
        return isSynced();
      },
      get: (key) => objects().get(key),
      list: () => [...objects().values()],
    };
  }

  /** Waits for handlers that ask for it, but not beyond the end: one may never settle. */
  async #deliver(changes: readonly Change<T>[]): Promise<void> {
    if (changes.length === 0) return;
    const pending = this.#handlers.flatMap((handler) => this.#call(handler, changes) ?? []);
    if (pending.length > 0) await abortable(Promise.all(pending), this.#signal);
  }

  /** The promise of a handler that wants to be waited for; it never rejects. */
  #call(handler: ChangeHandler<T>, changes: readonly Change<T>[]): Promise<void> | undefined {
    const failed = (error: unknown): void => this.#observer.handlerFailed(error);
    try {
      return handler(changes)?.catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  #wake(): void {
    for (const resolve of [...this.#waiting]) resolve();
  }
}

type VersionOf = { readonly uid: string | undefined; readonly resourceVersion: string | undefined };
