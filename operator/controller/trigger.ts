import type { Clock } from '../core/clock.ts';
import type { ObjectKey } from '../model/object.ts';
import type { AddOptions } from '../queue/work-queue.ts';

/** Puts keys into the queue of a controller. */
export type Enqueue = (keys: Iterable<ObjectKey>, options?: AddOptions) => void;

/**
 * Where keys come from that no watch names: a webhook of somebody else's, the clock. A declaration: one
 * that several controllers share runs once for each of them.
 */
export interface Trigger {
  /**
   * Begins to name keys when the controller has its caches, and, with leader election, when it leads;
   * ends, and lets go of everything it holds, when `signal` aborts. One that throws is logged and begun
   * again, with back-off; one that returns earlier has ended.
   */
  run(
    enqueue: Enqueue,
    options: { readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<void>;
}
