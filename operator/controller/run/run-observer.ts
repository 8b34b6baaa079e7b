import type { ObjectKey } from '../../model/object.ts';
import type { Attempt, AttemptEnd } from './middleware.ts';
import type { WokenBy } from './wakes/wake-causes.ts';

/** Why a key was enqueued. */
export interface Wake {
  /**
   * The changed object, such as `Deployment demo/web`. If no change has enqueued the key, the reason, such as
   * `trigger`.
   */
  readonly cause: string;
  /** How the change became a key. Undefined for a reason other than a change. */
  readonly via?: string;
  readonly priority?: number;
}

/** A key that is waiting for an attempt, or is being reconciled. */
export interface WaitingKey {
  readonly key: ObjectKey;
  /** `parked`: a policy delays the key without a time limit, until the policy allows the key to run. */
  readonly state: 'ready' | 'delayed' | 'working' | 'parked';
  /** Milliseconds until a delayed key is due. */
  readonly dueInMs: number | undefined;
  /** Number of failures in a row. */
  readonly failures: number;
  readonly priority: number;
}

/**
 * Receives what a controller does with its keys, for a flight record or the status page. Its methods are
 * called thousands of times a second: they must be quick, and must not throw.
 */
export interface RunObserver {
  /** Called when something enqueues `key`. */
  woken?(key: ObjectKey, wake: Wake): void;
  /**
   * Called when a policy delays `key`. @param forMs - undefined if the delay lasts until the policy
   * resumes the key.
   */
  held?(key: ObjectKey, policy: string, forMs: number | undefined): void;
  /**
   * Called when an attempt begins.
   *
   * @param waitedMs - milliseconds since the key became ready.
   * @param signal - aborts with the attempt or earlier. Each call of the attempt uses this signal, or one
   *   that is linked to it.
   * @param wokenBy - what enqueued the key; undefined when no cause is remembered, for example for a retry.
   */
  began(attempt: Attempt, waitedMs: number, signal: AbortSignal, wokenBy?: WokenBy): void;
  ended(attempt: Attempt, end: AttemptEnd): void;
  /**
   * Called for each round of a write loop of `key`. `object` is the object that was written in this round.
   */
  looped?(key: ObjectKey, object: string): void;
  /** Called once for each attempt that exceeds its time limit. */
  stuck?(attempt: Attempt, runningMs: number): void;
}

/** An observer that forwards to each of several observers. Undefined if there are none. */
export function allObservers(
  observers: readonly (RunObserver | undefined)[],
): RunObserver | undefined {
  const all = observers.filter((each) => each !== undefined);
  if (all.length < 2) return all[0];
  return {
    woken(key, wake) {
      for (const each of all) each.woken?.(key, wake);
    },
    held(key, policy, forMs) {
      for (const each of all) each.held?.(key, policy, forMs);
    },
    began(attempt, waitedMs, signal, wokenBy) {
      for (const each of all) each.began(attempt, waitedMs, signal, wokenBy);
    },
    ended(attempt, end) {
      for (const each of all) each.ended(attempt, end);
    },
    looped(key, object) {
      for (const each of all) each.looped?.(key, object);
    },
    stuck(attempt, runningMs) {
      for (const each of all) each.stuck?.(attempt, runningMs);
    },
  };
}
