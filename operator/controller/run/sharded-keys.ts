import type { Client } from '../../client/client.ts';
import { inSlices } from '../../core/time-slice.ts';
import { type KubernetesObject, type ObjectKey, splitKey } from '../../model/object.ts';
import type { WorkQueue } from '../../queue/work-queue.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Controller } from '../controller.ts';
import type { Cause } from '../policies/key-gate.ts';
import { isSameResource, type Source } from '../source.ts';
import type { Shards, Term } from './term.ts';
import { owners } from './wakes/mapped-keys.ts';

interface ShardedKeysOptions {
  readonly controller: Controller;
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly shards: Shards;
  /** Wraps a client so that reads from the stores of the process contain its writes. */
  readonly journaled: (client: Client) => Client;
  readonly queue: Pick<WorkQueue<ObjectKey>, 'isWaiting'>;
}

/**
 * Finds the group of a key. The group of an object depends on its uid or namespace. If the object of a key is
 * gone, the key keeps the group of the last object with this name. If a child enqueued the key, the owner
 * reference in the child decides.
 */
export class ShardedKeys {
  readonly #options: ShardedKeysOptions;
  /** Groups of waiting keys that had no object in the cache when they were enqueued. */
  readonly #gone = new Map<ObjectKey, number>();
  /** The terms, with the clients for this controller. */
  readonly #terms = new WeakMap<Term, Term>();

  constructor(options: ShardedKeysOptions) {
    this.#options = options;
  }

  /**
   * The group of a key. Undefined when nothing is known about its object. Then no replica works on the key.
   */
  groupOf(key: ObjectKey): number | undefined {
    const { controller, informers } = this.#options;
    const uid = informers.get(controller.for)?.cached(key)?.uid;
    return this.#groupOf(key, uid) ?? this.#gone.get(key);
  }

  /**
   * The group of a key, and whether its attempts may begin here. Undefined in the same cases as for
   * `groupOf`.
   */
  placeOf(key: ObjectKey): { readonly group: number; readonly isHere: boolean } | undefined {
    const group = this.groupOf(key);
    if (group === undefined) return undefined;
    return { group, isHere: this.#options.shards.termOf(group) !== undefined };
  }

  /**
   * Remembers the group of a key that is about to be enqueued because of a change. Returns true when this
   * process may work on the key.
   */
  admits(key: ObjectKey, cause: Cause): boolean {
    const { shards } = this.#options;
    const known = this.groupOf(key);
    const group = known ?? this.#groupBy(key, cause);
    if (group === undefined || shards.termOf(group) === undefined) return false;
    if (known === undefined) this.#gone.set(key, group);
    return true;
  }

  /** True if this process works on an object that is not in the cache. */
  worksOn(key: ObjectKey, uid: string | undefined): boolean {
    const group = this.#groupOf(key, uid) ?? this.#gone.get(key);
    return group !== undefined && this.#options.shards.termOf(group) !== undefined;
  }

  /** Like `admits`, for an object that is not in the cache. */
  admitsUncached(key: ObjectKey, uid: string | undefined): boolean {
    if (!this.worksOn(key, uid)) return false;
    const group = this.#groupOf(key, uid);
    if (group !== undefined) this.#gone.set(key, group);
    return true;
  }

  /** The term of the key's group; undefined when another replica works on the group. */
  termOf(key: ObjectKey): Term | undefined {
    const { journaled, shards } = this.#options;
    const group = this.groupOf(key);
    const term = group === undefined ? undefined : shards.termOf(group);
    if (term === undefined) {
      this.#gone.delete(key);
      return undefined;
    }
    const known = this.#terms.get(term) ?? { ...term, client: journaled(term.client) };
    this.#terms.set(term, known);
    return known;
  }

  /**
   * Call this when an attempt of a key with a term begins. Call the returned function when the
   * attempt has ended.
   */
  begin(key: ObjectKey): () => void {
    const { queue, shards } = this.#options;
    const group = this.groupOf(key);
    const ended = group === undefined ? undefined : shards.begin(group);
    return () => {
      ended?.();
      if (!queue.isWaiting(key)) this.#gone.delete(key);
    };
  }

  /**
   * Calls `enqueue` with every key of each group that this process takes over, and then calls
   * `others.opened`. If there are many keys, they are spread over several turns of the event loop. Call the
   * returned function to end this.
   */
  follow(enqueue: (key: ObjectKey) => void, others: { opened(): void }): () => void {
    let isOver = false;
    const end = this.#options.shards.onOpened((groups) => {
      const take = (key: ObjectKey | undefined): void => {
        if (key !== undefined && !isOver) enqueue(key);
      };
      void inSlices(this.#keysOf(groups), take).then(() => {
        if (!isOver) others.opened();
      });
    });
    return () => {
      isOver = true;
      end();
    };
  }

  /**
   * The keys of some groups: the keys of cached objects, and of missing owners of cached children. Yields
   * undefined for each object without such a key, so that the caller can pause there.
   */
  *#keysOf(groups: ReadonlySet<number>): Generator<ObjectKey | undefined, void, undefined> {
    const { controller, informers } = this.#options;
    const own = informers.get(controller.for);
    for (const { key } of own?.entries() ?? []) {
      yield isIn(groups, this.groupOf(key)) ? key : undefined;
    }
    for (const { source, anyOwner = false } of controller.owns) {
      for (const entry of informers.get(source)?.entries() ?? []) {
        yield undefined;
        if (entry.isUnreadable) continue; // it is listed again soon
        for (const { key, uid } of owners(entry.metadata, controller.for.resource, anyOwner)) {
          const group = this.#groupOf(key, uid);
          if (own?.cached(key) !== undefined || !isIn(groups, group)) continue;
          this.#gone.set(key, group);
          yield key;
        }
      }
    }
  }

  #groupOf(key: ObjectKey, uid: string | undefined): number | undefined {
    return this.#options.shards.groupOf({ uid, namespace: splitKey(key).namespace });
  }

  /**
   * The group of the object with this key. If the change is about a child, the group of the owner in the
   * child.
   */
  #groupBy(key: ObjectKey, { resource, change }: Cause): number | undefined {
    const { controller } = this.#options;
    const { entry } = change;
    if (isSameResource(resource, controller.for.resource) && change.key === key) {
      return this.#groupOf(key, entry.uid);
    }
    if (entry.isUnreadable) return undefined; // it is listed again soon
    const named = owners(entry.metadata, controller.for.resource, true);
    return this.#groupOf(key, named.find((owner) => owner.key === key)?.uid);
  }
}

function isIn(groups: ReadonlySet<number>, group: number | undefined): group is number {
  return group !== undefined && groups.has(group);
}
