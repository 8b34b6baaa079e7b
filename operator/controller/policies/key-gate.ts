import type { ObjectKey } from '../../model/object.ts';
import type { AddOptions, WorkQueue } from '../../queue/work-queue.ts';
import type { AcceptedWrite, AttemptOutcome, Cause, KeyPolicy } from './key-policy.ts';

/** Lets a parked key run. Does nothing for a key that is not parked. */
export type Resume = (key: ObjectKey) => void;

/**
 * The one place that answers whether a key may run now. It asks every policy, in their order: the
 * longest delay counts, and `park` outweighs any delay.
 */
export class KeyGate {
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #policies: readonly KeyPolicy[];
  /** Keys that a policy has parked, with the priority that they come back with. */
  readonly #parked = new Map<ObjectKey, number>();

  constructor(queue: WorkQueue<ObjectKey>, policiesFor: (resume: Resume) => readonly KeyPolicy[]) {
    this.#queue = queue;
    this.#policies = policiesFor((key) => this.#resume(key));
  }

  /** Keys that wait for a policy, and for no time. */
  get parkedCount(): number {
    return this.#parked.size;
  }

  start(): void {
    for (const policy of this.#policies) policy.start?.();
  }

  stop(): void {
    for (const policy of this.#policies) policy.stop?.();
    this.#parked.clear();
  }

  /** Enqueues a key that is wanted, for now or for when the policies let it run. */
  add(key: ObjectKey, options?: AddOptions): void {
    this.#queue.addAfter(key, this.delayMs(key), options);
  }

  /** Enqueues a key because of a change. */
  changed(key: ObjectKey, cause: Cause, options: AddOptions): void {
    for (const policy of this.#policies) policy.changed?.(key, cause);
    this.add(key, options);
  }

  /** Milliseconds that `key` must wait at least, parking aside: that is decided when it is taken. */
  delayMs(key: ObjectKey): number {
    let longestMs = 0;
    for (const policy of this.#policies) {
      const delayMs = policy.delayMs?.(key) ?? 0;
      if (delayMs !== 'park' && delayMs > longestMs) longestMs = delayMs;
    }
    return longestMs;
  }

  /** What a worker waits for before it takes a key; undefined when it may take one. */
  pause(): Promise<void> | undefined {
    for (const policy of this.#policies) {
      const held = policy.pause?.();
      if (held !== undefined) return held;
    }
    return undefined;
  }

  /**
   * True when a key that a worker has taken may run. Otherwise the key is put back, or parked, with the
   * priority that it was taken with.
   */
  admits(key: ObjectKey): boolean {
    const priority = this.#queue.heldPriority(key);
    let longestMs = 0;
    for (const policy of this.#policies) {
      const delayMs = policy.delayMs?.(key) ?? 0;
      if (delayMs === 'park') {
        this.#parked.set(key, Math.max(priority, this.#parked.get(key) ?? priority));
        return false;
      }
      longestMs = Math.max(longestMs, delayMs);
    }
    if (longestMs === 0) {
      this.#parked.delete(key);
      return true;
    }
    this.#queue.addAfter(key, longestMs, { priority });
    return false;
  }

  started(key: ObjectKey): void {
    for (const policy of this.#policies) policy.started?.(key);
  }

  wrote(key: ObjectKey, write: AcceptedWrite): void {
    for (const policy of this.#policies) policy.wrote?.(key, write);
  }

  finished(key: ObjectKey, outcome: AttemptOutcome): void {
    for (const policy of this.#policies) policy.finished?.(key, outcome);
  }

  #resume(key: ObjectKey): void {
    const priority = this.#parked.get(key);
    if (priority === undefined) return;
    this.#parked.delete(key);
    this.#queue.add(key, { priority });
  }
}
