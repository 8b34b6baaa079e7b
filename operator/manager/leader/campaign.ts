import type { Fence } from '../../client/connection.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { Clock } from '../../core/clock.ts';
import type { OnLeadershipLost } from '../settings/leader-election.ts';
import { StopBudget } from '../stop.ts';
import type { Task, Tasks } from '../tasks.ts';
import type { LeaderElector } from './leader-elector.ts';

/** Of what is left until another may lead; the rest is for the end of the process itself. */
const STOP_SHARE_OF_LOSS = 0.9;

/** Of what is left of a stop when the Lease is to be given back. */
const RELEASE_SHARE_OF_REST = 0.9;

/**
 * What guarded work gets to end in at least before its process stands by, in milliseconds. A process
 * that was stopped wakes when another leads already: its writes are refused, so it can wait a second.
 */
const MIN_DRAIN_MS = 1_000;

interface CampaignOptions {
  /** Of the first term. */
  readonly elector: LeaderElector;
  readonly onLost: OnLeadershipLost;
  readonly releaseOnStop: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: Tasks;
  /** Aborts when the process is to stop. */
  readonly stop: AbortSignal;
  /** A term has begun: what needs leadership may run. */
  readonly gained: () => void;
  /** A term is over, at this moment: see `OperatorProcessOptions.onLeadershipLost`. */
  readonly lost: (withinMs: number, standsBy: AbortSignal) => void;
  /**
   * The guarded work of a term has ended. Drops all else that belongs to that term, within `limitMs`.
   */
  readonly termEnded: (limitMs: number) => Promise<void>;
  /** Makes what needs leadership ready for the term of `elector`. */
  readonly standsBy: (elector: LeaderElector) => void;
  /** The process must end. */
  readonly fail: (error: unknown) => void;
}

/**
 * Stands for leadership, and with `onLost: 'standby'` again after each loss. Each term has an elector,
 * and with it a fence, of its own: what began under one term cannot write under another.
 */
export class Campaign {
  readonly #options: CampaignOptions;
  #elector: LeaderElector;
  #leadership: Leadership;
  #running: Promise<void> = Promise.resolve();
  /** By when guarded work must have ended, on the monotonic clock; infinity when none is late. */
  #exitBy = Number.POSITIVE_INFINITY;

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.#elector = options.elector;
    this.#leadership = new Leadership(options.elector);
  }

  /** Of the term that is under way, or stood for. */
  get elector(): LeaderElector {
    return this.#elector;
  }

  /** How much of a stop is left, in milliseconds, where a lost term bounds it; infinity otherwise. */
  get stopLimitMs(): number {
    return Math.max(this.#exitBy - this.#options.clock.monotonic(), 0) * STOP_SHARE_OF_LOSS;
  }

  /** Stands from now on, until the stop. */
  begin(): void {
    this.#running = this.#stand();
  }

  /**
   * Stands and leads no more; after the stop was asked for.
   *
   * @param eventsDone - no Event is under way.
   */
  async end(budget: StopBudget, eventsDone: boolean): Promise<void> {
    const { log, releaseOnStop, tasks } = this.#options;
    const left = tasks.names(isGuarded);
    const isOver = left.length === 0 && eventsDone;
    if (this.#leadership.isHeld && !isOver) {
      log.warn({ left }, 'the Lease is left to expire: what it guards may still write');
    }
    // Within the budget, so that it can still be said what became of it.
    const ended = this.#running.then(() =>
      this.#leadership.end(isOver && releaseOnStop, budget.leftMs * RELEASE_SHARE_OF_REST),
    );
    await budget.wait(ended, budget.leftMs);
  }

  async #stand(): Promise<void> {
    const { fail, gained, stop } = this.#options;
    const leadership = this.#leadership;
    try {
      if (!(await leadership.gain(stop, (error) => this.#lost(error)))) return;
    } catch (error) {
      fail(error);
      return;
    }
    if (leadership.isHeld && !stop.aborted) gained();
  }

  #lost(error: unknown): void {
    const { clock, fail, lost, onLost, stop, tasks } = this.#options;
    const standsBy = onLost === 'standby' && !stop.aborted;
    const leftMs = Math.max(this.#elector.exitBy - clock.monotonic(), standsBy ? MIN_DRAIN_MS : 0);
    this.#exitBy = clock.monotonic() + leftMs;
    const drained = new AbortController();
    lost(leftMs, drained.signal); // first: what listens to a signal may block for long
    if (!standsBy) fail(error);
    tasks.abort(isGuarded, error);
    if (standsBy) this.#running = this.#standBy(error, drained).catch(fail);
  }

  async #standBy(error: unknown, drained: AbortController): Promise<void> {
    const { clock, fail, log, standsBy, stop, tasks, termEnded } = this.#options;
    using budget = new StopBudget(clock, this.stopLimitMs);
    if (!(await budget.wait(tasks.settled(isGuarded), budget.totalMs))) {
      const names = tasks.names(isGuarded);
      log.error({ names }, 'what needs leadership does not end without it, the process does');
      fail(error);
      return;
    }
    this.#exitBy = Number.POSITIVE_INFINITY;
    drained.abort(new Error('nothing that needs leadership is left'));
    await termEnded(Math.max(this.#elector.exitBy - clock.monotonic(), 0));
    await this.#elector.settled();
    if (stop.aborted) return;
    this.#elector = this.#elector.nextCandidacy();
    this.#leadership = new Leadership(this.#elector);
    standsBy(this.#elector);
    await this.#stand();
  }
}

export function isGuarded({ guarded }: Task): boolean {
  return guarded;
}

/** What decides who leads, as far as a manager knows it. */
interface Elector extends Fence {
  /** Resolves when this process leads. @throws `signal.reason` when aborted first. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Keeps it until `signal` aborts. @throws LeadershipLostError `LEADERSHIP_LOST` when it is lost. */
  renew(signal: AbortSignal): Promise<void>;
  /** Gives it back, once nothing acts by it any more; within `limitMs`. Never rejects. */
  release(limitMs?: number): Promise<void>;
  /** False when the process should have ended long ago. */
  readonly healthy: boolean;
  /** By when, on the monotonic clock, a process that has lost it must be gone. */
  readonly exitBy: number;
}

/** One candidacy: it is won at most once, and then lost or ended. */
class Leadership {
  readonly elector: Elector;
  readonly #renewing = new AbortController();
  #acquiring: Promise<void> | undefined;
  #renewal: Promise<void> | undefined;
  #isHeld = false;

  constructor(elector: Elector) {
    this.elector = elector;
  }

  /** True from the gain to the loss or the end. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * Waits for leadership and begins to hold it; resolves to whether it is ours.
   *
   * @param lost - called when it is lost, and not when it is ended.
   * @throws what the elector throws that is not the stop.
   */
  async gain(signal: AbortSignal, lost: (error: unknown) => void): Promise<boolean> {
    this.#acquiring = this.elector.acquire(signal);
    try {
      await this.#acquiring;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
    this.#isHeld = true;
    this.#renewal = this.elector.renew(this.#renewing.signal).catch((error: unknown) => {
      this.#isHeld = false;
      lost(error);
    });
    return true;
  }

  /**
   * Holds it no longer, nor stands for it: the signal of `gain` has been aborted before.
   *
   * @param release - false leaves the Lease to expire: what acts by it may still be at work.
   * @param limitMs - how long it may take to give it back.
   */
  async end(release: boolean, limitMs: number): Promise<void> {
    this.#renewing.abort(new Error('leadership is not wanted any more'));
    await this.#acquiring?.catch(() => {}); // its failure is told by `gain`
    await this.#renewal;
    if (release && this.#isHeld) await this.elector.release(limitMs);
    this.#isHeld = false;
  }
}
