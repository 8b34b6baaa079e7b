import type { Attempt, AttemptEnd } from '../../controller/run/middleware.ts';
import type { RunObserver } from '../../controller/run/run-observer.ts';
import type { WokenBy } from '../../controller/run/wakes/wake-causes.ts';
import type { Clock } from '../../core/clock.ts';
import type { ObjectKey } from '../../model/object.ts';
import { errorWords } from './error-words.ts';

/** A finished attempt. */
export interface RememberedAttempt {
  /** Wall time when the attempt ended, in milliseconds since 1970. */
  readonly endedMs: number;
  readonly outcome: AttemptEnd['outcome'];
  readonly durationMs: number;
  /** The result of `errorWords`, which contains no message. */
  readonly error: string | undefined;
  readonly reconcileId: string;
  readonly wokenBy: WokenBy | undefined;
}

/** The remembered attempts of a key. */
export interface RememberedKey {
  /** The running attempt. */
  readonly running: Pick<RememberedAttempt, 'reconcileId' | 'wokenBy'> | undefined;
  readonly last: RememberedAttempt | undefined;
  /** Wall time of the first of the failures in a row, in milliseconds since 1970. */
  readonly failingSinceMs: number | undefined;
}

type Ended = Omit<RememberedKey, 'running' | 'last'> & { readonly last: RememberedAttempt };

/**
 * Number of remembered keys per controller: this many keys whose last attempt failed, and this many other
 * keys. Only the latest keys are remembered. A key takes about 1.5 KB, or 3 KB with the maximum number of
 * causes.
 */
export const REMEMBERED_KEYS = { failing: 1_000, others: 1_000 } as const;

const FAILURES: ReadonlySet<AttemptEnd['outcome']> = new Set([
  'error',
  'terminal',
  'panic',
  'conflict',
  'requeue',
]);

/** Remembers in bounded memory how the last attempts of keys ended. */
export class KeyMemory {
  readonly #clock: Clock;
  readonly #controllers = new Map<string, ControllerKeys>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Begins to remember the keys of a controller. Forgets the keys of an earlier controller with this name.
   */
  observe(controller: string): RunObserver {
    const keys = new ControllerKeys(this.#clock);
    this.#controllers.set(controller, keys);
    return {
      began: (attempt, _waitedMs, _signal, wokenBy) => keys.began(attempt, wokenBy),
      ended: ({ key }, end) => keys.ended(key, end),
    };
  }

  /** Undefined for a key that is not remembered. */
  of(controller: string, key: ObjectKey): RememberedKey | undefined {
    return this.#controllers.get(controller)?.get(key);
  }

  /** The keys of one controller for which the last attempt failed, each with this attempt. */
  failing(
    controller: string,
  ): Iterable<readonly [ObjectKey, { readonly last: RememberedAttempt }]> {
    return this.#controllers.get(controller)?.failing ?? [];
  }
}

/**
 * The keys of one controller. A key with a finished attempt is in one of two maps, both ordered by the end of
 * the key's last attempt, oldest first.
 */
class ControllerKeys {
  readonly #clock: Clock;
  readonly #running = new Map<ObjectKey, Pick<RememberedAttempt, 'reconcileId' | 'wokenBy'>>();
  readonly failing = new Map<ObjectKey, Ended>();
  readonly #others = new Map<ObjectKey, Ended>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: ObjectKey): RememberedKey | undefined {
    const running = this.#running.get(key);
    const ended = this.#ended(key);
    if (running === undefined && ended === undefined) return undefined;
    return { running, last: ended?.last, failingSinceMs: ended?.failingSinceMs };
  }

  began({ key, reconcileId, attempt }: Attempt, wokenBy: WokenBy | undefined): void {
    this.#running.set(key, { reconcileId, wokenBy: wokenBy ?? this.#byItself(key, attempt) });
  }

  ended(key: ObjectKey, { outcome, durationMs, error }: AttemptEnd): void {
    const running = this.#running.get(key);
    this.#running.delete(key);
    if (outcome === 'aborted' || running === undefined) return; // the attempt before says more
    const endedMs = this.#clock.now();
    const words = error === undefined ? undefined : errorWords(error);
    const last = { endedMs, outcome, durationMs, error: words, ...running };
    const since = this.#ended(key)?.failingSinceMs;
    this.failing.delete(key);
    this.#others.delete(key);
    if (FAILURES.has(outcome)) {
      insert(
        this.failing,
        key,
        { last, failingSinceMs: since ?? endedMs },
        REMEMBERED_KEYS.failing,
      );
    } else insert(this.#others, key, { last, failingSinceMs: undefined }, REMEMBERED_KEYS.others);
  }

  #ended(key: ObjectKey): Ended | undefined {
    return this.failing.get(key) ?? this.#others.get(key);
  }

  /** The cause of an attempt that follows only from the previous attempt: a retry, or a requested requeue. */
  #byItself(key: ObjectKey, failures: number): WokenBy | undefined {
    const isRequeued = this.#ended(key)?.last.outcome === 'requeue_after';
    if (failures === 0 && !isRequeued) return undefined;
    const cause = failures > 0 ? 'retry' : 'requeue';
    return { causes: [{ cause, via: undefined, times: 1 }], more: 0 };
  }
}

function insert(keys: Map<ObjectKey, Ended>, key: ObjectKey, ended: Ended, most: number): void {
  keys.set(key, ended);
  if (keys.size <= most) return;
  const [oldest] = keys.keys();
  if (oldest !== undefined) keys.delete(oldest);
}
