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

/**
 * Milliseconds for which a cache remembers a write of this process. If the watch has not delivered the write
 * by then, something else is wrong.
 */
export const OWN_WRITES_TTL_MS: number = 60_000;

/**
 * Milliseconds for which a created object with a server-generated name is remembered. The time is longer
 * because a controller that forgets the object would create a second object. client-go uses the same value
 * for the changes that a controller expects.
 */
export const EXPECTATION_TTL_MS: number = 5 * 60_000;

/** What a cache would contain after a write, according to the answer to the write. */
export type CachedForm<T extends KubernetesObject> =
  /** The entry to cache; undefined when the cache does not select the object. */
  | { readonly entry: Entry<T> | undefined }
  /** It is not known what the cache would contain, so readers get the cached state. */
  | undefined;

interface OwnWritesOptions<T extends KubernetesObject> {
  readonly clock: Clock;
  readonly meter?: Meter;
  readonly labels?: Labels;
  /** The cached entry for a key. */
  readonly cached: (key: ObjectKey) => Entry<T> | undefined;
  /** The resourceVersion of the cache; undefined before the first list. */
  readonly resourceVersion: () => string | undefined;
  readonly formOf: (answer: T) => CachedForm<T>;
  /** True while the informer runs. Otherwise nothing is remembered. */
  readonly active: () => boolean;
}

interface Answer<T extends KubernetesObject> {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Undefined when this process's write moved the object out of the selection of the source. */
  readonly entry: Entry<T> | undefined;
  readonly expiresAt: number;
}

interface Removal {
  readonly key: ObjectKey;
  /**
   * The resourceVersion in the answer to the write after which the object was gone. Undefined when this
   * process requested the delete.
   */
  readonly lastVersion: string | undefined;
  readonly expiresAt: number;
}

/**
 * Minimum milliseconds between two removals of expired writes, so that many expired writes share one timer.
 */
const SWEEP_SPACING_MS = 1_000;

/**
 * Writes of this process that a cache does not contain yet. They are stored in addition to the cache and
 * never in it, because a late answer could replace a newer cached state, or restore a deleted object.
 *
 * Readers get the answer to a write while the cache has an older resourceVersion. Once the cache has reached
 * the version of the answer, readers get the state of the cache, even if it no longer contains the object,
 * because this state is newer. If versions cannot be ordered, readers always get the state of the cache.
 */
export class OwnWrites<T extends KubernetesObject> {
  readonly #options: OwnWritesOptions<T>;
  /** The answers, by key. The oldest answer comes first. */
  readonly #answers = new Map<ObjectKey, Answer<T>>();
  /** Objects that are deleted, or being deleted, because of this process, by uid. */
  readonly #removals = new Map<string, Removal>();
  #epoch = 0;
  #cancelSweep: Cancel | undefined;

  constructor(options: OwnWritesOptions<T>) {
    this.#options = options;
  }

  /**
   * A number that changes when everything is forgotten. After such a change, the answers to earlier requests
   * are not recorded.
   */
  get epoch(): number {
    return this.#epoch;
  }

  /** True when no write is remembered, so that readers get exactly the state of the cache. */
  get isEmpty(): boolean {
    return this.#answers.size === 0 && this.#removals.size === 0;
  }

  /** The number of remembered answers and removals. */
  get size(): number {
    return this.#answers.size + this.#removals.size;
  }

  /** The keys of the remembered objects, some of which may be missing in the cache. */
  keys(): Iterable<ObjectKey> {
    return this.#answers.keys();
  }

  /**
   * The known uids for a key. A delete of the key deletes the objects with these uids, unless they are
   * already gone.
   */
  uidsOf(key: ObjectKey): readonly string[] {
    const uids = [this.#options.cached(key)?.uid, this.#answers.get(key)?.uid];
    return uids.filter((uid) => uid !== undefined && uid !== '') as string[];
  }

  /** The entry that a reader gets for `key` when the cache contains `cached`. */
  shown(key: ObjectKey, cached: Entry<T> | undefined): Entry<T> | undefined {
    const answer = this.#answers.get(key);
    const entry = answer !== undefined && this.#isNewer(answer, cached) ? answer.entry : cached;
    return entry === undefined || this.#isRemoved(entry) ? undefined : entry;
  }

  /** Remembers the object in the answer to a write. The answer must be the whole object. */
  wrote(answer: T): void {
    const { active, clock, formOf } = this.#options;
    const { uid, resourceVersion = '', generateName } = answer.metadata;
    if (!active() || uid === undefined || !isOrdered(resourceVersion)) return;
    const key = keyOf(answer);
    if (isLastAnswer(answer)) {
      // This answer has the same resourceVersion as the previous state of the object, so the two cannot be
      // distinguished by their versions.
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

  /** Remembers that the deletion of the objects with these uids was requested. */
  deleted(key: ObjectKey, uids: Iterable<string>): void {
    if (!this.#options.active()) return;
    for (const uid of uids) this.#remove(uid, { key, lastVersion: undefined });
  }

  /**
   * Call this when the cache has a newer resourceVersion. Returns the entries that readers got until now but
   * that are not in the cache, because the objects were deleted. If the cache never contained such an object,
   * no change of the cache reports its deletion.
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

  /**
   * Forgets everything, and ignores the answers to pending writes, because they may describe an obsolete
   * state of the cluster.
   */
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

  /**
   * True for an object that readers must not get, because this process has deleted it. False for an object
   * with finalizers as soon as the cache contains its deletionTimestamp.
   */
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
    let nextAt = now + OWN_WRITES_TTL_MS; // entries that are added later do not expire earlier
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

/** True for an entry that is being deleted. False for an unreadable entry. */
function isLeaving(entry: Entry): boolean {
  try {
    return entry.metadata.deletionTimestamp !== undefined;
  } catch {
    return false;
  }
}

/**
 * True for the answer to the write that removed the last finalizer from a deleted object. At that time the
 * object is gone, although the answer has the resourceVersion of the previous state. An object with a
 * remaining grace period still exists.
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

/**
 * The WriteJournal for all sources of a process. It reports every write to the sources to which the written
 * object belongs.
 */
export class OwnWritesJournal implements WriteJournal {
  readonly #members = new Set<Member>();

  /**
   * Adds a source, until the returned function is called.
   *
   * @param namespace - undefined for all namespaces.
   */
  add(
    resource: Resource,
    namespace: string | undefined,
    ownWrites: OwnWrites<KubernetesObject>,
  ): () => void {
    const member = { resource: identityOf(resource), namespace, ownWrites };
    this.#members.add(member);
    return () => this.#members.delete(member);
  }

  /** Forgets all writes. Call this when another process may have written meanwhile. */
  clear(): void {
    for (const { ownWrites } of this.#members) ownWrites.clear();
  }

  /**
   * Call this when a write is about to be sent. An OwnWrites that is cleared before the answer arrives does
   * not receive the answer, because the answer may describe an obsolete state.
   */
  begin(resource: Resource, { namespace, name }: WriteTarget): PendingWrite {
    const begun = new Map<OwnWrites<KubernetesObject>, number>();
    const key = objectKey(namespace, name ?? '');
    const uids = new Set<string>();
    for (const ownWrites of this.#of(resource, namespace)) {
      begun.set(ownWrites, ownWrites.epoch);
      for (const uid of ownWrites.uidsOf(key)) uids.add(uid);
    }
    // A source that was added meanwhile gets the answer as well, because its list may be from before the
    // write.
    const recipients = (): OwnWrites<KubernetesObject>[] =>
      this.#of(resource, namespace).filter(
        (ownWrites) => (begun.get(ownWrites) ?? ownWrites.epoch) === ownWrites.epoch,
      );
    return {
      wrote: (object) => {
        for (const ownWrites of recipients()) ownWrites.wrote(object);
      },
      deleted: (uid) => {
        // Objects that had the same key before are gone as well, even if the deleted object had already
        // replaced them.
        if (uid !== undefined) uids.add(uid);
        for (const ownWrites of recipients()) ownWrites.deleted(key, uids);
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

/**
 * Identifies a resource including its version, because the same object looks different in another API
 * version, although its resourceVersion is the same.
 */
function identityOf(resource: Resource): string {
  return `${resource.version} ${resourceName(resource)}`;
}
