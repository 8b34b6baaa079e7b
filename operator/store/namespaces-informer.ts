import { aborted } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Entry } from '../model/entry.ts';
import {
  compareResourceVersions,
  type KubernetesObject,
  keyFrom,
  type ObjectKey,
  splitKey,
} from '../model/object.ts';
import type { ReflectorStatus } from '../watch/reflector-status.ts';
import type { Change } from './change.ts';
import type { ChangeHandler } from './delivery.ts';
import {
  type HandlerOptions,
  type HandlerRegistration,
  Handlers,
  type HandlersFollower,
} from './handlers.ts';
import { ensureIndex, type IndexFunction } from './indices.ts';
import type { SharedInformer, SourceState } from './shared-informer.ts';
import { copied, notSynced, type Store, unknownIndex } from './store.ts';
import { Waiting } from './waiting.ts';

/**
 * Several namespaces of one resource in one store, with one informer per namespace. It is synced when all
 * informers are synced.
 */
export class NamespacesInformer<T extends KubernetesObject> implements SharedInformer<T> {
  readonly store: Store<T>;
  readonly storeWithOwnWrites: Store<T>;
  readonly #name: string;
  /** The informers, by namespace. */
  readonly #members: ReadonlyMap<string, InformerHandle<T>>;
  readonly #handlers: Handlers<T>;
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #waiting = new Waiting();
  /** Namespaces whose first list was published. */
  readonly #published = new Set<string>();
  /** Functions that remove the listeners of this object from the informers. */
  readonly #cancels: readonly (() => void)[];
  #stopped = false;

  constructor(options: NamespacesInformerOptions<T>) {
    const { clock, handlerFailed: failed, open, name, namespaces } = options;
    this.#name = name;
    this.store = this.#view(cached);
    this.storeWithOwnWrites = this.#view((informer) => informer.storeWithOwnWrites);
    this.#handlers = new Handlers({
      clock,
      random: options.random ?? Math.random,
      entries: () => (this.#stopped ? undefined : this.entries()),
      get: (key) => this.cached(key),
      synced: () => this.synced,
      failed,
      changed: () => this.#waiting.changed(),
    });
    this.#members = new Map([...new Set(namespaces)].map((each) => [each, open(each)]));
    // All informers are created before any of them is followed. Otherwise this source would become synced
    // when the first informer has its list.
    this.#cancels = [...this.#members].flatMap(([namespace, { informer }]) =>
      this.#follow(namespace, informer),
    );
  }

  /**
   * True when all informers are synced. False after it was stopped, because a stopped source must not look
   * like a namespace without objects.
   */
  get synced(): boolean {
    return !this.#stopped && this.#informers().every(({ synced }) => synced);
  }

  /** The state of the informer that most needs attention. */
  get state(): SourceState {
    return this.#stopped ? 'stopped' : combinedState(this.#informers());
  }

  /** The status of the informer with the worst status. */
  get status(): ReflectorStatus {
    return combinedStatus(this.#informers());
  }

  /**
   * Each namespace has a time of its last contact with the server. The result is the earliest of these times.
   */
  get lastContactAt(): number | undefined {
    return earliestContactAt(this.#informers());
  }

  /** The oldest resourceVersion among those of all namespaces. */
  get resourceVersion(): string | undefined {
    return oldestResourceVersion(this.#informers());
  }

  cached(key: ObjectKey): Entry<T> | undefined {
    return this.#members.get(splitKey(key).namespace ?? '')?.informer.cached(key);
  }

  /** The entries of the namespaces whose first list is complete. */
  *entries(): Generator<Entry<T>, void, undefined> {
    for (const informer of this.#informers()) yield* informer.entries();
  }

  addHandler(handler: ChangeHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    return this.#handlers.add(handler, options);
  }

  follow(follower: HandlersFollower<T>): () => void {
    return this.#handlers.follow(follower);
  }

  addIndex(name: string, of: IndexFunction<T>): void {
    if (this.#indexes.has(name)) {
      throw new ConfigurationError('two indices have the same name', { context: { index: name } });
    }
    for (const informer of this.#informers()) ensureIndex(informer, name, of);
    this.#indexes.set(name, of);
  }

  hasIndex(name: string): boolean {
    return (
      this.#indexes.has(name) && this.#informers().every((informer) => informer.hasIndex(name))
    );
  }

  indexFunction(name: string): IndexFunction<T> | undefined {
    return this.#indexes.get(name);
  }

  until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    return this.#waiting.until(condition, signal);
  }

  onStateChange(listener: () => void): () => void {
    return this.#waiting.listen(listener);
  }

  /**
   * Returns the result of the informer for the object's namespace; true if this source does not include the
   * namespace.
   */
  reflects(written: T): boolean {
    const member = this.#members.get(written.metadata.namespace ?? '');
    return member === undefined || member.informer.reflects(written);
  }

  onAdvance(listener: () => void): () => void {
    return this.#onEach((informer) => informer.onAdvance(listener));
  }

  onVanished(listener: (changes: readonly Change<T>[]) => void): () => void {
    return this.#onEach((informer) => informer.onVanished(listener));
  }

  /** Works until `signal` aborts. The informers behind this source are run by their owner. */
  async run(signal: AbortSignal): Promise<void> {
    this.#handlers.start();
    try {
      await aborted(signal);
    } finally {
      this.#stopped = true;
      this.#handlers.stop();
      for (const cancel of this.#cancels) cancel();
      for (const { release } of this.#members.values()) release();
      this.#waiting.changed();
    }
  }

  #follow(namespace: string, informer: SharedInformer<T>): readonly (() => void)[] {
    const cancel = informer.onStateChange(() => this.#memberChanged());
    const unfollow = informer.follow({
      publish: (changes) => this.#handlers.publish(changes),
      synced: () => {
        this.#published.add(namespace);
        this.#memberChanged();
      },
    });
    if (informer.synced) this.#published.add(namespace);
    return [cancel, unfollow];
  }

  #onEach(listen: (informer: SharedInformer<T>) => () => void): () => void {
    const cancels = this.#informers().map(listen);
    return () => {
      for (const cancel of cancels) cancel();
    };
  }

  #memberChanged(): void {
    if (this.synced && this.#published.size === this.#members.size) {
      this.#handlers.markSynced();
    }
    this.#waiting.changed();
  }

  #informers(): SharedInformer<T>[] {
    return [...this.#members.values()].map(({ informer }) => informer);
  }

  #find(key: ObjectKey, storeOf = cached<T>): T | undefined {
    const member = this.#members.get(splitKey(key).namespace ?? '');
    const store = member === undefined ? undefined : storeOf(member.informer);
    return store?.synced === true ? store.get(key) : undefined;
  }

  /** The stores of the informers whose first list is complete. */
  #stores(storeOf = cached<T>): Store<T>[] {
    return this.#informers()
      .map(storeOf)
      .filter(({ synced }) => synced);
  }

  #view(storeOf: StoreOf<T>): Store<T> {
    const isSynced = (): boolean => this.synced;
    const stores = (): Store<T>[] => {
      if (isSynced()) return this.#stores(storeOf);
      throw notSynced(this.#name, this.#stopped);
    };
    return {
      get synced() {
        return isSynced();
      },
      get: (of, options) => {
        stores();
        return copied(this.#find(keyFrom(of), storeOf), options);
      },
      list: (query) => stores().flatMap((store) => store.list(query)),
      byIndex: (name, value) => {
        if (!this.#indexes.has(name)) throw unknownIndex(name, [...this.#indexes.keys()]);
        return stores().flatMap((store) => store.byIndex(name, value));
      },
    };
  }
}

/** Selects one of the two stores of an informer. */
type StoreOf<T extends KubernetesObject> = (informer: SharedInformer<T>) => Store<T>;

function cached<T extends KubernetesObject>({ store }: SharedInformer<T>): Store<T> {
  return store;
}

/** All states. The state that most needs attention comes first. */
const STATES: readonly SourceState[] = [
  'stopped',
  'forbidden',
  'unserved',
  'waiting',
  'idle',
  'listing',
  'watching',
];
const HEALTHS: readonly ReflectorStatus['health'][] = [
  'stopped',
  'forbidden',
  'failing',
  'unserved',
  'starting',
  'healthy',
];

const HEALTHY: ReflectorStatus = {
  health: 'healthy',
  reason: undefined,
  error: undefined,
  retryInMs: undefined,
};

type Informers = readonly Pick<
  SharedInformer<never>,
  'state' | 'status' | 'lastContactAt' | 'resourceVersion'
>[];

/**
 * The state that most needs attention among the states of the informers. Without informers it is `watching`,
 * because there is nothing to wait for.
 */
function combinedState(informers: Informers): SourceState {
  return STATES.find((state) => informers.some((one) => one.state === state)) ?? 'watching';
}

/** The worst status among those of the informers. Without informers it is healthy. */
function combinedStatus(informers: Informers): ReflectorStatus {
  const all = informers.map(({ status }) => status);
  const rank = ({ health }: ReflectorStatus): number => HEALTHS.indexOf(health);
  return all.reduce((a, b) => (rank(b) < rank(a) ? b : a), all[0] ?? HEALTHY);
}

/**
 * The earliest time of an informer's last contact with the server; undefined when an informer has had no
 * contact.
 */
function earliestContactAt(informers: Informers): number | undefined {
  const all = informers.map(({ lastContactAt }) => lastContactAt ?? Number.NEGATIVE_INFINITY);
  const earliest = Math.min(...all);
  return Number.isFinite(earliest) ? earliest : undefined;
}

/** The resourceVersion that all informers have reached; undefined when an informer has none. */
function oldestResourceVersion(informers: Informers): string | undefined {
  const [first, ...others] = informers.map(({ resourceVersion }) => resourceVersion);
  return others.reduce((a, b) => {
    if (a === undefined || b === undefined) return undefined;
    return (compareResourceVersions(b, a) ?? 0) < 0 ? b : a;
  }, first);
}

/** A reference to an informer that several users may share. */
export interface InformerHandle<T extends KubernetesObject> {
  readonly informer: SharedInformer<T>;
  /** Must be called once, when the informer is no longer used. */
  release(): void;
}

export interface NamespacesInformerOptions<T extends KubernetesObject> {
  /** The name of the source in errors. */
  readonly name: string;
  readonly clock: Clock;
  readonly random?: () => number;
  /** The namespaces whose objects this source contains, in this order. */
  readonly namespaces: readonly string[];
  readonly open: (namespace: string) => InformerHandle<T>;
  readonly handlerFailed: (error: unknown) => void;
}
