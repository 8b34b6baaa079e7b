import { keyOf, type ObjectKey } from '../../../model/object.ts';
import type { ResourceName, StoredObject } from '../cluster-access.ts';
import { Collection, type StorageEvent } from './collection.ts';

export type StorageListener = (resource: ResourceName, event: StorageEvent) => void;

export interface StorageOptions {
  /** Events kept for each resource. */
  readonly historyLimit: number;
}

/**
 * What etcd and the watch cache are to a real API server: objects by resource, one revision counter
 * for all of them, and a bounded history.
 *
 * Every change takes the next revision and becomes the object's resourceVersion. Nothing here knows
 * what a change means: validation and no-op detection are the verbs' part. Listeners hear of
 * commits in order, also when one of them writes.
 */
export class Storage {
  readonly #historyLimit: number;
  readonly #collections = new Map<ResourceName, Collection>();
  readonly #listeners = new Set<StorageListener>();
  /** Committed, not yet delivered: a listener that writes only adds to it. */
  readonly #undelivered: [ResourceName, StorageEvent][] = [];
  #delivering = false;
  #revision = 1;
  /** Nothing up to this revision is remembered of any resource. */
  #compacted = 1;

  constructor({ historyLimit }: StorageOptions) {
    this.#historyLimit = historyLimit;
  }

  /** The revision of the latest change of any resource. */
  get revision(): number {
    return this.#revision;
  }

  get(resource: ResourceName, key: ObjectKey): StoredObject | undefined {
    return this.#collections.get(resource)?.get(key);
  }

  /** In the order of namespace and name. */
  list(resource: ResourceName, namespace?: string): readonly StoredObject[] {
    return this.#collection(resource).list(namespace);
  }

  /** The list as it was at `revision`; undefined when the history does not reach back so far. */
  listAt(
    resource: ResourceName,
    revision: number,
    namespace?: string,
  ): readonly StoredObject[] | undefined {
    return this.#collection(resource).listAt(revision, namespace);
  }

  /** What happened to a resource after `revision`; undefined when some of it is forgotten. */
  eventsAfter(resource: ResourceName, revision: number): readonly StorageEvent[] | undefined {
    return this.#collection(resource).eventsAfter(revision);
  }

  /** The oldest revision that a watch of the resource may resume from. */
  oldestRevision(resource: ResourceName): number {
    return this.#collection(resource).floor;
  }

  /** Stores a new object, or a new state of one. @returns it with its new resourceVersion. */
  put(resource: ResourceName, object: StoredObject): StoredObject {
    const key = keyOf(object);
    const previous = this.get(resource, key);
    const revision = ++this.#revision;
    const stored = withRevision(object, revision);
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#commit(resource, { type, revision, key, object: stored, previous });
    return stored;
  }

  /** Removes an object. @returns its last state with the resourceVersion of the deletion. */
  delete(resource: ResourceName, key: ObjectKey): StoredObject | undefined {
    const previous = this.get(resource, key);
    if (previous === undefined) return undefined;
    const revision = ++this.#revision;
    const last = withRevision(previous, revision);
    this.#commit(resource, { type: 'DELETED', revision, key, object: last, previous });
    return last;
  }

  /** Forgets all history: older resourceVersions and continue tokens are answered with 410. */
  compact(): void {
    this.#compacted = this.#revision;
    for (const collection of this.#collections.values()) collection.compact(this.#revision);
  }

  /** @returns the end of the subscription. */
  subscribe(listener: StorageListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #collection(resource: ResourceName): Collection {
    let collection = this.#collections.get(resource);
    if (collection === undefined) {
      collection = new Collection(this.#compacted, this.#historyLimit);
      this.#collections.set(resource, collection);
    }
    return collection;
  }

  #commit(resource: ResourceName, event: StorageEvent): void {
    this.#collection(resource).apply(event);
    this.#undelivered.push([resource, event]);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#undelivered.shift(); next; next = this.#undelivered.shift()) {
        for (const listener of this.#listeners) listener(...next);
      }
    } finally {
      this.#delivering = false;
    }
  }
}

function withRevision(object: StoredObject, revision: number): StoredObject {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  return { ...object, metadata };
}
