import type { ObjectKey } from '../../model/object.ts';
import type { Attempt, AttemptEnd } from './middleware.ts';

/** Why a key was enqueued. */
export interface Wake {
  /** The changed object, as `Deployment demo/web`; otherwise the reason in words, such as `trigger`. */
  readonly cause: string;
  /** How the change became a key. Undefined for another reason than a change. */
  readonly via?: string;
  readonly priority?: number;
}

/** A key that waits for an attempt, or has one. */
export interface WaitingKey {
  readonly key: ObjectKey;
  /** `parked`: a policy lets it wait for something else than time. */
  readonly state: 'ready' | 'delayed' | 'working' | 'parked';
  /** Of a delayed key, in milliseconds. */
  readonly dueInMs: number | undefined;
  /** Failures in a row. */
  readonly failures: number;
  readonly priority: number;
}

/**
 * Told what a controller does with its keys, for a record of the process. Its methods are called thousands of times a
 * second: they must be quick, and must not throw.
 */
export interface RunObserver {
  /** Something enqueues `key`. */
  woken(key: ObjectKey, wake: Wake): void;
  /** A policy lets `key` wait. @param forMs - undefined: until the policy lets it go. */
  held(key: ObjectKey, policy: string, forMs: number | undefined): void;
  /**
   * An attempt begins.
   *
   * @param waitedMs - since its key was ready.
   * @param signal - aborts with the attempt at the latest. The signals of its calls are this one, or linked to it.
   */
  began(attempt: Attempt, waitedMs: number, signal: AbortSignal): void;
  ended(attempt: Attempt, end: AttemptEnd): void;
  /** A loop of writes was found for `key`, in which it writes `object`. Called for each of its turns. */
  looped(key: ObjectKey, object: string): void;
  /** An attempt has passed its time limit. Called once for each. */
  stuck(attempt: Attempt, runningMs: number): void;
}

/** Tells each of several observers. Undefined for none. */
export function allObservers(
  observers: readonly (RunObserver | undefined)[],
): RunObserver | undefined {
  const told = observers.filter((each) => each !== undefined);
  if (told.length < 2) return told[0];
  return {
    woken(key, wake) {
      for (const each of told) each.woken(key, wake);
    },
    held(key, policy, forMs) {
      for (const each of told) each.held(key, policy, forMs);
    },
    began(attempt, waitedMs, signal) {
      for (const each of told) each.began(attempt, waitedMs, signal);
    },
    ended(attempt, end) {
      for (const each of told) each.ended(attempt, end);
    },
    looped(key, object) {
      for (const each of told) each.looped(key, object);
    },
    stuck(attempt, runningMs) {
      for (const each of told) each.stuck(attempt, runningMs);
    },
  };
}
