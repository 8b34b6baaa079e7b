import type { KeyState } from '../../controller/run/key-state.ts';
import type { AttemptEnd } from '../../controller/run/middleware.ts';
import type { WokenBy } from '../../controller/run/wakes/wake-causes.ts';

/**
 * The answer of `/why.json`: what a process's controllers know about one key. Plain data, without any content
 * of Kubernetes objects.
 */
export interface KeyAnswer {
  /** Wall time of the answer, RFC 3339. */
  readonly at: string;
  readonly key: string;
  /** The names of the controllers that were searched for the key. */
  readonly asked: readonly string[];
  /** The status in each controller that knows the key. */
  readonly known: readonly KeyStatus[];
  /** Sentences with possible reasons why no controller knows the key. */
  readonly notes: readonly string[];
}

/** What one controller knows about a key. */
export interface KeyStatus {
  readonly controller: string;
  readonly key: string;
  /**
   * `done`: nothing is due. `waiting`: an attempt is due. `working`: an attempt is running. `failing`: the
   * last attempt failed. `blocked`: this process does not reconcile the key now.
   */
  readonly verdict: 'done' | 'waiting' | 'working' | 'failing' | 'blocked';
  /** One human-readable sentence. */
  readonly summary: string;
  /** `unknown`: the cache of the reconciled objects has not received its first list. */
  readonly object: KeyState['object'];
  readonly state: KeyState['state'];
  /** Priority of a key that is waiting or being reconciled; higher priorities come first. */
  readonly priority: number | undefined;
  /** Number of failed attempts in a row; the key is being retried. */
  readonly failures: number;
  /** When the first of the failed attempts ended, RFC 3339. */
  readonly failingSince: string | undefined;
  /** The next attempt. Undefined when none is due, or when its start does not depend on a time. */
  readonly next: NextAttempt | undefined;
  /** Everything that delays the next attempt. Empty when nothing is due. */
  readonly waits: readonly KeyWait[];
  /** What enqueued the key since its last attempt began. */
  readonly wokenBy: WokenBy | undefined;
  readonly running: RunningAttempt | undefined;
  /** The last attempt; undefined when none is remembered. */
  readonly last: LastAttempt | undefined;
}

export interface NextAttempt {
  readonly inMs: number;
  /** Wall time of the attempt, RFC 3339. */
  readonly at: string;
  readonly why: string;
}

/** One reason why a key waits. */
export interface KeyWait {
  /** `back-off`, `workers`, `leadership`, `group`, `source`, `process`, or the name of a key policy. */
  readonly by: string;
  /** Milliseconds from now; undefined when the wait does not end at a known time. */
  readonly forMs: number | undefined;
  readonly why: string;
}

export interface RunningAttempt {
  readonly forMs: number;
  readonly reconcileId: string | undefined;
  readonly wokenBy: WokenBy | undefined;
}

export interface LastAttempt {
  /** Wall time when the attempt ended, RFC 3339. */
  readonly at: string;
  readonly outcome: AttemptEnd['outcome'];
  readonly durationMs: number;
  /** Class, code and layer, or the API server's status and reason; never a message. */
  readonly error: string | undefined;
  /** Every log line of the attempt contains this id. */
  readonly reconcileId: string;
  readonly wokenBy: WokenBy | undefined;
}

/** The answer of `/keys.json`. */
export interface KeysAnswer {
  /** Wall time of the answer, RFC 3339. */
  readonly at: string;
  /** Number of keys that match. */
  readonly matching: number;
  /** False when there were more keys than one answer may search. */
  readonly isComplete: boolean;
  /**
   * The first matching keys: first those that fail, then those that are being reconciled or wait, then all
   * further ones.
   */
  readonly keys: readonly Pick<KeyStatus, 'controller' | 'key' | 'verdict' | 'summary'>[];
}
