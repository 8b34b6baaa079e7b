import type { Log } from '../controller/reconciler.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { yieldToEventLoop } from '../core/time-slice.ts';
import type { StopPhase, TaskFilter, Tasks } from './tasks.ts';

/**
 * The share of each step in the shutdown time. With the default of 25 s they are 2, 10, 5, 5, 5 and 5 s. A
 * step that hangs takes time from later steps. All steps together never exceed the shutdown time.
 */
export const SHARE = {
  intake: 0.08,
  drain: 0.4,
  abort: 0.2,
  others: 0.2,
  sources: 0.2,
  events: 0.2,
};

/** Milliseconds that running reconciles may take to finish when the shutdown has no time limit. */
const ENDLESS_DRAIN_MS = 10_000;

/** Maximum milliseconds for Events even in a longer shutdown, because an old Event is of no use. */
const MAX_EVENTS_MS = 5_000;

/** The steps of an orderly shutdown that follow after all tasks have been stopped. */
interface StopSteps {
  /** Ends the sources. */
  readonly sources: () => Promise<void>;
  /** Sends the waiting Events, and drops the rest after `limitMs`. */
  readonly events: (limitMs: number) => Promise<void>;
}

interface StopOptions {
  readonly budget: StopBudget;
  readonly log: Log;
  /** The abort reason for the signals of the tasks. */
  readonly reason: unknown;
}

/**
 * Stops everything in this order: runnables that feed controllers; controllers, whose reconciles get 40 % of
 * the budget until their signals abort, and another 20 % until the shutdown no longer waits for them; other
 * runnables; sources; Events. Returns true when no request for an Event is pending.
 */
export async function stopInOrder(
  tasks: Tasks,
  { sources, events }: StopSteps,
  { budget, log, reason }: StopOptions,
): Promise<boolean> {
  const { totalMs } = budget;
  const stop = (phase: StopPhase, atMostMs: number): Promise<boolean> => {
    tasks.stop(inPhase(phase), reason);
    return budget.wait(tasks.settled(inPhase(phase)), atMostMs);
  };
  const leave = (phase: StopPhase, message: string): void => {
    const names = tasks.names(inPhase(phase));
    if (names.length > 0 && totalMs > 0) log.error({ names }, message);
  };

  await stop('intake', budget.share(SHARE.intake));
  leave('intake', 'a runnable ignores its aborted signal, it is left behind');
  const drainMs = Number.isFinite(totalMs) ? budget.share(SHARE.drain) : ENDLESS_DRAIN_MS;
  if (!(await stop('controllers', drainMs))) {
    tasks.abort(inPhase('controllers'), reason);
    await budget.wait(tasks.settled(inPhase('controllers')), budget.share(SHARE.abort));
    leave('controllers', 'a reconcile ignores its aborted signal, it is left behind');
  }
  await stop('others', budget.share(SHARE.others));
  leave('others', 'a runnable ignores its aborted signal, it is left behind');
  await budget.wait(sources(), budget.share(SHARE.sources));
  const eventsMs = Math.min(budget.share(SHARE.events), budget.leftMs, MAX_EVENTS_MS);
  return budget.wait(events(eventsMs), eventsMs + EVENTS_ABORT_MS);
}

/** Milliseconds in which the requests for Events can notice that they are aborted. */
const EVENTS_ABORT_MS = 100;

function inPhase(phase: StopPhase): TaskFilter {
  return (task) => task.phase === phase;
}

/** The time for a whole shutdown, divided among its steps. */
export class StopBudget implements Disposable {
  /** `Infinity` for no limit; 0 to wait for nothing. */
  readonly totalMs: number;
  readonly #clock: Clock;
  readonly #over: PromiseWithResolvers<void> = Promise.withResolvers();
  #endsAt: number;
  #cancelEnd: Cancel = () => {};

  constructor(clock: Clock, totalMs: number) {
    this.#clock = clock;
    this.totalMs = totalMs;
    this.#endsAt = clock.monotonic() + totalMs;
    this.#arm();
  }

  /** Lowers the remaining time to at most `leftMs`. This also shortens waits that have already begun. */
  shrinkTo(leftMs: number): void {
    this.#endsAt = Math.min(this.#endsAt, this.#clock.monotonic() + leftMs);
    this.#arm();
  }

  /** Remaining milliseconds, at least 0. */
  get leftMs(): number {
    return Math.max(this.#endsAt - this.#clock.monotonic(), 0);
  }

  /** The given fraction of the total, in milliseconds. */
  share(part: number): number {
    return this.totalMs * part;
  }

  /**
   * Waits for `work`, at most for `atMostMs` and for the remaining time. Returns true when `work` has
   * settled, with a result or an error. `work` gets at least one turn of the event loop, even if no time
   * remains.
   */
  async wait(work: Promise<unknown>, atMostMs: number): Promise<boolean> {
    const done = work.then(
      () => true,
      () => true,
    );
    const limitMs = Math.min(atMostMs, this.leftMs);
    if (limitMs <= 0) return Promise.race([done, yieldToEventLoop().then(() => false)]);
    const limit = Promise.withResolvers<void>();
    const cancel = Number.isFinite(limitMs)
      ? this.#clock.schedule(limitMs, limit.resolve)
      : (): void => {};
    try {
      const over = Promise.race([limit.promise, this.#over.promise]);
      return await Promise.race([done, over.then(() => false)]);
    } finally {
      cancel();
    }
  }

  [Symbol.dispose](): void {
    this.#cancelEnd();
  }

  #arm(): void {
    this.#cancelEnd();
    if (!Number.isFinite(this.#endsAt) || this.totalMs === 0) return;
    this.#cancelEnd = this.#clock.schedule(this.leftMs, this.#over.resolve);
  }
}
