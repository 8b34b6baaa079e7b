import type { ObjectKey } from '../../model/object.ts';

/** A call of a reconciler that is about to be made. */
export interface Attempt {
  /** Name of the controller. */
  readonly controller: string;
  /** The key of the reconciled object. */
  readonly key: ObjectKey;
  /** A UUID that every log line of the attempt also contains. */
  readonly reconcileId: string;
  /** Number of failures of this key in a row before this attempt. */
  readonly attempt: number;
  /** See `ReconcileContext.priority`. */
  readonly priority: number;
}

/** How the call ended. */
export interface AttemptEnd {
  /**
   * `requeue`: the API server refused a write, and the key is retried. `requeue_after`: the reconciler
   * requested the next reconcile. `aborted`: the process stops or has lost its leadership. None of these is a
   * failure.
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
  /** The error. Set if the outcome is `error`, `terminal`, `conflict` or `panic`. */
  readonly error?: Error;
  /** Set when the key will be reconciled again without a change, even after a failure. */
  readonly requeueAfterMs?: number;
}

/**
 * Runs around every attempt, for example to record a span or a history. It must call `next` once and return
 * its result. Failures of the middleware itself are logged and have no effect on the attempt.
 */
export type ReconcileMiddleware = (
  attempt: Attempt,
  next: () => Promise<AttemptEnd>,
) => Promise<AttemptEnd>;

/**
 * Makes an attempt with `middleware` around it. The attempt is made exactly once and its result is returned,
 * even if the middleware throws, does not call `next`, or calls `next` twice.
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
