import type { Log } from '../controller/reconciler.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { yieldToEventLoop } from '../core/time-slice.ts';
import type { StopPhase, TaskFilter, Tasks } from './tasks.ts';

/**
 * Shares of the stop's budget; of its 25 s by default they are 2, 10, 5, 5 and 5 s. Steps that hang
 * take from the later ones; together they never take more than the whole.
 */
const SHARE = { intake: 0.08, drain: 0.4, abort: 0.2, others: 0.2, sources: 0.2, events: 0.2 };

/** What reconciles under way get to finish in when the stop may take for ever. */
const ENDLESS_DRAIN_MS = 10_000;

/** However long a stop may take: an Event is news, and goes stale. */
const MAX_EVENTS_MS = 5_000;

/** What an orderly stop ends, after the tasks. */
interface StopSteps {
  /** Ends the sources. */
  readonly sources: () => Promise<void>;
  /** Sends the Events that wait, or drops them after `limitMs`. */
  readonly events: (limitMs: number) => Promise<void>;
}

interface StopOptions {
  readonly budget: StopBudget;
  readonly log: Log;
  /** What the signals abort with. */
  readonly reason: unknown;
}

/**
 * Stops everything in order: what gives work to the controllers; the controllers, whose reconciles get
 * 40 % of the budget until their signals abort and 20 % more until they are left behind; other
 * runnables; sources; Events. True when no Event is under way any more.
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

/** What calls get to notice that their time is over. */
const EVENTS_ABORT_MS = 100;

function inPhase(phase: StopPhase): TaskFilter {
  return (task) => task.phase === phase;
}

/** The time that a whole stop may take, shared out among its steps. */
export class StopBudget implements Disposable {
  /** `Infinity` for as long as it takes; 0 to wait for nothing. */
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

  /** From now on at most so much is left, for those who wait already as well. */
  shrinkTo(leftMs: number): void {
    this.#endsAt = Math.min(this.#endsAt, this.#clock.monotonic() + leftMs);
    this.#arm();
  }

  /** Milliseconds, never below 0. */
  get leftMs(): number {
    return Math.max(this.#endsAt - this.#clock.monotonic(), 0);
  }

  /** So much of the total, in milliseconds. */
  share(part: number): number {
    return this.totalMs * part;
  }

  /**
   * Waits for `work`, at most for `atMostMs` and for what is left. True when it has ended, in
   * whichever way. Work gets one turn of the event loop however little is left.
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
