import type { Attempt, AttemptEnd } from '../../controller/run/middleware.ts';
import type { RunObserver, Wake } from '../../controller/run/run-observer.ts';
import type { Clock } from '../../core/clock.ts';
import type { ObjectKey } from '../../model/object.ts';
import { errorWords } from './error-words.ts';

/** What enqueued a key. */
export interface RememberedWake {
  /** The changed object, as `Secret demo/pw`; otherwise the reason, such as `trigger`. */
  readonly cause: string;
  /** How the change became a key, as in `Wake.via`. */
  readonly via: string | undefined;
  times: number;
}

/** What enqueued a key before one attempt. */
export interface RememberedWakes {
  /** The first different causes. */
  readonly first: RememberedWake[];
  /** The number of further causes. */
  more: number;
}

/** A finished attempt. */
export interface RememberedAttempt {
  /** Wall time when the attempt ended, in milliseconds since 1970. */
  readonly endedMs: number;
  readonly outcome: AttemptEnd['outcome'];
  readonly durationMs: number;
  /** The result of `errorWords`, which contains no message. */
  readonly error: string | undefined;
  readonly reconcileId: string;
  readonly wakes: RememberedWakes | undefined;
}

/** The remembered facts about a key. */
export interface RememberedKey {
  /** What enqueued the key since the last attempt began; undefined if nothing did. */
  wakes: RememberedWakes | undefined;
  /** The running attempt. */
  running: Pick<RememberedAttempt, 'reconcileId' | 'wakes'> | undefined;
  last: RememberedAttempt | undefined;
  /** Wall time of the first failure in a row, in milliseconds since 1970. */
  failingSinceMs: number | undefined;
}

/**
 * Number of remembered keys per controller: this many whose last attempt failed, and this many others, the
 * latest of each. A key takes about 1.5 KB, or 3 KB with the maximum number of causes.
 */
export const REMEMBERED_KEYS = { failing: 1_000, others: 1_000 } as const;

/** Number of different causes that are remembered per attempt. */
const MAX_CAUSES = 4;

const FAILURES: ReadonlySet<AttemptEnd['outcome']> = new Set([
  'error',
  'terminal',
  'panic',
  'conflict',
  'requeue',
]);

/** Remembers in bounded memory what woke keys, and how their last attempts ended. */
export class KeyMemory {
  readonly #clock: Clock;
  readonly #controllers = new Map<string, ControllerKeys>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to remember the keys of a controller, and forgets those of an earlier controller of this name. */
  observe(controller: string): RunObserver {
    const keys = new ControllerKeys(this.#clock);
    this.#controllers.set(controller, keys);
    return {
      woken: (key, wake) => keys.woken(key, wake),
      began: (attempt) => keys.began(attempt),
      ended: ({ key, reconcileId }, end) => keys.ended(key, reconcileId, end),
      // The key gate itself reports which policies delay a key.
      held() {},
      looped() {},
      stuck() {},
    };
  }

  /** Undefined for a key that is not remembered. */
  of(controller: string, key: ObjectKey): RememberedKey | undefined {
    return this.#controllers.get(controller)?.get(key);
  }

  /** The keys of a controller whose last attempt failed. */
  failing(controller: string): Iterable<readonly [ObjectKey, RememberedKey]> {
    return this.#controllers.get(controller)?.failing ?? [];
  }
}

/**
 * The keys of one controller. Each key is in one of the two maps, ordered by when it was last remembered,
 * oldest first.
 */
class ControllerKeys {
  readonly #clock: Clock;
  readonly failing = new Map<ObjectKey, RememberedKey>();
  readonly #others = new Map<ObjectKey, RememberedKey>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: ObjectKey): RememberedKey | undefined {
    return this.failing.get(key) ?? this.#others.get(key);
  }

  woken(key: ObjectKey, { cause, via }: Wake): void {
    const known = this.get(key) ?? this.#add(key);
    known.wakes ??= { first: [], more: 0 };
    const { first } = known.wakes;
    const same = first.find((each) => each.cause === cause && each.via === via);
    if (same !== undefined) same.times++;
    else if (first.length < MAX_CAUSES) first.push({ cause, via, times: 1 });
    else known.wakes.more++;
  }

  began({ key, reconcileId, attempt }: Attempt): void {
    const known = this.get(key) ?? this.#add(key);
    const byItself = { cause: attempt > 0 ? 'retry' : 'requeue', via: undefined, times: 1 };
    known.running = { reconcileId, wakes: known.wakes ?? { first: [byItself], more: 0 } };
    known.wakes = undefined;
  }

  ended(key: ObjectKey, reconcileId: string, end: AttemptEnd): void {
    const known = this.get(key) ?? newKey();
    const { outcome, durationMs, error } = end;
    const endedMs = this.#clock.now();
    const wakes = known.running?.wakes;
    known.running = undefined;
    if (outcome === 'aborted') return; // the attempt before says more
    const words = error === undefined ? undefined : errorWords(error);
    known.last = { endedMs, outcome, durationMs, error: words, reconcileId, wakes };
    this.failing.delete(key);
    this.#others.delete(key);
    const isFailure = FAILURES.has(outcome);
    known.failingSinceMs = isFailure ? (known.failingSinceMs ?? endedMs) : undefined;
    if (isFailure) insert(this.failing, key, known, REMEMBERED_KEYS.failing);
    else insert(this.#others, key, known, REMEMBERED_KEYS.others);
  }

  #add(key: ObjectKey): RememberedKey {
    const added = newKey();
    insert(this.#others, key, added, REMEMBERED_KEYS.others);
    return added;
  }
}

function newKey(): RememberedKey {
  return { wakes: undefined, running: undefined, last: undefined, failingSinceMs: undefined };
}

function insert(
  keys: Map<ObjectKey, RememberedKey>,
  key: ObjectKey,
  remembered: RememberedKey,
  most: number,
): void {
  keys.set(key, remembered);
  const [oldest] = keys.keys();
  if (keys.size > most && oldest !== undefined) keys.delete(oldest);
}
