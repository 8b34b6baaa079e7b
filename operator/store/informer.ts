import { abortable } from '../core/abort.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { type Labels, type Meter, noMeter } from '../core/metrics.ts';
import { OBJECTS_PER_SLICE, runInSlices } from '../core/time-slice.ts';
import type { WatchEvent } from '../model/entry.ts';
import { Entry, type EntryObserver } from '../model/entry.ts';
import {
  compareResourceVersions,
  isOlder,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
} from '../model/object.ts';
import type { CompleteList } from '../watch/list.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import { Reflector, type ReflectorSink } from '../watch/reflector.ts';
import type { ReflectorStatus } from '../watch/reflector-status.ts';
import { Cache, type Replacement } from './cache.ts';
import { type Change, Deleted } from './change.ts';
import type { ChangeHandler } from './delivery.ts';
import { estimateTotalBytes } from './estimate-bytes.ts';
import {
  type HandlerOptions,
  type HandlerRegistration,
  Handlers,
  type HandlersFollower,
} from './handlers.ts';
import { type Index, type IndexFunction, Indices } from './indices.ts';
import { type CachedForm, OwnWrites } from './own-writes.ts';
import type {
  InformerObserver,
  InformerOptions,
  SharedInformer,
  SourceState,
} from './shared-informer.ts';
import { type Store, storeOf } from './store.ts';
import { Waiting } from './waiting.ts';

export type { ChangeHandler } from './delivery.ts';
export type { InformerObserver, InformerOptions } from './shared-informer.ts';

/** Keeps one resource in a store, and calls handlers for each change. */
export class Informer<T extends KubernetesObject> implements SharedInformer<T> {
  readonly store: Store<T>;
  readonly storeWithOwnWrites: Store<T>;
  /** The writes of this process. The code that sends them also reports them here. */
  readonly ownWrites: OwnWrites<T>;
  readonly #cachedForm: (answer: T) => CachedForm<T>;
  readonly #labels: Labels;
  readonly #clock: Clock;
  readonly #meter: Meter;
  readonly #entryObserver: EntryObserver;
  readonly #observer: InformerObserver;
  readonly #cache = new Cache<T>();
  readonly #indices: Indices<T>;
  readonly #handlers: Handlers<T>;
  readonly #reflector: Reflector<T>;
  readonly #waiting = new Waiting();
  readonly #advancing = new Set<() => void>();
  readonly #vanishing = new Set<(changes: readonly Change<T>[]) => void>();
  /** The names of indices whose functions have thrown. Each is reported once. */
  readonly #brokenIndices = new Set<string>();
  readonly #indexing = new Map<Index<T>, Cancel>();
  /** Entries that were parsed in this turn of the event loop. */
  #releasable: Entry[] = [];
  #resourceVersion: string | undefined;
  #listedAt: number | undefined;
  #phase: 'idle' | 'running' | 'stopped' = 'idle';
  #signal: AbortSignal = new AbortController().signal;

  constructor(source: ListWatch<T>, observer: InformerObserver, options: InformerOptions) {
    const { name = 'objects', cachedForm, ...reflector } = options;
    const { clock, meter = noMeter, random = Math.random } = reflector;
    this.#labels = reflector.labels ?? { resource: name };
    this.#clock = clock;
    this.#meter = meter;
    this.#entryObserver = {
      releasable: (entry) => this.#releaseSoon(entry),
      unreadable: (error) => this.#reflector.unreadable(error),
    };
    this.#observer = observer;
    this.#indices = new Indices((index, error) => this.#indexFailed(index, error));
    this.#handlers = new Handlers({
      clock,
      random,
      entries: () => (this.#phase === 'stopped' ? undefined : this.#cache.entries?.values()),
      get: (key) => this.#cache.entries?.get(key),
      synced: () => this.synced,
      failed: (error) => this.#handlerFailed(error),
      changed: () => this.#waiting.changed(),
    });
    // Safe cast: `cachedForm` maps a T to a T.
    this.#cachedForm = (cachedForm ?? asItIs) as (answer: T) => CachedForm<T>;
    this.ownWrites = new OwnWrites({
      ...{ clock, meter, labels: this.#labels },
      cached: (key) => this.#cache.entries?.get(key),
      resourceVersion: () => this.#resourceVersion,
      formOf: this.#cachedForm,
      active: () => this.#phase === 'running',
    });
    this.#reflector = new Reflector(source, this.#sink(), {
      ...reflector,
      onNotice: (notice) => {
        if (notice.kind === 'regression') this.ownWrites.clear();
        reflector.onNotice?.(notice);
      },
    });
    const view = {
      name,
      indices: this.#indices,
      entries: () => this.#cache.entries,
      state: () => (this.#phase === 'stopped' ? 'stopped' : this.synced ? 'synced' : 'unsynced'),
    } as const;
    this.store = storeOf(view);
    this.storeWithOwnWrites = storeOf({ ...view, ownWrites: this.ownWrites });
  }

  get status(): ReflectorStatus {
    return this.#reflector.status;
  }

  get synced(): boolean {
    return this.#cache.entries !== undefined && this.#phase !== 'stopped';
  }

  get state(): SourceState {
    if (this.#phase !== 'running') return this.#phase;
    const { health } = this.status;
    if (health === 'forbidden' || health === 'unserved') return health;
    return this.#reflector.activity ?? 'waiting';
  }

  get lastContactAt(): number | undefined {
    return this.#reflector.lastContactAt;
  }

  /** `clock.monotonic()` when the last complete list reached the store; undefined before the first one. */
  get listedAt(): number | undefined {
    return this.#listedAt;
  }

  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  cached(key: ObjectKey): Entry<T> | undefined {
    return this.synced ? this.#cache.entries?.get(key) : undefined;
  }

  entries(): Iterable<Entry<T>> {
    return this.synced ? (this.#cache.entries?.values() ?? []) : [];
  }

  /** The number of objects in the store, and their memory, estimated from a sample. */
  size(): { readonly objects: number; readonly bytes: number } {
    const entries = this.synced ? this.#cache.entries : undefined;
    if (entries === undefined) return { objects: 0, bytes: 0 };
    return { objects: entries.size, bytes: estimateTotalBytes(entries) };
  }

  addHandler(handler: ChangeHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    return this.#handlers.add(handler, options);
  }

  follow(follower: HandlersFollower<T>): () => void {
    return this.#handlers.follow(follower);
  }

  addIndex(name: string, of: IndexFunction<T>): void {
    const index = this.#indices.add(name, of);
    this.#fill(index, [...(this.#cache.entries?.keys() ?? [])], 0);
  }

  hasIndex(name: string): boolean {
    return this.#indices.get(name)?.complete ?? false;
  }

  indexFunction(name: string): IndexFunction<T> | undefined {
    return this.#indices.get(name)?.of;
  }

  until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    return this.#waiting.until(condition, signal);
  }

  onStateChange(listener: () => void): () => void {
    return this.#waiting.listen(listener);
  }

  reflects(written: T): boolean {
    const { resourceVersion = '' } = written.metadata;
    const order = compareResourceVersions(this.#resourceVersion ?? '', resourceVersion);
    if (order !== undefined) return order >= 0 || this.#neverShows(written);
    return this.#resourceVersion !== undefined;
  }

  onAdvance(listener: () => void): () => void {
    const added = (): void => listener();
    this.#advancing.add(added);
    return () => this.#advancing.delete(added);
  }

  onVanished(listener: (changes: readonly Change<T>[]) => void): () => void {
    const added = (changes: readonly Change<T>[]): void => listener(changes);
    this.#vanishing.add(added);
    return () => this.#vanishing.delete(added);
  }

  /**
   * Compares the store with an authoritative list now, as the informer does every `relistIntervalMs`. Use it
   * after a restore of etcd. Returns the keys that have differed for `patienceMs`; a later list repairs them.
   *
   * @param patienceMs - for how many milliseconds a difference is tolerated. Default 30 s.
   * @throws OperatorError `NOT_SYNCED` when the informer does not run; the error of the list.
   */
  verify(patienceMs?: number): Promise<readonly ObjectKey[]> {
    return this.#reflector.verify(patienceMs);
  }

  /**
   * Adds objects that the source delivers from now on: see `Widening`. `isFirst`: the source delivered no
   * objects before.
   */
  widen(source: Pick<ListWatch<T>, 'listPage'>, isFirst: boolean): Promise<void> {
    const take = (entries: readonly Entry<T>[]) => this.#took(this.#cache.include(entries));
    return this.#reflector.widening.include({ source, take, isFirst }, this.#signal);
  }

  /**
   * Removes objects that the source no longer delivers, and reopens its watch. This takes several turns of
   * the event loop. `isDropped` is called for each object right before the object is removed.
   */
  narrow(isDropped: (entry: Entry<T>) => boolean): void {
    const dropping = this.#cache.drop(isDropped, (changes) => void this.#took(changes));
    void Promise.resolve(runInSlices(dropping, this.#signal)).catch(() => {}); // the informer stops
    this.#reflector.widening.reopen();
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#phase = 'running';
    this.#handlers.start();
    try {
      await this.#reflector.run(signal);
    } finally {
      this.#phase = 'stopped';
      this.#handlers.stop();
      for (const cancel of this.#indexing.values()) cancel();
      this.ownWrites.clear();
      this.#waiting.changed();
      this.#advanced();
    }
  }

  #sink(): ReflectorSink<T> {
    return {
      known: (key) => this.#cache.entries?.get(key),
      replace: (list: CompleteList<T>): Promise<void> | undefined =>
        runInSlices(this.#replacing(list), this.#signal),
      apply: (batch: readonly WatchEvent<T>[]): Promise<void> | undefined => {
        const { outdatedCount } = this.#cache;
        const changes = this.#cache.applyAll(batch);
        const outdated = this.#cache.outdatedCount - outdatedCount;
        if (outdated > 0) this.#count('chancery_outdated_events_total', outdated);
        this.#advance(batch);
        return this.#took(changes);
      },
      statusChanged: (status) => {
        this.#observer.statusChanged(status);
        this.#waiting.changed();
      },
      verified: (drift) => {
        if (drift.length > 0) this.#observer.drifted(drift);
      },
      keys: () => this.#cache.entries?.keys() ?? [],
    };
  }

  /** Called after changes of the store, in the same turn of the event loop. */
  #took(changes: readonly Change<T>[]): Promise<void> | undefined {
    for (const { entry } of changes) entry.observedBy(this.#entryObserver);
    if (changes.length > 0) this.#indices.update(changes);
    const waits = changes.length > 0 ? this.#tell(changes) : undefined;
    this.#advanced();
    return waits;
  }

  /** Prepares a replacement step by step. The store changes only in the turn of the last step. */
  *#replacing({
    items,
    resourceVersion,
  }: CompleteList<T>): Generator<void, Promise<void> | undefined, undefined> {
    const replacement = yield* this.#cache.compare(items);
    yield* this.#takingIn(replacement);
    const changeIndices = yield* this.#indices.prepare(replacement);
    this.#cache.install(replacement);
    changeIndices();
    this.#listedAt = this.#clock.monotonic();
    this.#resourceVersion = resourceVersion;
    const waits = this.#tell(replacement.changes);
    this.#handlers.markSynced();
    this.#waiting.changed();
    this.#advanced();
    return waits;
  }

  /**
   * Frees parsed objects in the next turn of the event loop. Until then all readers share them. Keeping them
   * longer would cost more than parsing them again, because V8 copies and marks long-lived objects.
   */
  #releaseSoon(entry: Entry): void {
    if (this.#releasable.push(entry) > 1) return;
    setImmediate(() => {
      const parsed = this.#releasable;
      this.#releasable = [];
      for (const each of parsed) each.release();
    });
  }

  #neverShows(written: T): boolean {
    const form = this.#cachedForm(written);
    const isCached = this.#cache.entries?.has(keyOf(written)) === true;
    return form === undefined || (form.entry === undefined && !isCached);
  }

  #advanced(): void {
    const vanished = this.ownWrites.advanced().map((entry) => new Deleted(entry, true));
    for (const listener of [...this.#advancing]) listener();
    if (vanished.length === 0) return;
    for (const listener of [...this.#vanishing]) listener(vanished);
  }

  *#takingIn({ changes }: Replacement<T>): Generator<void, void, undefined> {
    for (const [index, { entry }] of changes.entries()) {
      if (index > 0 && index % OBJECTS_PER_SLICE === 0) yield;
      entry.observedBy(this.#entryObserver);
    }
  }

  /**
   * Publishes changes, and waits for handlers with backpressure. A stop ends the wait, because the promise of
   * a handler may never settle.
   */
  #tell(changes: readonly Change<T>[]): Promise<void> | undefined {
    const waits = this.#handlers.publish(changes);
    return waits === undefined
      ? undefined
      : abortable(
          waits.then(() => {}),
          this.#signal,
        );
  }

  #advance(batch: readonly WatchEvent<T>[]): void {
    for (const event of batch) {
      const version =
        event.type === 'BOOKMARK' ? event.resourceVersion : event.entry.resourceVersion;
      if (!version || isOlder(version, this.#resourceVersion ?? '')) continue;
      this.#resourceVersion = version;
    }
  }

  /** Adds cached objects to a new index, slice by slice. Changes in the meantime already update the index. */
  #fill(index: Index<T>, keys: readonly ObjectKey[], from: number): void {
    const until = from + OBJECTS_PER_SLICE;
    for (const key of keys.slice(from, until)) {
      const entry = this.#cache.entries?.get(key);
      if (entry !== undefined) index.take(entry);
    }
    if (until < keys.length) {
      const next = this.#clock.schedule(0, () => this.#fill(index, keys, until));
      this.#indexing.set(index, next);
      return;
    }
    this.#indexing.delete(index);
    index.complete = true;
    this.#waiting.changed();
  }

  #indexFailed(index: string, error: unknown): void {
    this.#count('chancery_index_errors_total');
    if (this.#brokenIndices.has(index)) return;
    this.#brokenIndices.add(index);
    this.#observer.indexFailed?.(index, error);
  }

  #handlerFailed(error: unknown): void {
    this.#count('chancery_handler_errors_total');
    this.#observer.handlerFailed(error);
  }

  #count(metric: string, amount = 1): void {
    this.#meter.count(metric, this.#labels, amount);
  }
}

function asItIs(answer: KubernetesObject): CachedForm<KubernetesObject> {
  return { entry: Entry.of(answer) };
}
