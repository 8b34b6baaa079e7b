import type { Fence } from '../../client/connection.ts';
import type { Clock } from '../../core/clock.ts';
import { LeadershipLostError, OperatorError } from '../../core/errors.ts';
import { type ElectionTiming, SAFETY_MARGIN_MS } from './election-timing.ts';
import {
  type LostLease,
  type LostTerm,
  type Moment,
  momentOf,
  type OwnLease,
  transitionsOf,
} from './lease-record.ts';

interface LeaseTermOptions {
  readonly clock: Clock;
  readonly timing: ElectionTiming;
  /** The error of the last request about the Lease; undefined when it succeeded. */
  readonly lastFailure: () => unknown;
  /** Called when the term is lost, at most once. */
  readonly onLoss: (error: LeadershipLostError) => void;
}

type State =
  | { readonly phase: 'none' | 'released' }
  | { readonly phase: 'held'; readonly own: OwnLease; readonly bounds: TermBounds }
  | {
      readonly phase: 'lost';
      readonly own: OwnLease;
      readonly bounds: TermBounds;
      readonly loss: LeadershipLostError;
      readonly exitBy: number;
    };

/**
 * A process that still has an unreleased term this many milliseconds after its Lease has expired is
 * unhealthy.
 */
const UNWELL_AFTER_MS = 20_000;

/** A deadline that has already passed. Used when another process may already act. */
const NOW = Number.NEGATIVE_INFINITY;

/**
 * One term of leadership. It begins once, is renewed, and is finally lost or released. Each query reads the
 * clock. The first query after the expiry ends the term, even if no timer has fired.
 */
export class LeaseTerm implements Fence {
  readonly #options: LeaseTermOptions;
  #state: State = { phase: 'none' };

  constructor(options: LeaseTermOptions) {
    this.#options = options;
  }

  /** The Lease as this process last wrote it; undefined before the term. */
  get own(): OwnLease | undefined {
    return 'own' in this.#state ? this.#state.own : undefined;
  }

  /** Why the term was lost; undefined if it was not lost. */
  get loss(): LeadershipLostError | undefined {
    return this.#state.phase === 'lost' ? this.#state.loss : undefined;
  }

  /** The facts about the lost term; undefined unless the term is lost. */
  get lostTerm(): LostTerm | undefined {
    if (this.#state.phase !== 'lost') return undefined;
    const { own, bounds } = this.#state;
    return { transitions: transitionsOf(own.lease), expiresAt: bounds.expiresAt };
  }

  /** True while writes may begin. */
  get isValid(): boolean {
    const state = this.#state;
    return (
      state.phase === 'held' && state.bounds.endAt(momentOf(this.#options.clock)) === undefined
    );
  }

  /** False when the term should have ended long ago and was not released. */
  get healthy(): boolean {
    if (!('bounds' in this.#state)) return true;
    return this.#options.clock.monotonic() <= this.#state.bounds.expiresAt + UNWELL_AFTER_MS;
  }

  /**
   * The time on the monotonic clock by which a process that has lost the term must have ended;
   * infinity before a loss.
   */
  get exitBy(): number {
    return this.#state.phase === 'lost' ? this.#state.exitBy : Number.POSITIVE_INFINITY;
  }

  /** Returns false when the answer came too late, so that the term was over before it began. */
  begin(own: OwnLease): boolean {
    const bounds = new TermBounds(this.#options.timing, own.since);
    if (bounds.endAt(momentOf(this.#options.clock)) !== undefined) return false;
    this.#state = { phase: 'held', own, bounds };
    return true;
  }

  /** Extends the term. A renewal that comes too late does not revive a term that is over. */
  renew(own: OwnLease): void {
    if (this.leftMs() > 0) this.begin(own);
  }

  /** Ends the term because this process gives it up. The term does not count as lost. */
  release(): void {
    this.#state = { phase: 'released' };
  }

  /** Ends the term because the Lease has another holder, no holder, or another preferred holder. */
  lose(lost: LostLease): void {
    if (this.leftMs() <= 0 || this.#state.phase !== 'held') return;
    const exitBy = lost.how === 'taken' ? NOW : this.#state.bounds.cutOffAt;
    this.#lose(this.#state, lossToAnother(lost), exitBy);
  }

  /** Milliseconds during which writes may still begin. Zero or negative when they may not. */
  leftMs(): number {
    if (this.#state.phase !== 'held') return 0;
    const { bounds } = this.#state;
    const { clock, timing, lastFailure } = this.#options;
    const now = momentOf(clock);
    const end = bounds.endAt(now);
    if (end === undefined) return bounds.safeUntil - now.monotonicMs;
    const exitBy = end.kind === 'suspended' ? NOW : bounds.cutOffAt;
    this.#lose(this.#state, lossByTime(end, lastFailure(), timing), exitBy);
    return 0;
  }

  /**
   * @throws LeadershipLostError `LEADERSHIP_LOST` before the term begins, and when the last renewal was too
   *   long ago.
   */
  writeDeadlineAt(): number {
    if (this.leftMs() <= 0 || this.#state.phase !== 'held') throw this.refusal();
    return this.#state.bounds.cutOffAt;
  }

  /**
   * The deadline of Events: infinity before the term, and `exitBy` after a loss.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST` when the deadline has passed.
   */
  eventDeadlineAt(): number {
    this.leftMs();
    const state = this.#state;
    if (state.phase === 'none') return Number.POSITIVE_INFINITY;
    if (state.phase === 'held') return state.bounds.cutOffAt;
    if (this.#options.clock.monotonic() < this.exitBy && state.phase === 'lost') return this.exitBy;
    throw this.refusal();
  }

  /** The error that says why writes may not begin now. */
  refusal(): LeadershipLostError {
    const { phase } = this.#state;
    const text = phase === 'released' ? 'has given up its leadership' : 'does not lead';
    return this.loss ?? new LeadershipLostError(`this process ${text}`);
  }

  #lose({ own, bounds }: State & { phase: 'held' }, loss: LeadershipLostError, by: number): void {
    this.#state = { phase: 'lost', own, bounds, loss, exitBy: by };
    this.#options.onLoss(loss);
  }
}

/** Why a term has timed out: the last renewal is too old, or the machine was suspended. */
type TermEnd =
  | { readonly kind: 'expired'; readonly lateMs: number }
  | { readonly kind: 'suspended'; readonly forMs: number };

/**
 * While a machine is suspended, the monotonic clock stops and the wall clock continues. Corrections of the
 * wall clock are smaller than this many milliseconds.
 */
const SUSPENDED_MS = 2_000;

/**
 * How long a leader may act, by its own clock. The time counts from the beginning of its last successful
 * renewal, because no other process can have read the renewed Lease earlier.
 */
class TermBounds {
  readonly #timing: ElectionTiming;
  readonly #since: Moment;

  /** @param since - the moment when the request that wrote the Lease began. */
  constructor(timing: ElectionTiming, since: Moment) {
    this.#timing = timing;
    this.#since = since;
  }

  /** No write may begin after this time. */
  get safeUntil(): number {
    return this.#since.monotonicMs + this.#timing.renewDeadlineMs;
  }

  /** Every write must have ended by this time. Another process may lead from a second later on. */
  get cutOffAt(): number {
    return this.expiresAt - SAFETY_MARGIN_MS;
  }

  /** Another process may lead after this time. */
  get expiresAt(): number {
    return this.#since.monotonicMs + this.#timing.leaseDurationMs;
  }

  /** Why the term is over. Undefined while the term lasts. */
  endAt(now: Moment): TermEnd | undefined {
    const forMs = now.wallMs - this.#since.wallMs - (now.monotonicMs - this.#since.monotonicMs);
    if (forMs > SUSPENDED_MS) return { kind: 'suspended', forMs };
    const lateMs = now.monotonicMs - this.safeUntil;
    return lateMs >= 0 ? { kind: 'expired', lateMs } : undefined;
  }
}

/** If a timer fires more than this many milliseconds late, the process did not run in between. */
const STALLED_MS = 1_000;

/**
 * The error of a term that has timed out.
 *
 * @param failure - the error of the last renewal; undefined when it succeeded.
 */
function lossByTime(
  end: TermEnd,
  failure: unknown,
  { renewDeadlineMs }: { readonly renewDeadlineMs: number },
): LeadershipLostError {
  if (end.kind === 'suspended') {
    return new LeadershipLostError('the machine was suspended, another may lead by now', {
      layer: 'process',
      context: { suspendedMs: Math.round(end.forMs) },
    });
  }
  if (end.lateMs > STALLED_MS) {
    return new LeadershipLostError(
      'the process did not run for so long that another may lead by now: its event loop was blocked, or it was stopped',
      { layer: 'process', context: { lateMs: Math.round(end.lateMs) } },
    );
  }
  const layer = failure instanceof OperatorError ? failure.layer : 'ambassador';
  return new LeadershipLostError('the Lease could not be renewed in time', {
    layer,
    cause: failure ?? new Error('the last renewal was not answered'),
    context: { renewDeadlineMs },
  });
}

/** The error of a term that ended because of what the Lease says. */
function lossToAnother({ by, how }: LostLease): LeadershipLostError {
  const message =
    how === 'preferred'
      ? 'the Lease names another process that should lead'
      : by === undefined
        ? 'somebody has taken the holder out of the Lease'
        : 'another process holds the Lease';
  return new LeadershipLostError(message, { context: { holder: by ?? '' } });
}
