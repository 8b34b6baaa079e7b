import type { ObjectKey } from '../../model/object.ts';
import type { AddOptions } from '../../queue/work-queue.ts';

/** What an order needs of the queue of a controller: see `WorkQueue`. */
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

/**
 * Decides when workers get which keys, in place of the queue: a replay hands keys out as they were handed out when they
 * were recorded.
 */
export interface WorkOrder {
  /**
   * Called once for each controller, when its sources are there and its queue is empty.
   *
   * @returns true when the queue has its keys now. Otherwise it gets all cached objects, as at each start.
   */
  begin(controller: string, queue: OrderedQueue): boolean;
  /** The next key for a worker, which `WorkQueue.takeKey` has handed out. Undefined: the worker ends. */
  next(controller: string): Promise<ObjectKey | undefined>;
}
