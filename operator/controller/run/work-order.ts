import type { ObjectKey } from '../../model/object.ts';
import type { WorkQueue } from '../../queue/work-queue.ts';

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
  begin(controller: string, queue: WorkQueue<ObjectKey>): boolean;
  /** The next key for a worker, which `WorkQueue.takeKey` has handed out. Undefined: the worker ends. */
  next(controller: string): Promise<ObjectKey | undefined>;
}
