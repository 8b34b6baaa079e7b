import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { AddOptions, WorkQueue } from '../../queue/work-queue.ts';
import type { Change } from '../../store/change.ts';
import type { Log } from '../reconciler.ts';

/** Lets a parked key run. Does nothing for a key that is not parked. */
export type Resume = (key: ObjectKey) => void;

/**
 * Decides whether a key may run now; no other place does. It asks every policy in order. The longest delay
 * counts, and `park` outweighs any delay.
 */
export class KeyGate {
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #policies: readonly KeyPolicy[];
  readonly #held: Held;
  /** Parked keys, with the priority for their return and the policy. None of them is in the queue. */
  readonly #parked = new Map<ObjectKey, { readonly priority: number; readonly policy: string }>();

  /** @param held - told which policy lets a key wait. Default: nobody is. */
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

  /** The parked keys, with the priority for their return. */
  *parked(): Generator<readonly [ObjectKey, number], void, undefined> {
    for (const [key, { priority }] of this.#parked) yield [key, priority];
  }

  /** The priority with which a parked key returns; undefined for a key that is not parked. */
  parkedPriority(key: ObjectKey): number | undefined {
    return this.#parked.get(key)?.priority;
  }

  /**
   * The policies that let `key` wait now, the longest wait first, for people. Asking changes nothing: a policy that may
   * park is left out until it has parked the key.
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

  /** Enqueues a key, at once or after its delay. A parked key is then no longer parked. */
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

  /** Minimum milliseconds that `key` must wait. Parking does not count here: it is decided in `admits`. */
  delayMs(key: ObjectKey): number {
    return this.#longest(key).longestMs;
  }

  /** What a worker must await before it takes any key; undefined when it may take one. */
  beforeTake(): Promise<void> | undefined {
    for (const policy of this.#policies) {
      const wait = policy.beforeTake?.();
      if (wait !== undefined) return wait;
    }
    return undefined;
  }

  /**
   * True when a key that a worker has taken may run. Otherwise the key is delayed or parked with the
   * priority with which it was taken.
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

  /** True when a policy wants to see the live object, with its managedFields, before it is written. */
  asksForLive(target: WrittenObject): boolean {
    return this.#policies.some((policy) => policy.asksForLive?.(target) === true);
  }

  /** The fight that the running attempt of `key` has found or, before it writes, the attempt before. */
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

  /** @param mayPark - no policy is asked after one that parks the key. */
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
   * Marks a key as no longer parked, because it goes back to the queue.
   *
   * @returns the higher of the two priorities.
   */
  #unpark(key: ObjectKey, priority: number): number {
    const before = this.parkedPriority(key) ?? priority;
    this.#parked.delete(key);
    return Math.max(before, priority);
  }
}

/** Told which policy lets a key wait: `forMs` milliseconds, or undefined until it calls `resume`. */
type Held = (key: ObjectKey, policy: string, forMs: number | undefined) => void;

/** A policy that lets a key wait. */
export interface PolicyWait {
  /** The name of the policy. */
  readonly policy: string;
  /** In milliseconds from now; undefined until something else than time ends the wait. */
  readonly forMs: number | undefined;
}

/** What the policies ask for one key. */
interface Waits {
  readonly longestMs: number;
  /** The name of the policy with the longest delay; undefined when there is none. */
  readonly policy: string | undefined;
  /** The name of the policy that parks the key. */
  readonly parking: string | undefined;
}

/** The change of an object for which a key is enqueued. */
export interface Cause {
  /**
   * The resource of the changed object: the reconciled object, a child, or an object that a mapping knows.
   */
  readonly resource: Resource;
  readonly change: Change;
}

/** Names the object of a write. */
export interface WrittenObject {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** A write of an attempt that the API server has accepted. Dry runs and evictions do not count. */
export interface AcceptedWrite extends WrittenObject {
  readonly isDelete: boolean;
  /** False when the answer has the version known before: the write changed nothing. */
  readonly hasChanged: boolean;
  /** The objects that the controller's caches had under this name before the write. */
  readonly before: readonly KubernetesObject[];
  /**
   * The object in the API server's answer. Undefined for a delete, and for a subresource whose answer is
   * another object, such as a Scale.
   */
  readonly answer: KubernetesObject | undefined;
  /** The body of the write; undefined for a delete and a JSON patch. */
  readonly stated?: object | undefined;
  /** The field manager that the write names; undefined for that of the controller. */
  readonly fieldManager?: string | undefined;
  /** The object as the API server had it before the write, if a policy has asked for it. */
  readonly live?: KubernetesObject | undefined;
}

/** A write that changes back what another writer changes again and again. */
export interface Fight {
  readonly object: string;
  /** The fields that are changed back, at most five. */
  readonly paths: readonly string[];
  /** The other field managers. Empty while they are not known. */
  readonly managers: readonly string[];
  /** Writes of this fight in the last 10 minutes. */
  readonly writes: number;
  /** Minimum milliseconds until the next attempt; 0 for a delete, which is only half of a turn. */
  readonly intervalMs: number;
  /** True once in 10 minutes: it is to be logged. */
  readonly isDue: boolean;
  /** True: the attempt before has found it, and the running one has written nothing yet. */
  readonly isPast: boolean;
}

/** The end of an attempt, before its key is put back. */
export interface AttemptOutcome {
  /** `aborted`: the process stops or has lost its leadership. */
  readonly kind: 'success' | 'failed' | 'terminal' | 'conflict' | 'panic' | 'aborted';
  /** Milliseconds until the next reconcile, if a successful reconcile has asked for one. */
  readonly requeueAfterMs?: number | undefined;
  /** The log of the attempt. */
  readonly log: Log;
  /** Records a Warning on the reconciled object, if it exists. */
  readonly warn: (reason: string, note: string) => void;
}

/**
 * Decides when a key may be reconciled. A controller calls its policies in a fixed order at each of these
 * moments; `keyPolicies` has the list. Each policy keeps its own state.
 */
export interface KeyPolicy {
  /** Names it in records, such as `write-loops`. */
  readonly name: string;
  /** `delayMs` may answer `park`, and then begins to wait for the end of it. Default false. */
  readonly mayPark?: true;
  /**
   * Called once, after the controller has subscribed to its sources. `changed` and `delayMs` may have been
   * called before, for the objects that were cached.
   */
  start?(): void;
  /** Called when the controller has ended. No timer and no listener may be left. */
  stop?(): void;
  /** A change enqueues `key`. Called before `delayMs`. */
  changed?(key: ObjectKey, cause: Cause): void;
  /** Called before a worker takes any key. The worker waits for the promise and asks again. */
  beforeTake?(): Promise<void> | undefined;
  /**
   * Milliseconds that `key` must still wait; 0 when it may run. `park`: the key waits until the policy
   * calls `resume` for it, and a change of the key asks again before that. Predicates may hide changes, so
   * a policy that parks must detect by itself when to resume. It must not throw.
   */
  delayMs?(key: ObjectKey): number | 'park';
  /** An attempt of `key` begins. */
  started?(key: ObjectKey): void;
  /** See `KeyGate.asksForLive`. Called before each write. */
  asksForLive?(target: WrittenObject): boolean;
  /** See `KeyGate.fightOf`. */
  fightOf?(key: ObjectKey): Fight | undefined;
  /** The running attempt of `key` has written an object. */
  wrote?(key: ObjectKey, write: AcceptedWrite): void;
  /** The attempt of `key` has ended. Called before `delayMs` says when the key may run again. */
  finished?(key: ObjectKey, outcome: AttemptOutcome): void;
}
