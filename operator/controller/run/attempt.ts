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
  /** As in `ReconcileContext.priority`. */
  readonly priority: number;
}

/** How the call ended. */
export interface AttemptEnd {
  /**
   * `requeue`: the API server refused a write, and the key is retried; `requeue_after`: the reconciler
   * said when. `aborted`: the process stops or has lost its leadership. None of them is a failure.
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
  /** Of the call, without the wait before it. */
  readonly durationMs: number;
  /** Set for `error`, `terminal`, `conflict` and `panic`. */
  readonly error?: Error;
  /** Set when the key is reconciled again by itself, be it after a failure. */
  readonly requeueAfterMs?: number;
}

/**
 * Something around every attempt: a span, a history for people. Calls `next` once and returns what it
 * comes to. Its own failures are logged and change nothing.
 */
export type AroundAttempt = (
  attempt: Attempt,
  next: () => Promise<AttemptEnd>,
) => Promise<AttemptEnd>;
