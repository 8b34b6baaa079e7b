import { aborted } from '../core/abort.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type KubernetesObject, type ObjectKey, splitKey } from '../model/object.ts';
import type { ReflectorStatus } from '../watch/reflector-status.ts';
import type { Change } from './cache.ts';
import {
  combinedState,
  combinedStatus,
  earliestContactAt,
  oldestResourceVersion,
} from './combined-status.ts';
import type { ChangeHandler } from './delivery.ts';
import { type HandlerOptions, type HandlerRegistration, Handlers } from './handlers.ts';
import { ensureIndex, type IndexFunction } from './indices.ts';
import type { InformerLease, NamespacesInformerOptions } from './informer-lease.ts';
import type { SharedInformer, SourceState } from './shared-informer.ts';
import { copied, notSynced, type Store, unknownIndex } from './store.ts';
import { Waiting } from './waiting.ts';

interface Member<T extends KubernetesObject> extends InformerLease<T> {
  readonly cancel: () => void;
  registration?: HandlerRegistration;
}

/**
 * Several namespaces of one resource behind one store: an informer for each.
 *
 * It is synced when all of them are. A namespace that is added later appears in the store at once,
 * when its own first list is there, and takes nothing from the others before that; one that is
 * removed disappears, and handlers are told of deletes.
 */
export class NamespacesInformer<T extends KubernetesObject> implements SharedInformer<T> {
  readonly store: Store<T>;
  readonly storeWithOwnWrites: Store<T>;
  readonly #options: NamespacesInformerOptions<T>;
  readonly #members = new Map<string, Member<T>>();
  readonly #handlers: Handlers<T>;
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #waiting = new Waiting();
  readonly #advancing = new Set<() => void>();
  readonly #vanishing = new Set<(changes: readonly Change<T>[]) => void>();
  /** Namespaces whose first list all handlers have been told of. */
  readonly #told = new Set<string>();
  /** What `setNamespaces` was told; all of it may not be among the members yet. */
  #wanted: readonly string[] | undefined;
  #wasSynced = false;
  #stopped = false;

  constructor(options: NamespacesInformerOptions<T>) {
    const { clock, handlerFailed: failed, random = Math.random } = options;
    this.#options = options;
    this.store = this.#view(cached);
    this.storeWithOwnWrites = this.#view((informer) => informer.storeWithOwnWrites);
    this.#handlers = new Handlers({
      clock,
      random,
      objects: () => (this.#stopped ? undefined : this.entries()),
      get: (key) => this.cached(key),
      synced: () => this.synced,
      failed,
      changed: () => this.#waiting.changed(),
    });
  }

  /** The namespaces that it shows, in the order in which they were added. */
  get namespaces(): readonly string[] {
    return [...this.#members.keys()];
  }

  get synced(): boolean {
    this.#wasSynced ||= this.#wantedEvery((namespace) => {
      return this.#members.get(namespace)?.informer.synced === true;
    });
    // One that has stopped shows nothing, which must not pass for a namespace without objects.
    const working = this.#informers().every(({ state }) => state !== 'stopped');
    return this.#wasSynced && working && !this.#stopped;
  }

  /** Of the namespace that needs attention most. */
  get state(): SourceState {
    return this.#stopped ? 'stopped' : combinedState(this.#informers());
  }

  /** Of the namespace that is worst off. */
  get status(): ReflectorStatus {
    return combinedStatus(this.#informers());
  }

  /** Of the namespace that was heard of longest ago. */
  get lastContactAt(): number | undefined {
    return earliestContactAt(this.#informers());
  }

  /** Of the namespace that is furthest behind. */
  get resourceVersion(): string | undefined {
    return oldestResourceVersion(this.#informers());
  }

  /** Adds and removes namespaces, so that exactly `namespaces` are shown. */
  setNamespaces(namespaces: readonly string[]): void {
    this.#wanted = [...namespaces];
    for (const namespace of this.namespaces) {
      if (!namespaces.includes(namespace)) this.#remove(namespace);
    }
    for (const namespace of namespaces) {
      if (!this.#members.has(namespace)) this.#add(namespace);
    }
    this.#memberChanged();
  }

  cached(key: ObjectKey): T | undefined {
    return this.#members.get(splitKey(key).namespace ?? '')?.informer.cached(key);
  }

  /** Of those namespaces that have their first list. */
  *entries(): Generator<readonly [ObjectKey, T], void, undefined> {
    for (const informer of this.#informers()) yield* informer.entries();
  }

  addHandler(handler: ChangeHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    return this.#handlers.add(handler, options);
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

  /** In its namespace; one that is not shown is none of ours. */
  reflects(written: T): boolean {
    const member = this.#members.get(written.metadata.namespace ?? '');
    return member === undefined || member.informer.reflects(written);
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

  /** Works until `signal` aborts; the informers behind it are run by who leases them out. */
  async run(signal: AbortSignal): Promise<void> {
    this.#handlers.start();
    try {
      await aborted(signal);
    } finally {
      this.#stopped = true;
      this.#handlers.stop();
      for (const member of this.#members.values()) leave(member);
      this.#waiting.changed();
    }
  }

  #add(namespace: string): void {
    const { informer, release } = this.#options.lease(namespace);
    for (const [name, of] of this.#indexes) ensureIndex(informer, name, of);
    const cancels = [
      informer.onStateChange(() => this.#memberChanged()),
      informer.onAdvance(() => this.#advanced()),
      informer.onVanished((changes) => {
        for (const listener of [...this.#vanishing]) listener(changes);
      }),
    ];
    const cancel = (): void => {
      for (const each of cancels) each();
    };
    // Known before it has a handler: the store shows objects before anybody is told of them.
    const member: Member<T> = { informer, release, cancel };
    this.#members.set(namespace, member);
    member.registration = informer.addHandler((changes) => this.#publish(changes), {
      holdBack: true,
      held: true, // whether they are read is for its own handlers to say
      inOneTurn: true, // a handler that is added meanwhile sees in the stores what all were told of
      onSynced: () => {
        this.#told.add(namespace);
        this.#memberChanged();
      },
    });
  }

  #remove(namespace: string): void {
    const member = this.#members.get(namespace);
    if (member === undefined) return;
    const lost = [...member.informer.entries()];
    leave(member);
    this.#members.delete(namespace);
    this.#told.delete(namespace);
    const gone = lost.map(([key, object]): Change<T> => {
      return { type: 'delete', key, object, finalStateUnknown: true };
    });
    void this.#publish(gone);
    this.#advanced();
  }

  #advanced(): void {
    for (const listener of [...this.#advancing]) listener();
  }

  #publish(changes: readonly Change<T>[]): void | Promise<void> {
    return this.#handlers.publish(changes)?.then(() => {});
  }

  #memberChanged(): void {
    if (this.synced && this.#wantedEvery((namespace) => this.#told.has(namespace))) {
      this.#handlers.markSynced();
    }
    this.#waiting.changed();
  }

  #wantedEvery(condition: (namespace: string) => boolean): boolean {
    return this.#wanted?.every(condition) ?? false;
  }

  #informers(): SharedInformer<T>[] {
    return [...this.#members.values()].map(({ informer }) => informer);
  }

  #find(key: ObjectKey, storeOf = cached<T>): T | undefined {
    const member = this.#members.get(splitKey(key).namespace ?? '');
    const store = member === undefined ? undefined : storeOf(member.informer);
    return store?.synced === true ? store.get(key) : undefined;
  }

  /** Those that have their first list. */
  #stores(storeOf = cached<T>): Store<T>[] {
    return this.#informers()
      .map(storeOf)
      .filter(({ synced }) => synced);
  }

  #view(storeOf: StoreOf<T>): Store<T> {
    const isSynced = (): boolean => this.synced;
    const stores = (): Store<T>[] => {
      if (isSynced()) return this.#stores(storeOf);
      throw notSynced(this.#options.name, this.#stopped);
    };
    return {
      get synced() {
        return isSynced();
      },
      get: (key, options) => {
        stores();
        return copied(this.#find(key, storeOf), options);
      },
      list: (query) => stores().flatMap((store) => store.list(query)),
      byIndex: (name, value) => {
        if (!this.#indexes.has(name)) throw unknownIndex(name, [...this.#indexes.keys()]);
        return stores().flatMap((store) => store.byIndex(name, value));
      },
    };
  }
}

/** Which of the stores of an informer. */
type StoreOf<T extends KubernetesObject> = (informer: SharedInformer<T>) => Store<T>;

function cached<T extends KubernetesObject>({ store }: SharedInformer<T>): Store<T> {
  return store;
}

function leave({ cancel, registration, release }: Member<KubernetesObject>): void {
  cancel();
  registration?.remove();
  release();
}
