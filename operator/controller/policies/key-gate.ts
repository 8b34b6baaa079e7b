import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { AddOptions, WorkQueue } from '../../queue/work-queue.ts';
import type { Change } from '../../store/change.ts';
import type { Log } from '../reconciler.ts';

/** Allows a parked key to run. Does nothing if the key is not parked. */
export type Resume = (key: ObjectKey) => void;

/**
 * Decides whether a key may run now. Every start of a key passes through the gate, which calls every policy
 * in order. The longest delay applies; if a policy returns `park`, the key is parked instead.
 */
export class KeyGate {
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #policies: readonly KeyPolicy[];
  readonly #held: Held;
  /**
   * The parked keys, which are not in the queue. Each has the priority with which it returns to the queue,
   * and the policy that has parked it.
   */
  readonly #parked = new Map<ObjectKey, { readonly priority: number; readonly policy: string }>();

  /** @param held - called when a policy delays a key. Default: not called. */
  constructor(
    queue: WorkQueue<ObjectKey>,
    policiesFor: (resume: Resume) => readonly KeyPolicy[],
    held: Held = () => {},
  ) {
    this.#queue = queue;
    this.#held = held;
    this.#policies = policiesFor((key) => this.#resume(key));
  }

  /** Number of keys that are not in the queue because a policy has parked them. */
  get parkedCount(): number {
    return this.#parked.size;
  }

  /** The parked keys, each with the priority with which it returns to the queue. */
  *parked(): Generator<readonly [ObjectKey, number], void, undefined> {
    for (const [key, { priority }] of this.#parked) yield [key, priority];
  }

  /** The priority with which a parked key returns; undefined for a key that is not parked. */
  parkedPriority(key: ObjectKey): number | undefined {
    return this.#parked.get(key)?.priority;
  }

  /**
   * The policies that delay `key` now, the longest delay first, for display. This call parks no key. A policy
   * that may park keys is only included if it has already parked this key.
   */
  waitsOf(key: ObjectKey): readonly PolicyWait[] {
    const parked = this.#parked.get(key);
    if (parked !== undefined) return [{ policy: parked.policy, forMs: undefined }];
    return this.#policies
      .filter(({ mayPark }) => mayPark !== true)
      .map((each) => ({ policy: each.name, forMs: Number(each.delayMs?.(key) ?? 0) }))
      .filter(({ forMs }) => forMs > 0)
      .toSorted((a, b) => b.forMs - a.forMs);
  }

  start(): void {
    for (const policy of this.#policies) policy.start?.();
  }

  stop(): void {
    for (const policy of this.#policies) policy.stop?.();
    this.#parked.clear();
  }

  /** Enqueues a key, at once or after its delay. A parked key is put back into the queue. */
  add(key: ObjectKey, { priority = 0 }: AddOptions = {}): void {
    const { longestMs, policy } = this.#longest(key);
    if (policy !== undefined) this.#held(key, policy, longestMs);
    this.#queue.addAfter(key, longestMs, { priority: this.#unpark(key, priority) });
  }

  /** Enqueues a key because of a change. */
  changed(key: ObjectKey, cause: Cause, options: AddOptions): void {
    for (const policy of this.#policies) policy.changed?.(key, cause);
    this.add(key, options);
  }

  /** Minimum milliseconds that `key` must wait. Parking is ignored here, because `admits` handles it. */
  delayMs(key: ObjectKey): number {
    return this.#longest(key).longestMs;
  }

  /** A promise that a worker must await before it takes any key; undefined when it may take one. */
  beforeTake(): Promise<void> | undefined {
    for (const policy of this.#policies) {
      const wait = policy.beforeTake?.();
      if (wait !== undefined) return wait;
    }
    return undefined;
  }

  /**
   * True when a key that a worker has taken may run. If it may not, the key is delayed or parked, and keeps
   * the priority with which it was taken.
   */
  admits(key: ObjectKey): boolean {
    const priority = this.#queue.processingPriority(key);
    const { longestMs, policy, parking } = this.#longest(key, true);
    if (parking !== undefined) {
      this.#parked.set(key, { priority, policy: parking });
      this.#held(key, parking, undefined);
      return false;
    }
    if (policy === undefined) return true;
    this.#held(key, policy, longestMs);
    this.#queue.addAfter(key, longestMs, { priority });
    return false;
  }

  started(key: ObjectKey): void {
    for (const policy of this.#policies) policy.started?.(key);
  }

  wrote(key: ObjectKey, write: AcceptedWrite): void {
    for (const policy of this.#policies) policy.wrote?.(key, write);
  }

  /** True when a policy needs to read the object live, with its managedFields, before it is written. */
  asksForLive(target: WrittenObject): boolean {
    return this.#policies.some((policy) => policy.asksForLive?.(target) === true);
  }

  /**
   * The fight with another writer that the running attempt of `key` has found. Before the first write of that
   * attempt: the fight that the previous attempt has found.
   */
  fightOf(key: ObjectKey): Fight | undefined {
    for (const policy of this.#policies) {
      const fight = policy.fightOf?.(key);
      if (fight !== undefined) return fight;
    }
    return undefined;
  }

  finished(key: ObjectKey, outcome: AttemptOutcome): void {
    for (const policy of this.#policies) policy.finished?.(key, outcome);
  }

  /**
   * @param mayPark - if true, a policy may park the key. The policies after that policy are then not called.
   */
  #longest(key: ObjectKey, mayPark = false): Waits {
    let longestMs = 0;
    let policy: string | undefined;
    for (const each of this.#policies) {
      const delayMs = each.delayMs?.(key) ?? 0;
      if (delayMs === 'park' && mayPark) return { longestMs, policy, parking: each.name };
      if (delayMs === 'park' || delayMs <= longestMs) continue;
      longestMs = delayMs;
      policy = each.name;
    }
    return { longestMs, policy, parking: undefined };
  }

  #resume(key: ObjectKey): void {
    const priority = this.parkedPriority(key);
    if (priority !== undefined) this.add(key, { priority });
  }

  /**
   * Marks a key as no longer parked, because it returns to the queue.
   *
   * @returns the higher one of `priority` and the priority with which the key was parked.
   */
  #unpark(key: ObjectKey, priority: number): number {
    const before = this.parkedPriority(key) ?? priority;
    this.#parked.delete(key);
    return Math.max(before, priority);
  }
}

/**
 * Called when a policy delays a key for `forMs` milliseconds. If `forMs` is undefined, the delay lasts until
 * the policy calls `resume`.
 */
type Held = (key: ObjectKey, policy: string, forMs: number | undefined) => void;

/** A policy that delays a key. */
export interface PolicyWait {
  /** The name of the policy. */
  readonly policy: string;
  /** Milliseconds from now; undefined when the wait does not end by time. */
  readonly forMs: number | undefined;
}

/** The delays that the policies require for one key. */
interface Waits {
  readonly longestMs: number;
  /** The name of the policy with the longest delay; undefined when no policy delays the key. */
  readonly policy: string | undefined;
  /** The name of the policy that parks the key. */
  readonly parking: string | undefined;
}

/** The change of an object that enqueues a key. */
export interface Cause {
  /**
   * The resource of the changed object, which can be the reconciled object, a child, or the object of a
   * mapping.
   */
  readonly resource: Resource;
  readonly change: Change;
}

/** Identifies the object of a write. */
export interface WrittenObject {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** A write of an attempt that the API server has accepted. Dry runs and evictions are not reported. */
export interface AcceptedWrite extends WrittenObject {
  readonly isDelete: boolean;
  /** False when the answer has the same version as the known object, so that the write changed nothing. */
  readonly hasChanged: boolean;
  /** The objects with this name in the controller's caches before the write. */
  readonly before: readonly KubernetesObject[];
  /**
   * The object in the API server's answer. Undefined for a delete, and for a subresource whose answer is
   * another object, such as a Scale.
   */
  readonly answer: KubernetesObject | undefined;
  /** The body of the write; undefined for a delete and a JSON patch. */
  readonly stated?: object | undefined;
  /** The field manager of the write; undefined if it is the name of the controller. */
  readonly fieldManager?: string | undefined;
  /** The object on the API server before the write, if a policy has requested it. */
  readonly live?: KubernetesObject | undefined;
}

/** A write that reverts fields which another writer changes repeatedly. */
export interface Fight {
  readonly object: string;
  /** The reverted fields, at most five. */
  readonly paths: readonly string[];
  /** The other field managers. Empty while they are unknown. */
  readonly managers: readonly string[];
  /** Number of writes of this fight in the last 10 minutes. */
  readonly writes: number;
  /**
   * Minimum milliseconds until the next attempt. 0 for a delete, because the fight continues only when the
   * child is created again.
   */
  readonly intervalMs: number;
  /** True once per 10 minutes, when the fight must be logged. */
  readonly isDue: boolean;
  /** True if the previous attempt has found the fight, and the running attempt has not written yet. */
  readonly isPast: boolean;
}

/** How an attempt ended. It is passed to the policies before the key is put back into the queue. */
export interface AttemptOutcome {
  /** `aborted`: the process stops or has lost its leadership. */
  readonly kind: 'success' | 'failed' | 'terminal' | 'conflict' | 'panic' | 'aborted';
  /** Milliseconds until the next reconcile, if a successful reconcile has requested one. */
  readonly requeueAfterMs?: number | undefined;
  /** The log of the attempt. */
  readonly log: Log;
  /** Records a Warning Event about the reconciled object, if it exists. */
  readonly warn: (reason: string, note: string) => void;
}

/**
 * Decides when a key may be reconciled. A controller calls the methods below on all its policies, in the
 * order that `keyPolicies` gives. Each policy keeps its own state.
 */
export interface KeyPolicy {
  /** The name of the policy in records, such as `write-loops`. */
  readonly name: string;
  /**
   * True if `delayMs` may return `park`; the policy must then watch for the moment to resume the key. Default
   * false.
   */
  readonly mayPark?: true;
  /**
   * Called once, after the controller has subscribed to its sources. `changed` and `delayMs` may have been
   * called before that for cached objects.
   */
  start?(): void;
  /** Called when the controller has ended. The policy must leave no timer and no listener. */
  stop?(): void;
  /** Called when a change enqueues `key`. `delayMs` is called afterwards. */
  changed?(key: ObjectKey, cause: Cause): void;
  /** Called before a worker takes any key. The worker waits for the promise and then calls it again. */
  beforeTake?(): Promise<void> | undefined;
  /**
   * Milliseconds that `key` must still wait; 0 when it may run. `park`: the key waits until the policy calls
   * `resume` for it. If the key is changed earlier, this method is called again. Predicates may hide changes,
   * so a policy that parks keys must itself detect when to resume them. This method must not throw.
   */
  delayMs?(key: ObjectKey): number | 'park';
  /** Called when an attempt of `key` begins. */
  started?(key: ObjectKey): void;
  /** See `KeyGate.asksForLive`. Called before each write. */
  asksForLive?(target: WrittenObject): boolean;
  /** See `KeyGate.fightOf`. */
  fightOf?(key: ObjectKey): Fight | undefined;
  /** Called when the running attempt of `key` has written an object. */
  wrote?(key: ObjectKey, write: AcceptedWrite): void;
  /**
   * Called when the attempt of `key` has ended, before `delayMs` decides when the key may run
   * again.
   */
  finished?(key: ObjectKey, outcome: AttemptOutcome): void;
}
