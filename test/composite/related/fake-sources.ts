import { FakeClock } from '@chancery/testing';
import type { ReconcileContext } from '../../../operator/controller/reconciler.ts';
import type { Source } from '../../../operator/controller/source.ts';
import type { Enqueue, Trigger } from '../../../operator/controller/trigger.ts';
import { Entry } from '../../../operator/model/entry.ts';
import { type KubernetesObject, keyFrom, type ObjectKey } from '../../../operator/model/object.ts';
import { Added, type Change, Deleted, Updated } from '../../../operator/store/change.ts';
import { Indices } from '../../../operator/store/indices.ts';
import type { InformerHandle } from '../../../operator/store/namespaces-informer.ts';
import { storeOf } from '../../../operator/store/store.ts';

type Handler = (changes: readonly Change[]) => void;

/** A source whose state and objects a test decides. Its store is a real one. */
export class FakeSource {
  readonly source: Source;
  state: 'listing' | 'watching' | 'forbidden' | 'unserved' = 'listing';
  released = 0;
  readonly #entries = new Map<ObjectKey, Entry>();
  readonly #indices = new Indices<KubernetesObject>((_, error) => {
    throw error;
  });
  readonly #handlers = new Map<Handler, (() => void) | undefined>();

  constructor(source: Source, objects: readonly KubernetesObject[] = []) {
    this.source = source;
    for (const [name, of] of Object.entries(source.indexes ?? {})) {
      this.#indices.add(name, of).complete = true;
    }
    for (const object of objects) this.#take(new Added(Entry.of(object), true));
  }

  readonly store = storeOf<KubernetesObject>({
    name: 'fake',
    state: () => (this.state === 'watching' ? 'synced' : 'unsynced'),
    entries: () => this.#entries,
    indices: this.#indices,
  });

  get handle(): InformerHandle<KubernetesObject> {
    const { store } = this;
    const fake = this;
    const informer = {
      store,
      get synced() {
        return fake.state === 'watching';
      },
      get state() {
        return fake.state;
      },
      cached: (key: ObjectKey) => this.#entries.get(key),
      addHandler: (handler: Handler, { onSynced }: { readonly onSynced?: () => void } = {}) => {
        this.#handlers.set(handler, onSynced);
        if (this.state === 'watching') this.#first(handler);
        return { synced: true, pending: 0, remove: () => void this.#handlers.delete(handler) };
      },
    };
    return {
      informer: informer as unknown as InformerHandle<KubernetesObject>['informer'],
      release: () => {
        this.released += 1;
      },
    };
  }

  /** The first list arrives. */
  sync(): void {
    this.state = 'watching';
    for (const handler of this.#handlers.keys()) this.#first(handler);
  }

  put(object: KubernetesObject): void {
    const entry = Entry.of(object);
    const old = this.#entries.get(entry.key);
    this.#deliver(old === undefined ? new Added(entry, false) : new Updated(entry, old));
  }

  remove(object: KubernetesObject): void {
    this.#deliver(new Deleted(Entry.of(object), false));
  }

  #first(handler: Handler): void {
    handler([...this.#entries.values()].map((entry) => new Added(entry, true)));
    this.#handlers.get(handler)?.();
  }

  #take(change: Change): void {
    if (change.type === 'delete') this.#entries.delete(change.key);
    else this.#entries.set(change.key, change.entry);
    this.#indices.update([change]);
  }

  #deliver(change: Change): void {
    this.#take(change);
    for (const handler of this.#handlers.keys()) handler([change]);
  }
}

/** The part of a context that related objects are found with. */
export function contextAt(
  clock: FakeClock,
  store: ReconcileContext['store'] = () => {
    throw new Error('no declared source');
  },
): ReconcileContext {
  return { clock, store } as Partial<ReconcileContext> as ReconcileContext;
}

/** Runs a trigger until `stop`, and collects the keys that it enqueues. */
export function running(trigger: Trigger | undefined, clock: FakeClock = new FakeClock()) {
  const woken: ObjectKey[] = [];
  const stop = new AbortController();
  const enqueue: Enqueue = (keys) => void woken.push(...Array.from(keys, keyFrom));
  const ended = trigger?.run(enqueue, { clock, signal: stop.signal }) ?? Promise.resolve();
  return {
    /** The keys since the last call. */
    take: () => woken.splice(0).sort(),
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}
