import type { Clock } from '../core/clock.ts';
import type { ObjectKey } from '../model/object.ts';

/** Where keys come from that no watch names: a webhook of somebody else's, the clock. */
export interface Trigger {
  /** Begins to name keys; ends, and lets go of everything it holds, when `signal` aborts. */
  run(
    enqueue: (keys: Iterable<ObjectKey>) => void,
    options: { readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<void>;
}
