import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { ReflectorOptions } from '../watch/reflector-options.ts';
import type { ReflectorStatus } from '../watch/reflector-status.ts';
import type { Change } from './change.ts';
import type { ChangeHandler } from './delivery.ts';
import type { HandlerOptions, HandlerRegistration, HandlersFollower } from './handlers.ts';
import type { IndexFunction } from './indices.ts';
import type { CachedForm } from './own-writes.ts';
import type { Store } from './store.ts';

/**
 * What a source is doing. `waiting`: it waits between two attempts. `forbidden` and `unserved`: it also
 * waits, because the server refuses or does not have the resource. `stopped`: it has stopped, and does not
 * start again.
 */
export type SourceState =
  | 'idle'
  | 'listing'
  | 'watching'
  | 'waiting'
  | 'unserved'
  | 'forbidden'
  | 'stopped';

/** A cached source that several users share: a single informer, or several informers with one store. */
export interface SharedInformer<T extends KubernetesObject> {
  /** The cached objects. */
  readonly store: Store<T>;
  /**
   * `store` with the newer writes of this process added: see `OwnWrites`. It is synced when `store` is
   * synced. Handlers receive changes of `store` only.
   */
  readonly storeWithOwnWrites: Store<T>;
  /**
   * True when the first list is in the store. False again after the source was stopped, because the cache is
   * no longer updated. It does not tell if the source is healthy: see `status` and `lastContactAt`.
   */
  readonly synced: boolean;
  /** The current activity. */
  readonly state: SourceState;
  /** The state of listing and watching. */
  readonly status: ReflectorStatus;
  /** `clock.monotonic()` of the server's last sign of life; undefined before the first one. */
  readonly lastContactAt: number | undefined;
  /** The store contains all changes up to this resourceVersion. Undefined before the first list. */
  readonly resourceVersion: string | undefined;
  /** The cached entry for a key. Undefined before the first list and after the end. */
  cached(key: ObjectKey): Entry<T> | undefined;
  /** All cached entries; none before the first list and after the end. */
  entries(): Iterable<Entry<T>>;
  /**
   * Sends all objects in the store to `handler` as initial adds, and then each later change, without gaps or
   * duplicates. Calls of the handler never overlap, and do not depend on other handlers.
   *
   * @throws ConfigurationError `CONFIG` for invalid options.
   */
  addHandler(handler: ChangeHandler<T>, options?: HandlerOptions): HandlerRegistration;
  /**
   * Passes every change to `follower` in the turn in which the store changes, without a queue, until the
   * returned function is called. For a source that combines several sources.
   */
  follow(follower: HandlersFollower<T>): () => void;
  /**
   * Adds an index. Cached objects are indexed 1,000 at a time, so that other work does not wait: see
   * `hasIndex`.
   *
   * @throws ConfigurationError `CONFIG` when an index of this name already exists.
   */
  addIndex(name: string, of: IndexFunction<T>): void;
  /** True when the index exists and contains every cached object. */
  hasIndex(name: string): boolean;
  /** The function of an index; undefined when it does not exist. */
  indexFunction(name: string): IndexFunction<T> | undefined;
  /**
   * Resolves when `condition` holds. It is checked now and after each change of state.
   *
   * @throws `signal.reason` when `signal` aborts before that.
   */
  until(condition: () => boolean, signal: AbortSignal): Promise<void>;
  /**
   * Calls `listener` after each change of the state, for example of `synced`, until the returned function is
   * called.
   */
  onStateChange(listener: () => void): () => void;
  /**
   * True when `store` contains `written`, which is the answer to a write, or a newer state. Also true when
   * the store will never contain it, because the store does not select the object, and when versions cannot
   * be compared.
   */
  reflects(written: T): boolean;
  /** Calls `listener` when `resourceVersion` may have changed, until the returned function is called. */
  onAdvance(listener: () => void): () => void;
  /**
   * Calls `listener` with deletes of objects that only `storeWithOwnWrites` has contained, when it becomes
   * known that they are gone, until the returned function is called. Handlers only receive changes of
   * `store`. So they do not receive the delete of an object that was created and deleted before `store`
   * contained it.
   */
  onVanished(listener: (changes: readonly Change<T>[]) => void): () => void;
}

/** The callbacks of an informer's owner, for logs and metrics. */
export interface InformerObserver {
  /** Called once for each change of the state, not for each attempt. */
  statusChanged(status: ReflectorStatus): void;
  /**
   * Called when an authoritative relist has found that the cached objects with these keys are wrong. The
   * cache is about to be repaired.
   */
  drifted(keys: readonly ObjectKey[]): void;
  /** Called when a handler has thrown. The other handlers and the source continue. */
  handlerFailed(error: unknown): void;
  /**
   * Called when an index function has thrown, only once for each function. The object has no values in that
   * index.
   */
  indexFailed?(index: string, error: unknown): void;
}

export type { OnUnserved } from '../watch/reflector-options.ts';

/** How an informer lists, watches and caches. Only `clock` is required. */
export interface InformerOptions extends ReflectorOptions {
  /** The name of the source in errors and measurements, such as `pods`. Default `objects`. */
  readonly name?: string;
  /** Converts the answer to a write to what the store would cache. Default: the whole answer. */
  readonly cachedForm?: (answer: KubernetesObject) => CachedForm<KubernetesObject>;
}
