import type { ObjectKey } from '../../model/object.ts';
import type { AddOptions } from '../../queue/work-queue.ts';

/** The members of a controller's queue that a work order uses: see `WorkQueue`. */
export interface OrderedQueue {
  /** Number of ready keys. */
  readonly depth: number;
  readonly readyKeys: Iterable<ObjectKey>;
  isWaiting(key: ObjectKey): boolean;
  add(key: ObjectKey, options?: AddOptions): void;
  addAfter(key: ObjectKey, delayMs: number, options?: AddOptions): void;
  retry(key: ObjectKey, atLeastMs: number, options?: AddOptions): void;
  takeKey(key: ObjectKey): boolean;
  done(key: ObjectKey): void;
  forget(key: ObjectKey): void;
}

/** Decides which key a worker gets, instead of the queue. A replay hands out keys in the recorded order. */
export interface WorkOrder {
  /**
   * Called once per controller, when its sources are synced and its queue is empty.
   *
   * @returns true when the queue now has its keys. If false, the controller begins with all cached objects,
   *   as in a normal start.
   */
  begin(controller: string, queue: OrderedQueue): boolean;
  /** The next key for a worker, already taken with `WorkQueue.takeKey`. If undefined, the worker ends. */
  next(controller: string): Promise<ObjectKey | undefined>;
}
