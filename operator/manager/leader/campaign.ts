import type { Fence } from '../../client/connection.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { Clock } from '../../core/clock.ts';
import type { OnLeadershipLost } from '../settings/leader-election.ts';
import { StopBudget } from '../stop.ts';
import type { Task, Tasks } from '../tasks.ts';
import type { LeaderElector } from './leader-elector.ts';

/**
 * The shutdown may use this fraction of the time until another process may lead. The rest is reserved for the
 * exit of the process.
 */
const STOP_SHARE_OF_LOSS = 0.9;

/** The fraction of the remaining shutdown time that is reserved for releasing the Lease. */
const RELEASE_SHARE_OF_REST = 0.9;

/**
 * The minimum milliseconds that guarded work has to finish before its process stands by. When a suspended
 * process resumes, another process may already lead. Waiting one second is still safe, because the writes of
 * the resumed process are refused.
 */
const MIN_DRAIN_MS = 1_000;

interface CampaignOptions {
  /** The elector of the first term. */
  readonly elector: LeaderElector;
  readonly onLost: OnLeadershipLost;
  readonly releaseOnStop: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: Tasks;
  /** Aborts when the process must stop. */
  readonly stop: AbortSignal;
  /** Called when a term has begun: work that needs leadership may run. */
  readonly gained: () => void;
  /** Called when a term ends: see `OperatorProcessOptions.onLeadershipLost`. */
  readonly lost: (withinMs: number, standsBy: AbortSignal) => void;
  /**
   * Called when the guarded work of a term has ended. Drops everything else that belongs to that term, within
   * `limitMs`.
   */
  readonly termEnded: (limitMs: number) => Promise<void>;
  /** Prepares everything that needs leadership for the term of `elector`. */
  readonly standsBy: (elector: LeaderElector) => void;
  /** Called with the error that must end the process. */
  readonly fail: (error: unknown) => void;
}

/**
 * Takes part in the election of a leader, and with `onLost: 'standby'` again after each loss. Each term has
 * its own elector and fence, so work that began in one term cannot write in another.
 */
export class Campaign {
  readonly #options: CampaignOptions;
  #elector: LeaderElector;
  #leadership: Leadership;
  #running: Promise<void> = Promise.resolve();
  /**
   * The time on the monotonic clock by which guarded work must have ended. Infinity when there is no
   * deadline.
   */
  #exitBy = Number.POSITIVE_INFINITY;

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.#elector = options.elector;
    this.#leadership = new Leadership(options.elector);
  }

  /** The elector of the current term, or of the current candidacy. */
  get elector(): LeaderElector {
    return this.#elector;
  }

  /** The milliseconds that remain for the shutdown if the loss of a term limits it; infinity otherwise. */
  get stopLimitMs(): number {
    return Math.max(this.#exitBy - this.#options.clock.monotonic(), 0) * STOP_SHARE_OF_LOSS;
  }

  /** Becomes a candidate for leadership, and remains a candidate until the shutdown. */
  begin(): void {
    this.#running = this.#stand();
  }

  /**
   * Ends the candidacy and the leadership. Must be called after the shutdown was requested.
   *
   * @param eventsDone - true when no Event is being sent.
   */
  async end(budget: StopBudget, eventsDone: boolean): Promise<void> {
    const { log, releaseOnStop, tasks } = this.#options;
    const left = tasks.names(isGuarded);
    const isOver = left.length === 0 && eventsDone;
    if (this.#leadership.isHeld && !isOver) {
      log.warn({ left }, 'the Lease is not released, because the work it guards may still write');
    }
    // Do not use up the whole budget, so that there is time to log the result.
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
    lost(leftMs, drained.signal); // first, because listeners of the signal may block for long
    if (!standsBy) fail(error);
    tasks.abort(isGuarded, error);
    if (standsBy) this.#running = this.#standBy(error, drained).catch(fail);
  }

  async #standBy(error: unknown, drained: AbortController): Promise<void> {
    const { clock, fail, log, standsBy, stop, tasks, termEnded } = this.#options;
    using budget = new StopBudget(clock, this.stopLimitMs);
    if (!(await budget.wait(tasks.settled(isGuarded), budget.totalMs))) {
      const names = tasks.names(isGuarded);
      log.error(
        { names },
        'work that needs leadership did not end after its loss; the process exits',
      );
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

/** The members of the leader elector that a campaign uses. */
interface Elector extends Fence {
  /** Resolves when this process leads. @throws `signal.reason` when `signal` aborts before that. */
  acquire(signal: AbortSignal): Promise<void>;
  /**
   * Keeps the leadership until `signal` aborts. @throws LeadershipLostError `LEADERSHIP_LOST` when the
   * leadership is lost.
   */
  renew(signal: AbortSignal): Promise<void>;
  /**
   * Releases the leadership within `limitMs`. Call it after everything that depends on the leadership has
   * ended. Never rejects.
   */
  release(limitMs?: number): Promise<void>;
  /** False when the process should have ended long ago. */
  readonly healthy: boolean;
  /**
   * The time on the monotonic clock by which a process that has lost its leadership must have
   * ended.
   */
  readonly exitBy: number;
}

/** One candidacy. It is won at most once, and is then lost or ended. */
class Leadership {
  readonly elector: Elector;
  readonly #renewing = new AbortController();
  #acquiring: Promise<void> | undefined;
  #renewal: Promise<void> | undefined;
  #isHeld = false;

  constructor(elector: Elector) {
    this.elector = elector;
  }

  /** True from the moment the leadership is won until it is lost or ended. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * Waits for leadership and begins to hold it. Resolves to true when this process leads.
   *
   * @param lost - called when the leadership is lost, but not when `end` ends it.
   * @throws any error of the elector, unless `signal` has aborted.
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
   * Ends the leadership or the candidacy. The signal of `gain` must have been aborted before.
   *
   * @param release - false lets the Lease expire, because guarded work may still be running.
   * @param limitMs - milliseconds that the release may take.
   */
  async end(release: boolean, limitMs: number): Promise<void> {
    this.#renewing.abort(new Error('leadership is not wanted any more'));
    await this.#acquiring?.catch(() => {}); // `gain` reports its failure
    await this.#renewal;
    if (release && this.#isHeld) await this.elector.release(limitMs);
    this.#isHeld = false;
  }
}
