import type { Cancel, Clock } from '../../core/clock.ts';
import {
  controllerOf,
  isOlder,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
} from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { LOW_PRIORITY } from '../../queue/work-queue.ts';
import type { Change } from '../../store/change.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Controller } from '../controller.ts';
import { isSameResource, type Source } from '../source.ts';
import type { KeyPolicy } from './key-gate.ts';

/**
 * Maximum number of waits. If there are more, the oldest wait is forgotten, and its key is retried only after
 * its back-off.
 */
const MAX_WAITS = 10_000;

/**
 * Delays of retries if no event can report that the conflicting object is removed. This is the case if no
 * cache has the object, because it existed only between two lists, or because no source selects it. The delay
 * doubles each time.
 */
const RETRY_MS = { first: 30_000, last: 1_000_000 } as const;

/** A key whose child could not be created because its name is taken. */
interface Wait {
  readonly key: ObjectKey;
  readonly name: string;
  /** Uid of the conflicting object when the attempt found it; empty if it was already gone. */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly controller: string | undefined;
  /** Number of retries in a row that found the same object. */
  retries: number;
  /**
   * True if the object has prevented a write in the running attempt, or, if none is running, in the last
   * attempt.
   */
  isCurrent: boolean;
  cancelRetry: Cancel | undefined;
}

interface TakenNamesOptions {
  readonly clock: Clock;
  readonly controller: Controller;
  /** The informers of the controller's sources. The map may be filled later. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  /** Enqueues a key to retry it. */
  readonly enqueue: (key: ObjectKey, priority: number) => void;
}

/**
 * If a child's name is taken, the key is retried when the name becomes free. Nothing else would retry it,
 * because events of the conflicting object enqueue only that object's own owner.
 *
 * A wait ends when the object is removed or changes its controller, or when an attempt of the key no longer
 * conflicts with the object. It begins when the child is refused, in the middle of an attempt. A later change
 * enqueues the key, which is reconciled again after the attempt. To notice an earlier change, the caches are
 * compared with the conflicting object.
 */
export class TakenNames implements KeyPolicy {
  readonly name = 'taken-names';
  readonly #options: TakenNamesOptions;
  /** The waits of each key. Keys are ordered by their last refusal. */
  readonly #byKey = new Map<ObjectKey, Map<string, Wait>>();
  readonly #byName = new Map<string, Set<Wait>>();
  #count = 0;

  constructor(options: TakenNamesOptions) {
    this.#options = options;
  }

  started(key: ObjectKey): void {
    if (this.#count === 0) return; // the usual case
    for (const wait of this.#byKey.get(key)?.values() ?? []) wait.isCurrent = false;
  }

  /** Ends the key's waits for names with which its latest attempt did not conflict any more. */
  finished(key: ObjectKey): void {
    if (this.#count === 0) return;
    for (const wait of [...(this.#byKey.get(key)?.values() ?? [])]) {
      if (!wait.isCurrent) this.#forget(wait);
    }
  }

  /**
   * Remembers that an attempt of `key` could not get the name of `child`. Waits only if the controller owns
   * the resource, because other resources send no events.
   *
   * @param by - the object that already has the name of the child; undefined if it was gone before it could
   * be read.
   */
  refused(
    key: ObjectKey,
    resource: Resource,
    child: KubernetesObject,
    by: KubernetesObject | undefined,
  ): void {
    const caches = this.#cachesOf(resource);
    if (caches.length === 0) return;
    const name = nameOf(resource, keyOf(child));
    const { uid = '', resourceVersion = '' } = by?.metadata ?? {};
    const before = this.#byKey.get(key)?.get(name);
    if (before !== undefined) this.#forget(before);
    const wait: Wait = {
      key,
      name,
      uid,
      resourceVersion,
      controller: by && controllerOf(by)?.uid,
      retries: before?.uid === uid ? before.retries : 0,
      isCurrent: true,
      cancelRetry: undefined,
    };
    this.#remember(wait);
    const knowledge = caches.map((cache) => knowledgeOf(cache, keyOf(child), wait));
    if (knowledge.includes('blocked')) return; // its end will be an event
    const isFree = wait.retries === 0 && (uid === '' || knowledge.includes('newer'));
    // The key is retried at once only the first time. If a cache does not select the object, it would report
    // it as gone each time.
    const afterMs = isFree ? 0 : Math.min(RETRY_MS.first * 2 ** wait.retries, RETRY_MS.last);
    wait.cancelRetry = this.#options.clock.schedule(afterMs, () => {
      wait.cancelRetry = undefined;
      wait.retries++;
      this.#options.enqueue(key, isFree ? 0 : LOW_PRIORITY);
    });
  }

  /** The keys that were waiting for a name that `change` releases. */
  freedBy(resource: Resource, change: Change): readonly ObjectKey[] {
    if (this.#count === 0) return [];
    const freed: ObjectKey[] = [];
    for (const wait of [...(this.#byName.get(nameOf(resource, change.key)) ?? [])]) {
      if (isFreed(wait, change)) {
        this.#forget(wait);
        freed.push(wait.key);
      } else {
        wait.cancelRetry?.(); // a cache has it now
        wait.cancelRetry = undefined;
      }
    }
    return freed;
  }

  stop(): void {
    for (const waits of [...this.#byKey.values()]) {
      for (const wait of [...waits.values()]) this.#forget(wait);
    }
  }

  #cachesOf(resource: Resource): readonly SharedInformer<KubernetesObject>[] {
    const { controller, informers } = this.#options;
    return controller.owns
      .filter(({ source }) => isSameResource(source.resource, resource))
      .map(({ source }) => informers.get(source))
      .filter((informer) => informer !== undefined);
  }

  #remember(wait: Wait): void {
    const ofKey = this.#byKey.get(wait.key) ?? new Map<string, Wait>();
    this.#byKey.delete(wait.key);
    this.#byKey.set(wait.key, ofKey.set(wait.name, wait));
    const ofName = this.#byName.get(wait.name) ?? new Set();
    this.#byName.set(wait.name, ofName.add(wait));
    if (++this.#count <= MAX_WAITS) return;
    const [oldest] = this.#byKey.values();
    const [first] = oldest?.values() ?? [];
    if (first !== undefined) this.#forget(first);
  }

  #forget(wait: Wait): void {
    const { key, name } = wait;
    wait.cancelRetry?.();
    const ofKey = this.#byKey.get(key);
    if (ofKey?.delete(name)) this.#count--;
    if (ofKey?.size === 0) this.#byKey.delete(key);
    const ofName = this.#byName.get(name);
    ofName?.delete(wait);
    if (ofName?.size === 0) this.#byName.delete(name);
  }
}

function nameOf(resource: Resource, key: ObjectKey): string {
  return `${resourceName(resource)} ${key}`;
}

/**
 * How the cache explains that a name is taken. `blocked`: the cache has the conflicting object. `newer`: the
 * cache has a later state. `older`: the cache has an earlier state, because it lags behind.
 */
function knowledgeOf(
  cache: SharedInformer<KubernetesObject>,
  key: ObjectKey,
  wait: Wait,
): 'blocked' | 'newer' | 'older' {
  const entry = cache.cached(key);
  if (entry !== undefined && isInTheWay(wait, entry.metadata)) return 'blocked';
  const version = entry?.resourceVersion ?? cache.resourceVersion;
  return version === undefined || isOlder(version, wait.resourceVersion) ? 'older' : 'newer';
}

function isFreed(wait: Wait, { type, entry }: Change): boolean {
  if (type === 'delete') return true;
  return !isInTheWay(wait, entry.metadata) && !isOlder(entry.resourceVersion, wait.resourceVersion);
}

/** True if the object with this metadata has the awaited name, and still has the same controller. */
function isInTheWay({ uid, controller }: Wait, metadata: ObjectMeta): boolean {
  return metadata.uid === uid && controllerOf({ metadata })?.uid === controller;
}
