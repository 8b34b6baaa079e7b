import { type Clock, systemClock } from './clock.ts';

/** Number of objects to handle in one turn of the event loop. This takes a few milliseconds at most. */
export const OBJECTS_PER_SLICE = 1_000;

/** Maximum milliseconds for which short tasks run one after another in a single turn of the event loop. */
const SLICE_MS = 10;

/**
 * Resolves in the next turn of the event loop, so that other due work, such as the answer to a probe or the
 * renewal of a Lease, is done first.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Runs `work` to its end, one step in each turn of the event loop. If `work` never yields, it is done when
 * the call returns, and the result is not a promise.
 *
 * @throws `signal.reason` when aborted between two steps. The remaining steps do not run.
 */
export function runInSlices<R>(
  work: Generator<void, R, undefined>,
  signal: AbortSignal,
): R | Promise<Awaited<R>> {
  const step = work.next();
  return step.done === true ? step.value : finish(work, signal);
}

async function finish<R>(
  work: Generator<void, R, undefined>,
  signal: AbortSignal,
): Promise<Awaited<R>> {
  for (;;) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    const step = work.next();
    if (step.done === true) return await step.value;
  }
}

/**
 * Limits how long tasks that never wait may run one after another. Without this limit they could block the
 * process, because promises that are already resolved do not let the event loop turn.
 */
export class TimeSlice {
  readonly #clock: Clock;
  #beganAt = 0;
  #next: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns a promise for the next turn of the event loop if the current turn has lasted 10 ms; otherwise
   * undefined.
   */
  get exceeded(): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    if (this.#next === undefined) {
      this.#beganAt = now;
      this.#next = yieldToEventLoop().then(() => {
        this.#next = undefined;
      });
    }
    return now - this.#beganAt >= SLICE_MS ? this.#next : undefined;
  }
}

/**
 * The results of `handle` for all values, computed one after the other. After each 10 ms, other work gets a
 * turn. The 10 ms are always measured with the system clock, even in a test with another clock, because the
 * work uses real processor time.
 */
export async function inSlices<T, R>(
  values: Iterable<T>,
  handle: (value: T, at: number) => R | Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const slice = new TimeSlice(systemClock);
  for (const value of values) {
    const pause = slice.exceeded;
    if (pause !== undefined) await pause;
    const result = handle(value, results.length);
    results.push(result instanceof Promise ? await result : result);
  }
  return results;
}
