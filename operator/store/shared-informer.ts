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
 * What a source is doing. `waiting`: between attempts. `forbidden` and `unserved`: the same, because
 * the server refuses or does not have the resource. `stopped` is for good.
 */
export type SourceState =
  | 'idle'
  | 'listing'
  | 'watching'
  | 'waiting'
  | 'unserved'
  | 'forbidden'
  | 'stopped';

/** A cached source, as everybody who shares it sees it: one informer, or several behind one store. */
export interface SharedInformer<T extends KubernetesObject> {
  /** What is cached. */
  readonly store: Store<T>;
  /**
   * The same with what this process wrote meanwhile: see `OwnWrites`. It is empty and full when `store`
   * is, and handlers are told of changes of `store` only.
   */
  readonly storeWithOwnWrites: Store<T>;
  /**
   * The first list is in the store. False again once stopped: a frozen cache is no cache. Says
   * nothing of health: see `status` and `lastContactAt`.
   */
  readonly synced: boolean;
  /** What it is doing. */
  readonly state: SourceState;
  /** How listing and watching go. */
  readonly status: ReflectorStatus;
  /** `clock.monotonic()` of the last sign of life of the server; undefined when there was none. */
  readonly lastContactAt: number | undefined;
  /** The store is at least at this resourceVersion; undefined before the first list. */
  readonly resourceVersion: string | undefined;
  /** The entry that is cached under a key. Undefined before the first list, too, and after the end. */
  cached(key: ObjectKey): Entry<T> | undefined;
  /** All that is cached; nothing before the first list, and after the end. */
  entries(): Iterable<Entry<T>>;
  /**
   * Tells `handler` of everything in the store, as initial adds, and then of each change: without a
   * gap, without a duplicate, one call after the other, independently of all other handlers.
   *
   * @throws ConfigurationError `CONFIG` for options that are unusable.
   */
  addHandler(handler: ChangeHandler<T>, options?: HandlerOptions): HandlerRegistration;
  /**
   * `follower` is told of every change in the turn in which the store takes it, without a queue of its
   * own, until the answer is called. For a source that stands for several.
   */
  follow(follower: HandlersFollower<T>): () => void;
  /**
   * Adds an index. What is cached already is indexed 1,000 objects at a time, so that nothing else
   * waits: see `hasIndex`.
   *
   * @throws ConfigurationError `CONFIG` when there is an index of this name.
   */
  addIndex(name: string, of: IndexFunction<T>): void;
  /** There is an index of this name, and every cached object is in it. */
  hasIndex(name: string): boolean;
  /** The function behind an index; undefined when there is no such index. */
  indexFunction(name: string): IndexFunction<T> | undefined;
  /**
   * Resolves when `condition` holds, which is looked at after each change of state.
   *
   * @throws `signal.reason` when aborted first.
   */
  until(condition: () => boolean, signal: AbortSignal): Promise<void>;
  /** Calls `listener` after each change of state, such as `synced`, until the answer is called. */
  onStateChange(listener: () => void): () => void;
  /**
   * True when `store` has what `written` shows, the answer to a write, or something newer; and when it
   * never will: it does not select the object, or its versions cannot be compared.
   */
  reflects(written: T): boolean;
  /** Calls `listener` whenever `resourceVersion` may have moved, until the answer is called. */
  onAdvance(listener: () => void): () => void;
  /**
   * Calls `listener` with what `storeWithOwnWrites` has shown and `store` does not have, when it is
   * known to be gone, as deletes; until the answer is called. Handlers are told of what the store had:
   * of an object that was made and deleted before a list saw it they hear nothing.
   */
  onVanished(listener: (changes: readonly Change<T>[]) => void): () => void;
}

/** What an informer tells its owner, for logs and metrics. */
export interface InformerObserver {
  /** Once per change of state, not per attempt. */
  statusChanged(status: ReflectorStatus): void;
  /** Keys that an authoritative relist found wrong; the cache is about to be repaired. */
  drifted(keys: readonly ObjectKey[]): void;
  /** A handler threw; the other handlers and the source go on. */
  handlerFailed(error: unknown): void;
  /** An index function threw, told once per function; the object is indexed under nothing. */
  indexFailed?(index: string, error: unknown): void;
}

export type { OnUnserved } from '../watch/reflector-options.ts';

/** How an informer lists, watches and caches. Only `clock` is required. */
export interface InformerOptions extends ReflectorOptions {
  /** Names the source in errors and measurements, such as `pods`. Default `objects`. */
  readonly name?: string;
  /** What of an answer to a write it would cache. Default: all of it, whatever it is. */
  readonly cachedForm?: (answer: KubernetesObject) => CachedForm<KubernetesObject>;
}
