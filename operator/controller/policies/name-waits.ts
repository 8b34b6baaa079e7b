import type { Cancel, Clock } from '../../core/clock.ts';
import {
  controllerOf,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
} from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { isOlder } from '../../model/resource-version.ts';
import { LOW_PRIORITY } from '../../queue/work-queue.ts';
import type { Change } from '../../store/change.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Controller } from '../controller.ts';
import { isSameResource, type Source } from '../source.ts';

/** Names that are waited for at once; beyond that the oldest is forgotten, and its key has its back-off. */
const MAX_WAITS = 10_000;

/**
 * When a key looks again although nothing tells of what is in its way: no cache has that object, because
 * its life fell between two lists, or the source does not select it. Doubled each time.
 */
const LOOK_MS = { first: 30_000, last: 1_000_000 } as const;

/** A key that could not have the name of a child. */
interface Wait {
  readonly key: ObjectKey;
  readonly name: string;
  /** Of the object in the way, as the attempt found it; empty when that was gone again. */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly controller: string | undefined;
  /** Looks in a row that found the same object. */
  looks: number;
  /** The attempt that is under way, or was the last, has run into it. */
  isCurrent: boolean;
  cancelLook: Cancel | undefined;
}

interface NameWaitsOptions {
  readonly clock: Clock;
  readonly controller: Controller;
  /** Of the controller's sources; may be filled later. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  /** Enqueues a key that is to look again. */
  readonly again: (key: ObjectKey, priority: number) => void;
}

/**
 * Who waits for which name. A child cannot be made while somebody else's object has its name; that
 * object enqueues its own owner, if any, and so nobody would tell the one who waits.
 *
 * A wait lasts until the object goes or changes whose it is, or until an attempt of the key does not
 * run into it any more. It is noted at the refusal, in the middle of an attempt: a change from then on
 * enqueues the key, which is reconciled once more after the attempt. A change before that is found by
 * comparing the caches with what was refused.
 */
export class NameWaits {
  readonly #options: NameWaitsOptions;
  /** The key that was refused last is the last. */
  readonly #byKey = new Map<ObjectKey, Map<string, Wait>>();
  readonly #byName = new Map<string, Set<Wait>>();
  #count = 0;

  constructor(options: NameWaitsOptions) {
    this.#options = options;
  }

  /** An attempt of `key` begins. */
  began(key: ObjectKey): void {
    if (this.#count === 0) return; // nearly always, and every attempt asks
    for (const wait of this.#byKey.get(key)?.values() ?? []) wait.isCurrent = false;
  }

  /** It has ended: what it did not run into is not waited for. */
  ended(key: ObjectKey): void {
    if (this.#count === 0) return;
    for (const wait of [...(this.#byKey.get(key)?.values() ?? [])]) {
      if (!wait.isCurrent) this.#forget(wait);
    }
  }

  /**
   * The attempt of `key` was refused the name of `child`. Only a resource that the controller owns can
   * be waited for: of others nobody tells.
   *
   * @param by - what has the name; undefined when that was gone as soon as it was asked for.
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
      looks: before?.uid === uid ? before.looks : 0,
      isCurrent: true,
      cancelLook: undefined,
    };
    this.#remember(wait);
    const knowledge = caches.map((cache) => knowledgeOf(cache, keyOf(child), wait));
    if (knowledge.includes('blocked')) return; // and the end will be an event
    const isFree = wait.looks === 0 && (uid === '' || knowledge.includes('newer'));
    // Once: a cache that does not select the object takes it for gone, again and again.
    const afterMs = isFree ? 0 : Math.min(LOOK_MS.first * 2 ** wait.looks, LOOK_MS.last);
    wait.cancelLook = this.#options.clock.schedule(afterMs, () => {
      wait.cancelLook = undefined;
      wait.looks++;
      this.#options.again(key, isFree ? 0 : LOW_PRIORITY);
    });
  }

  /** The keys that waited for what `change` sets free. */
  freedBy(resource: Resource, change: Change): readonly ObjectKey[] {
    if (this.#count === 0) return [];
    const freed: ObjectKey[] = [];
    for (const wait of [...(this.#byName.get(nameOf(resource, change.key)) ?? [])]) {
      if (isFreed(wait, change)) {
        this.#forget(wait);
        freed.push(wait.key);
      } else {
        wait.cancelLook?.(); // a cache has it now
        wait.cancelLook = undefined;
      }
    }
    return freed;
  }

  /** Forgets all. No timer is left behind. */
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
    wait.cancelLook?.();
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

/** What a cache says of an object in the way: it has it, has something newer, or is not as far yet. */
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

/** The same object, and of the same controller, or of none. */
function isInTheWay({ uid, controller }: Wait, metadata: ObjectMeta): boolean {
  return metadata.uid === uid && controllerOf({ metadata })?.uid === controller;
}
