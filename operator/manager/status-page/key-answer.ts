import type { KeyState } from '../../controller/run/key-state.ts';
import type { AttemptEnd } from '../../controller/run/middleware.ts';

/** The answer of `/why.json`: what the controllers of a process know of one key. Plain data without any part of an object. */
export interface KeyAnswer {
  /** Wall time of the answer, RFC 3339. */
  readonly at: string;
  readonly key: string;
  /** The names of the controllers that were asked. */
  readonly asked: readonly string[];
  /** Of each controller that knows the key. */
  readonly known: readonly KeyStatus[];
  /** Why none may know it, in words. */
  readonly notes: readonly string[];
}

/** What one controller knows of a key. */
export interface KeyStatus {
  readonly controller: string;
  readonly key: string;
  /**
   * `done`: nothing is due. `waiting`: an attempt is due. `working`: one is under way. `failing`: the last one failed.
   * `blocked`: this process makes no attempt at it now.
   */
  readonly verdict: 'done' | 'waiting' | 'working' | 'failing' | 'blocked';
  /** One sentence for people. */
  readonly summary: string;
  /** `unknown`: the cache of the reconciled objects has no first list. */
  readonly object: KeyState['object'];
  readonly state: KeyState['state'];
  /** Of a key that waits or has an attempt: higher goes first. */
  readonly priority: number | undefined;
  /** Failures in a row that are retried. */
  readonly failures: number;
  /** When the first of the failures in a row ended, RFC 3339. */
  readonly failingSince: string | undefined;
  /** Undefined when none is due, or when something else than time decides. */
  readonly next: NextAttempt | undefined;
  /** Everything that keeps it from its next attempt. Empty when nothing is due. */
  readonly waits: readonly KeyWait[];
  /** What enqueued it since its last attempt began. */
  readonly wokenBy: WokenBy | undefined;
  readonly running: RunningAttempt | undefined;
  /** Undefined when none is remembered. */
  readonly last: LastAttempt | undefined;
}

export interface NextAttempt {
  readonly inMs: number;
  /** RFC 3339. */
  readonly at: string;
  readonly why: string;
}

/** One thing that a key waits for. */
export interface KeyWait {
  /** `back-off`, `workers`, `leadership`, `group`, `source`, `process`, or the name of a key policy. */
  readonly by: string;
  /** In milliseconds from now; undefined when something else than time ends it. */
  readonly forMs: number | undefined;
  readonly why: string;
}

/** What enqueued a key before one attempt. */
export interface WokenBy {
  readonly causes: readonly {
    /** The changed object, as `Secret demo/pw`; otherwise the reason in words, such as `trigger`. */
    readonly cause: string;
    /** `for`, `owns` or `mapping`, and what kind of change it was. */
    readonly via: string | undefined;
    readonly times: number;
  }[];
  /** Further causes, of which only the number is remembered. */
  readonly more: number;
}

export interface RunningAttempt {
  readonly forMs: number;
  readonly reconcileId: string | undefined;
  readonly wokenBy: WokenBy | undefined;
}

export interface LastAttempt {
  /** Wall time of its end, RFC 3339. */
  readonly at: string;
  readonly outcome: AttemptEnd['outcome'];
  readonly durationMs: number;
  /** Class, code and layer, or the API server's status and reason; never a message. */
  readonly error: string | undefined;
  /** Every log line of the attempt has it. */
  readonly reconcileId: string;
  readonly wokenBy: WokenBy | undefined;
}

/** The answer of `/keys.json`. */
export interface KeysAnswer {
  /** Wall time of the answer, RFC 3339. */
  readonly at: string;
  /** Number of keys that match. */
  readonly matching: number;
  /** False when there are more keys than are compared for one answer. */
  readonly isComplete: boolean;
  /** The first of them: those that fail, and those that wait or are worked on, before the others. */
  readonly keys: readonly Pick<KeyStatus, 'controller' | 'key' | 'verdict' | 'summary'>[];
}
