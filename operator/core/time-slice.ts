import type { Clock } from './clock.ts';

/** Objects that one turn of the event loop takes: a few milliseconds, whatever is done with each. */
export const OBJECTS_PER_SLICE = 1_000;

/** How long a turn may go on with short pieces of work. */
const SLICE_MS = 10;

/** Resolves in the next turn of the event loop: whatever else is due, a probe or a Lease, comes first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Takes `work` to its end, one step in each turn of the event loop. Work that never yields is done
 * when the call returns, and its result is no promise.
 *
 * @throws `signal.reason` when aborted between two steps; what comes after is not done.
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
 * Keeps pieces of work that wait for nothing from following each other for ever: between promises
 * that are resolved already, the event loop does not turn.
 */
export class TimeSlice {
  readonly #clock: Clock;
  #beganAt = 0;
  #next: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The next turn, when this one has gone on for 10 ms; undefined while it may go on. */
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
