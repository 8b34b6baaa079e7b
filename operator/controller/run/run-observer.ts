import type { ObjectKey } from '../../model/object.ts';
import type { Attempt, AttemptEnd } from './middleware.ts';

/** Why a key was enqueued. */
export interface Wake {
  /** The changed object, as `Deployment demo/web`; otherwise the reason, such as `trigger`. */
  readonly cause: string;
  /** How the change became a key. Undefined for a reason other than a change. */
  readonly via?: string;
  readonly priority?: number;
}

/** A key that is waiting for an attempt, or has one. */
export interface WaitingKey {
  readonly key: ObjectKey;
  /** `parked`: a policy delays the key, and the delay does not end by time. */
  readonly state: 'ready' | 'delayed' | 'working' | 'parked';
  /** Milliseconds until a delayed key is due. */
  readonly dueInMs: number | undefined;
  /** Failures in a row. */
  readonly failures: number;
  readonly priority: number;
}

/**
 * Receives what a controller does with its keys, for a flight record. Its methods are called thousands of
 * times a second: they must be quick, and must not throw.
 */
export interface RunObserver {
  /** Called when something enqueues `key`. */
  woken(key: ObjectKey, wake: Wake): void;
  /**
   * Called when a policy delays `key`. @param forMs - undefined if the delay lasts until the policy
   * resumes the key.
   */
  held(key: ObjectKey, policy: string, forMs: number | undefined): void;
  /**
   * Called when an attempt begins.
   *
   * @param waitedMs - milliseconds since the key was ready.
   * @param signal - aborts with the attempt at the latest. The signals of its calls are this one, or linked
   * to it.
   */
  began(attempt: Attempt, waitedMs: number, signal: AbortSignal): void;
  ended(attempt: Attempt, end: AttemptEnd): void;
  /** Called for each turn of a loop of writes that was found for `key`, in which it writes `object`. */
  looped(key: ObjectKey, object: string): void;
  /** Called once for each attempt that exceeds its time limit. */
  stuck(attempt: Attempt, runningMs: number): void;
}

/** An observer that forwards to each of several observers. Undefined for none. */
export function allObservers(
  observers: readonly (RunObserver | undefined)[],
): RunObserver | undefined {
  const present = observers.filter((each) => each !== undefined);
  if (present.length < 2) return present[0];
  return {
    woken(key, wake) {
      for (const each of present) each.woken(key, wake);
    },
    held(key, policy, forMs) {
      for (const each of present) each.held(key, policy, forMs);
    },
    began(attempt, waitedMs, signal) {
      for (const each of present) each.began(attempt, waitedMs, signal);
    },
    ended(attempt, end) {
      for (const each of present) each.ended(attempt, end);
    },
    looped(key, object) {
      for (const each of present) each.looped(key, object);
    },
    stuck(attempt, runningMs) {
      for (const each of present) each.stuck(attempt, runningMs);
    },
  };
}
