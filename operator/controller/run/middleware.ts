import type { ObjectKey } from '../../model/object.ts';

/** One call of a reconciler, before it is made. */
export interface Attempt {
  /** Name of the controller. */
  readonly controller: string;
  /** The object that is reconciled. */
  readonly key: ObjectKey;
  /** A UUID, which every log line of the attempt carries as well. */
  readonly reconcileId: string;
  /** Failures in a row of this key before this attempt. */
  readonly attempt: number;
  /** See `ReconcileContext.priority`. */
  readonly priority: number;
}

/** How the call ended. */
export interface AttemptEnd {
  /**
   * `requeue`: the API server refused a write, and the key is retried. `requeue_after`: the reconciler
   * asked for the next reconcile. `aborted`: the process stops or has lost its leadership. None of these is
   * a failure.
   */
  readonly outcome:
    | 'success'
    | 'requeue'
    | 'requeue_after'
    | 'error'
    | 'terminal'
    | 'conflict'
    | 'panic'
    | 'aborted';
  /** Duration of the attempt, without the wait in the queue. */
  readonly durationMs: number;
  /** Set for `error`, `terminal`, `conflict` and `panic`. */
  readonly error?: Error;
  /** Set when the key is reconciled again without a change, also after a failure. */
  readonly requeueAfterMs?: number;
}

/**
 * Runs around every attempt, for instance to record a span or a history. It calls `next` once and
 * returns its answer. Its own failures are logged and change nothing.
 */
export type ReconcileMiddleware = (
  attempt: Attempt,
  next: () => Promise<AttemptEnd>,
) => Promise<AttemptEnd>;

/**
 * Makes an attempt with `middleware` around it. The attempt is made exactly once, and its end is returned,
 * even if the middleware throws, skips `next` or calls it twice.
 *
 * @param failed - called when the middleware itself throws.
 */
export async function withMiddleware(
  middleware: ReconcileMiddleware,
  attempt: Attempt,
  next: () => Promise<AttemptEnd>,
  failed: (error: unknown) => void,
): Promise<AttemptEnd> {
  let made: Promise<AttemptEnd> | undefined;
  const once = (): Promise<AttemptEnd> => {
    made ??= next();
    return made;
  };
  try {
    await middleware(attempt, once);
  } catch (error) {
    failed(error);
  }
  return once();
}
