import type { Cancel, Clock } from '../core/clock.ts';
import { type Labels, type Meter, noMeter } from '../core/metrics.ts';
import type { Entry } from '../model/entry.ts';
import {
  isOlder,
  isOrdered,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  objectKey,
} from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import type { PendingWrite, WriteJournal, WriteTarget } from '../model/write-journal.ts';

/** A cache forgets what it was told of a write after so long; by then something else is wrong. */
export const OWN_WRITES_TTL_MS: number = 60_000;

/**
 * An object whose name the server has made up is remembered for longer: who forgets it makes
 * another. client-go's figure for what a controller expects to see.
 */
export const EXPECTATION_TTL_MS: number = 5 * 60_000;

/** What of an answer to a write a cache would show. */
export type CachedForm<T extends KubernetesObject> =
  /** As it would be cached; undefined when it is none of the cache's objects. */
  | { readonly entry: Entry<T> | undefined }
  /** Nobody here can tell: the cache is left as it is. */
  | undefined;

interface OwnWritesOptions<T extends KubernetesObject> {
  readonly clock: Clock;
  readonly meter?: Meter;
  readonly labels?: Labels;
  /** What is cached under a key. */
  readonly cached: (key: ObjectKey) => Entry<T> | undefined;
  /** How far the cache is; undefined before the first list. */
  readonly resourceVersion: () => string | undefined;
  readonly formOf: (answer: T) => CachedForm<T>;
  /** Who keeps the cache is at work: nothing is remembered otherwise. */
  readonly active: () => boolean;
}

interface Answer<T extends KubernetesObject> {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Undefined for one that has left the selection of the source by our write. */
  readonly entry: Entry<T> | undefined;
  readonly expiresAt: number;
}

interface Removal {
  readonly key: ObjectKey;
  /** Of the answer that told of the end; undefined when we asked for the end. */
  readonly lastVersion: string | undefined;
  readonly expiresAt: number;
}

/** Between two sweeps at least: many writes that nobody ever hears of again are one timer. */
const SWEEP_SPACING_MS = 1_000;

/**
 * What this process wrote and a cache has yet to hear of, kept beside the cache and never in it: an
 * answer that comes late would take the cache back, or bring back what is deleted.
 *
 * A write is shown while the cache is older, by the order of resourceVersions, which everything
 * else follows from: when the cache has come as far, what it has, or has no more, is newer than the
 * answer. Where versions cannot be ordered nothing is shown but the cache.
 */
export class OwnWrites<T extends KubernetesObject> {
  readonly #options: OwnWritesOptions<T>;
  /** By key, the oldest answer first. */
  readonly #answers = new Map<ObjectKey, Answer<T>>();
  /** By uid: the objects that are deleted, or being deleted, by our doing. */
  readonly #removals = new Map<string, Removal>();
  #epoch = 0;
  #cancelSweep: Cancel | undefined;

  constructor(options: OwnWritesOptions<T>) {
    this.#options = options;
  }

  /** Changes when everything is forgotten: what was asked before is then not recorded any more. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Nothing but the cache is shown. */
  get isEmpty(): boolean {
    return this.#answers.size === 0 && this.#removals.size === 0;
  }

  /** How many answers and removals are remembered. */
  get size(): number {
    return this.#answers.size + this.#removals.size;
  }

  /** Keys that the cache may not have. */
  keys(): Iterable<ObjectKey> {
    return this.#answers.keys();
  }

  /** The uids that are known under a key: who deletes the key deletes them, or they are gone. */
  uidsOf(key: ObjectKey): readonly string[] {
    const uids = [this.#options.cached(key)?.uid, this.#answers.get(key)?.uid];
    return uids.filter((uid) => uid !== undefined && uid !== '') as string[];
  }

  /** What a reader sees under `key` where the cache has `cached`. */
  shown(key: ObjectKey, cached: Entry<T> | undefined): Entry<T> | undefined {
    const answer = this.#answers.get(key);
    const entry = answer !== undefined && this.#isNewer(answer, cached) ? answer.entry : cached;
    return entry === undefined || this.#isRemoved(entry) ? undefined : entry;
  }

  /** Remembers the whole object with which a write was answered. */
  wrote(answer: T): void {
    const { active, clock, formOf } = this.#options;
    const { uid, resourceVersion = '', generateName } = answer.metadata;
    if (!active() || uid === undefined || !isOrdered(resourceVersion)) return;
    const key = keyOf(answer);
    if (isLastAnswer(answer)) {
      // It carries the resourceVersion of before: nothing tells the two apart but this.
      this.#remove(uid, { key, lastVersion: resourceVersion });
      return;
    }
    const known = this.#answers.get(key);
    if (known !== undefined && !isOlder(known.resourceVersion, resourceVersion)) return;
    const unseen = this.#options.cached(key)?.uid !== uid;
    const ttlMs = unseen && generateName !== undefined ? EXPECTATION_TTL_MS : OWN_WRITES_TTL_MS;
    const expiresAt = clock.monotonic() + ttlMs;
    const form = formOf(answer);
    this.#answers.delete(key);
    if (form === undefined) return;
    const remembered: Answer<T> = { uid, resourceVersion, entry: form.entry, expiresAt };
    if (!this.#isNewer(remembered, this.#options.cached(key))) return;
    this.#answers.set(key, remembered);
    this.#planSweep();
  }

  /** Remembers that the objects of these uids were told to go. */
  deleted(key: ObjectKey, uids: Iterable<string>): void {
    if (!this.#options.active()) return;
    for (const uid of uids) this.#remove(uid, { key, lastVersion: undefined });
  }

  /**
   * The cache has come further. The answer is what was shown until now and is not in the cache: it
   * was deleted, and where the cache never had it, no change of the cache will ever tell.
   */
  advanced(): readonly Entry<T>[] {
    const version = this.#options.resourceVersion();
    if (version === undefined) return [];
    const vanished: Entry<T>[] = [];
    for (const [key, { uid, resourceVersion, entry }] of this.#answers) {
      if (isOlder(version, resourceVersion)) break;
      this.#answers.delete(key);
      const isThere = this.#options.cached(key)?.uid === uid;
      if (entry !== undefined && !isThere) vanished.push(entry);
    }
    return vanished;
  }

  /** Forgets everything, and what is under way: the world that it was about may be another. */
  clear(): void {
    this.#epoch++;
    this.#answers.clear();
    this.#removals.clear();
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
  }

  #remove(uid: string, removal: Omit<Removal, 'expiresAt'>): void {
    const expiresAt = this.#options.clock.monotonic() + OWN_WRITES_TTL_MS;
    this.#removals.set(uid, { ...removal, expiresAt });
    this.#planSweep();
  }

  #isNewer({ resourceVersion, expiresAt }: Answer<T>, cached: Entry<T> | undefined): boolean {
    const { clock, resourceVersion: reached } = this.#options;
    const version = reached();
    return (
      clock.monotonic() < expiresAt &&
      (version === undefined || isOlder(version, resourceVersion)) &&
      (cached === undefined || isOlder(cached.resourceVersion, resourceVersion))
    );
  }

  /** One that is on its way, behind its finalizers, is shown as soon as that is known. */
  #isRemoved(entry: Entry<T>): boolean {
    const removal = this.#removals.get(entry.uid);
    if (removal === undefined || this.#options.clock.monotonic() >= removal.expiresAt) return false;
    const { lastVersion } = removal;
    if (entry.metadata.deletionTimestamp === undefined) return true;
    return lastVersion !== undefined && !isOlder(lastVersion, entry.resourceVersion);
  }

  #planSweep(): void {
    if (this.#cancelSweep !== undefined) return;
    const { clock } = this.#options;
    const now = clock.monotonic();
    let nextAt = now + OWN_WRITES_TTL_MS; // nothing that comes meanwhile expires before
    for (const { expiresAt } of this.#answers.values()) nextAt = Math.min(nextAt, expiresAt);
    for (const { expiresAt } of this.#removals.values()) nextAt = Math.min(nextAt, expiresAt);
    this.#cancelSweep = clock.schedule(Math.max(nextAt - now, SWEEP_SPACING_MS), () => {
      this.#cancelSweep = undefined;
      this.#sweep(clock.monotonic());
      if (!this.isEmpty) this.#planSweep();
    });
  }

  #sweep(nowMs: number): void {
    const { cached, meter = noMeter, labels = {} } = this.#options;
    let expired = 0;
    for (const [key, answer] of this.#answers) {
      if (nowMs < answer.expiresAt) continue;
      this.#answers.delete(key);
      if (this.#isNewer({ ...answer, expiresAt: Number.POSITIVE_INFINITY }, cached(key))) expired++;
    }
    for (const [uid, { key, expiresAt }] of this.#removals) {
      if (nowMs < expiresAt) continue;
      this.#removals.delete(uid);
      const left = cached(key);
      if (left?.uid === uid && !isLeaving(left)) expired++;
    }
    if (expired > 0) meter.count('chancery_overlay_expired_total', labels, expired);
  }
}

/** One that nobody can read is not known to be. */
function isLeaving(entry: Entry): boolean {
  try {
    return entry.metadata.deletionTimestamp !== undefined;
  } catch {
    return false;
  }
}

/**
 * The answer to the write that took the last finalizer off a deleted object: the object is gone by
 * then, the answer shows it with the resourceVersion of before. One with a grace period left lives on.
 */
export function isLastAnswer({ metadata }: KubernetesObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata;
  return (
    deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0
  );
}

interface Member {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly ownWrites: OwnWrites<KubernetesObject>;
}

/** The ownWritesJournal of all sources of a process: each hears of every write to what it shows. */
export class OwnWritesJournal implements WriteJournal {
  readonly #members = new Set<Member>();

  /** Until the answer is called. @param namespace - undefined for all namespaces. */
  add(
    resource: Resource,
    namespace: string | undefined,
    ownWrites: OwnWrites<KubernetesObject>,
  ): () => void {
    const member = { resource: identityOf(resource), namespace, ownWrites };
    this.#members.add(member);
    return () => this.#members.delete(member);
  }

  /** Forgets all that was written, for when somebody else may have written since. */
  clear(): void {
    for (const { ownWrites } of this.#members) ownWrites.clear();
  }

  /**
   * A write that is about to be sent. What an ownWrites forgets before the answer it is not told of:
   * the answer may be about another world.
   */
  begin(resource: Resource, { namespace, name }: WriteTarget): PendingWrite {
    const begun = new Map<OwnWrites<KubernetesObject>, number>();
    const key = objectKey(namespace, name ?? '');
    const uids = new Set<string>();
    for (const ownWrites of this.#of(resource, namespace)) {
      begun.set(ownWrites, ownWrites.epoch);
      for (const uid of ownWrites.uidsOf(key)) uids.add(uid);
    }
    // A source that came meanwhile may have listed before the write.
    const told = (): OwnWrites<KubernetesObject>[] =>
      this.#of(resource, namespace).filter(
        (ownWrites) => (begun.get(ownWrites) ?? ownWrites.epoch) === ownWrites.epoch,
      );
    return {
      wrote: (object) => {
        for (const ownWrites of told()) ownWrites.wrote(object);
      },
      deleted: (uid) => {
        // Whatever stood under the key before is gone as well, be it that another was there by then.
        if (uid !== undefined) uids.add(uid);
        for (const ownWrites of told()) ownWrites.deleted(key, uids);
      },
    };
  }

  #of(resource: Resource, namespace: string | undefined): OwnWrites<KubernetesObject>[] {
    const wanted = identityOf(resource);
    return [...this.#members]
      .filter((member) => member.resource === wanted)
      .filter((member) => member.namespace === undefined || member.namespace === namespace)
      .map(({ ownWrites }) => ownWrites);
  }
}

/** Of another version the objects look different, though their resourceVersions are the same. */
function identityOf(resource: Resource): string {
  return `${resource.version} ${resourceName(resource)}`;
}
