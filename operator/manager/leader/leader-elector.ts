import type { Fence } from '../../client/connection.ts';
import type { Log } from '../../controller/reconciler.ts';
import { linkedAbort, NEVER_ABORTED } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import type { LeadershipLostError } from '../../core/errors.ts';
import { type Meter, noMeter } from '../../core/metrics.ts';
import { acquire } from './acquire.ts';
import { ElectionEvents, RenewalLog } from './election-events.ts';
import { type ElectionTiming, electionTiming, RETRY_JITTER } from './election-timing.ts';
import { LeaseCalls, type LeaseClient } from './lease-calls.ts';
import {
  type Claim,
  type LeaseTarget,
  type LostTerm,
  ObservedLease,
  type OwnLease,
  type StoredLease,
} from './lease-record.ts';
import { LeaseTerm } from './lease-term.ts';
import { release, renew } from './renew.ts';

/**
 * Minimum time limit of a request. Normally it is half of the renew deadline, so that a second attempt fits.
 */
const MIN_REQUEST_BOUND_MS = 1_000;

/**
 * Before the Lease is released, an Event about the end of the leadership is sent. The release waits for it
 * for at most this many milliseconds.
 */
const PARTING_EVENT_MS = 1_000;

/** The state that all candidacies of a process share. */
interface Shared {
  readonly calls: LeaseCalls;
  readonly observed: ObservedLease;
  readonly requests: RenewalLog;
  readonly events: ElectionEvents;
}

/**
 * Leader election by a Lease: at most one of many processes acts as the leader at any time.
 *
 * Call `acquire`, then `renew` until the work is done, then `release`, each once. A leader that cannot renew
 * loses its term `renewDeadlineMs` after the beginning of its last successful renewal. This is measured by
 * its own clock, and happens before another process may lead. This elector does not lead again, but its
 * `nextCandidacy` may. The elector is also a fence, and refuses writes after the loss. It reads the clock at
 * each write, so this also works if the process has stalled and no timer has fired.
 */
export class LeaderElector implements Fence {
  readonly #options: LeaderElectorOptions;
  readonly #timing: ElectionTiming;
  readonly #random: () => number;
  readonly #calls: LeaseCalls;
  readonly #observed: ObservedLease;
  readonly #requests: RenewalLog;
  readonly #events: ElectionEvents;
  readonly #term: LeaseTerm;
  /** Undefined for the first candidacy of a process. */
  readonly #lostTerm: LostTerm | undefined;
  #hasStarted = false;
  /** Makes a running `renew` reject with the given error. */
  #stopRenewing: (error: LeadershipLostError) => void = () => {};

  /**
   * @param before - the previous candidacy: see `nextCandidacy`.
   * @throws ConfigurationError `CONFIG` for durations that contradict each other: see `electionTiming`.
   */
  constructor(
    options: LeaderElectorOptions,
    before?: { readonly shared: Shared; readonly lostTerm: LostTerm },
  ) {
    const timing = electionTiming(options);
    const { clock, random = Math.random } = options;
    const { calls, events, observed, requests } = before?.shared ?? sharedOf(options, timing);
    this.#options = options;
    this.#timing = timing;
    this.#random = random;
    this.#calls = calls;
    this.#observed = observed;
    this.#requests = requests;
    this.#events = events;
    this.#lostTerm = before?.lostTerm;
    this.#term = new LeaseTerm({
      clock,
      timing,
      lastFailure: () => this.#requests.error,
      onLoss: (error) => this.#lost(error),
    });
  }

  /** The fence for writes, which is the elector itself. */
  get fence(): Fence {
    return this;
  }

  /**
   * The fence for Events. It lets Events pass before this process leads, and after a loss until `exitBy`. No
   * Event is sent when another process may act.
   */
  get eventFence(): Fence {
    return { writeDeadlineAt: () => this.#term.eventDeadlineAt() };
  }

  /** `namespace/name` of the Lease. */
  get leaseName(): string {
    const { namespace, name } = this.#options.lease;
    return `${namespace}/${name}`;
  }

  /** True while writes may begin. */
  get isLeader(): boolean {
    return this.#term.isValid;
  }

  /** Why the term was lost; undefined if it was not lost. */
  get loss(): LeadershipLostError | undefined {
    return this.#term.loss;
  }

  /** The holder when the Lease was read last; undefined when the Lease had no holder or was not read yet. */
  get holder(): string | undefined {
    return this.#observed.holder;
  }

  /**
   * False when this process has led, and still runs 20 s after its Lease has expired, although it should have
   * ended. Used for the liveness probe.
   */
  get healthy(): boolean {
    return this.#term.healthy;
  }

  /**
   * The time on `clock.monotonic()` by which a process that has lost its leadership must have ended, even if
   * shutdown hooks are running. This time is a second before another process may lead; if another process
   * already leads, it is in the past. Infinity while the leadership is not lost.
   */
  get exitBy(): number {
    return this.#term.exitBy;
  }

  /**
   * Resolves when this process leads. Failures are logged and retried without a limit.
   *
   * @throws `signal.reason` when `signal` aborts before this process leads. By then the current request has
   *   ended, and if the request has acquired the Lease, the Lease has been released.
   * @throws LeadershipLostError `LEADERSHIP_LOST` when called again.
   */
  async acquire(signal: AbortSignal): Promise<void> {
    this.#begin();
    try {
      while (!(await this.#tryToAcquire(signal))) {
        const waitMs = this.#timing.retryPeriodMs * (1 + RETRY_JITTER * this.#random());
        await sleep(this.#options.clock, waitMs, signal);
      }
    } catch (error) {
      this.#requests.stop();
      throw error;
    }
  }

  /**
   * One attempt to become the leader, instead of `acquire`. Resolves to true if this process leads.
   *
   * @throws in the same cases as `acquire`.
   */
  attempt(signal: AbortSignal): Promise<boolean> {
    this.#begin();
    return this.#tryToAcquire(signal);
  }

  #begin(): void {
    if (this.#hasStarted) throw this.#term.refusal();
    this.#hasStarted = true;
    if (this.#lostTerm === undefined) this.#events.stands();
  }

  /**
   * Another candidacy of this process, after this candidacy was lost. It has the same identity, but a new
   * fence, which blocks every write that began in this candidacy. It takes the Lease no earlier than another
   * process could, even if this process is still its holder. In `leaseTransitions` it counts as another
   * holder.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST` when this candidacy is not lost.
   */
  nextCandidacy(): LeaderElector {
    const { lostTerm } = this.#term;
    if (lostTerm === undefined) throw this.#term.refusal();
    const shared = {
      calls: this.#calls,
      events: this.#events,
      observed: this.#observed,
      requests: this.#requests,
    };
    return new LeaderElector(this.#options, { shared, lostTerm });
  }

  /**
   * Renews every `retryPeriodMs`. Resolves when `signal` aborts. The leadership then lasts without renewals
   * until `release`, or until the last renewal is too old, so keep renewing while guarded work is running.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST` at the moment from which no write may begin. Its layer is
   *   the layer of the last failed renewal, or `process` when this process did not run.
   */
  async renew(signal: AbortSignal): Promise<void> {
    using renewing = linkedAbort(signal);
    this.#stopRenewing = (error) => renewing.abort(error);
    let cancel = (): void => {};
    const watch = (): void => {
      const leftMs = this.#term.leftMs();
      if (leftMs > 0) cancel = this.#options.clock.schedule(leftMs, watch);
    };
    try {
      watch();
      await this.#renewals(renewing.signal);
    } catch (error) {
      if (!renewing.signal.aborted) throw error;
    } finally {
      cancel();
      this.#requests.stop();
    }
    if (this.#term.loss !== undefined) throw this.#term.loss;
  }

  /**
   * Releases the Lease, so that another process can lead within 2.2 × `retryPeriodMs`. Call it after all
   * guarded work has ended, because the fence blocks all writes from then on and the next leader does not
   * wait. It never rejects, and takes at most `renewDeadlineMs`. If the Lease cannot be released, it expires.
   * Does nothing when this process does not lead.
   *
   * @param limitMs - a shorter time limit than `renewDeadlineMs`, in milliseconds. Default: no shorter limit.
   */
  async release(limitMs: number = Number.POSITIVE_INFINITY): Promise<void> {
    const { own } = this.#term;
    if (this.#term.leftMs() <= 0 || own === undefined) return;
    this.#term.release();
    const { clock } = this.#options;
    const untilMs = clock.monotonic() + Math.min(this.#timing.renewDeadlineMs, limitMs);
    await this.#events.stops(own.lease, PARTING_EVENT_MS);
    await this.#releaseLease(own.lease, untilMs);
  }

  async #releaseLease(lease: StoredLease, untilMs: number): Promise<void> {
    const { clock, identity } = this.#options;
    const { retryPeriodMs } = this.#timing;
    let failure: unknown;
    const failed = (error: unknown): void => {
      failure = error;
    };
    try {
      const means = { calls: this.#calls, clock, identity, retryPeriodMs, failed };
      await this.#calls.bounded(
        ({ signal = NEVER_ABORTED }) => release(means, lease, signal),
        NEVER_ABORTED,
        untilMs - clock.monotonic(),
      );
      this.#events.released();
    } catch (error) {
      this.#events.released(failure ?? error); // reaching the time limit is not a reason
    }
  }

  /** Resolves when no Event is being sent; after a loss, at the latest at `exitBy`. Never rejects. */
  settled(): Promise<void> {
    return this.#events.settled();
  }

  /**
   * @throws LeadershipLostError `LEADERSHIP_LOST` before this process leads, and when the last renewal was
   *   too long ago.
   */
  writeDeadlineAt(): number {
    return this.#term.writeDeadlineAt();
  }

  async #tryToAcquire(signal: AbortSignal): Promise<boolean> {
    const { clock, lease: target } = this.#options;
    let own: OwnLease | undefined;
    try {
      const [observed, lostTerm] = [this.#observed, this.#lostTerm];
      const { createsEmpty } = this.#options;
      const acquisition = { calls: this.#calls, clock, target, observed, lostTerm, createsEmpty };
      own = await acquire({ ...acquisition, claim: () => this.#claim() }, signal);
      this.#requests.worked();
    } catch (error) {
      signal.throwIfAborted();
      this.#requests.failed(error);
    }
    this.#events.sees(this.#observed.holder);
    if (signal.aborted) {
      // The Lease is no longer needed, and other processes should not wait until it expires.
      const untilMs = clock.monotonic() + this.#timing.renewDeadlineMs;
      if (own !== undefined) await this.#releaseLease(own.lease, untilMs);
      signal.throwIfAborted();
    }
    if (own === undefined || !this.#term.begin(own)) return false;
    const leftMs = this.#term.leftMs();
    this.#events.leads(own.lease, Math.min(leftMs, this.#timing.retryPeriodMs));
    return true;
  }

  async #renewals(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let lastAt = this.#term.own?.since.monotonicMs ?? 0;
    while (this.#term.leftMs() > 0) {
      const waitMs = lastAt + this.#timing.retryPeriodMs - clock.monotonic();
      await sleep(clock, Math.max(waitMs, 0), signal);
      lastAt = clock.monotonic();
      await this.#renewOnce(signal);
    }
    throw this.#term.refusal();
  }

  async #renewOnce(signal: AbortSignal): Promise<void> {
    const { clock, lease: target } = this.#options;
    const { own } = this.#term;
    if (this.#term.leftMs() <= 0 || own === undefined) return;
    const renewal = {
      calls: this.#calls,
      clock,
      target,
      claim: () => this.#claim(),
      observed: this.#observed,
      onSlowPath: () => this.#events.readsAgain(),
      isShared: this.#options.isShared,
      createsEmpty: this.#options.createsEmpty,
      assertSafe: () => void this.#term.writeDeadlineAt(),
    };
    try {
      const outcome = await renew(renewal, own.lease, signal);
      this.#events.sees(this.#observed.holder);
      if ('how' in outcome) this.#term.lose(outcome);
      else this.#term.renew(outcome);
      this.#requests.worked();
    } catch (error) {
      signal.throwIfAborted();
      this.#requests.failed(error);
    }
  }

  #lost(error: LeadershipLostError): void {
    const { own } = this.#term;
    const leftMs = this.#term.exitBy - this.#options.clock.monotonic();
    if (own !== undefined) this.#events.loses(error, own.lease, leftMs);
    this.#stopRenewing(error);
  }

  #claim(): Claim {
    const { identity, clock } = this.#options;
    return { identity, leaseDurationMs: this.#timing.leaseDurationMs, nowMs: clock.now() };
  }
}

function sharedOf(options: LeaderElectorOptions, timing: ElectionTiming): Shared {
  const { client, clock, identity, lease, log, meter = noMeter, onLost = 'exit' } = options;
  const { onNewLeader = () => {}, random = Math.random, recordsEvents = true } = options;
  const boundMs = Math.max(timing.renewDeadlineMs / 2, MIN_REQUEST_BOUND_MS);
  const calls = new LeaseCalls({ client, clock, lease, boundMs });
  const facts = { client, calls, clock, identity, lease, log, meter, onLost, onNewLeader, random };
  return {
    calls,
    observed: options.observed ?? new ObservedLease(timing.leaseDurationMs),
    requests: new RenewalLog(log, clock),
    events: new ElectionEvents({ ...facts, recordsEvents }),
  };
}

export interface LeaderElectorOptions extends Partial<ElectionTiming> {
  /** A client with its own connections and without retries: `Connection.leaseClientFor`. */
  readonly client: LeaseClient;
  readonly clock: Clock;
  /** The name of this process among the candidates, new in every process: see `leaderIdentity`. */
  readonly identity: string;
  /** True if other processes use the same identity at the same time. Default false. */
  readonly isShared?: boolean;
  /**
   * True: a missing Lease is created without a holder, and taken only after its whole duration. If the Lease
   * was deleted, its former holder may act for that long, unknown to other processes. Default false: it is
   * created with its holder.
   */
  readonly createsEmpty?: boolean;
  /** The Lease. Events about it go to its namespace. */
  readonly lease: LeaseTarget;
  readonly log: Log;
  /** Receives metrics with the Lease's name as a label. Default: no metrics. */
  readonly meter?: Meter;
  /** Called with each new holder of the Lease that the elector observes, including this process. */
  readonly onNewLeader?: (identity: string) => void;
  /** `standby`: after a loss, the log reports that this process stands by. Default `exit`. */
  readonly onLost?: 'exit' | 'standby';
  /** What this process already knows about the Lease. Default: nothing. */
  readonly observed?: ObservedLease;
  /** Returns random numbers, uniform in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** False if Events about the Lease are recorded elsewhere or not at all. Default true. */
  readonly recordsEvents?: boolean;
}
