import type { Client } from '../../client/client.ts';
import type { Fence } from '../../client/connection.ts';
import type { Log } from '../../controller/reconciler.ts';
import { linkedAbort, NEVER_ABORTED } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { LeadershipLostError } from '../../core/errors.ts';
import { type Meter, noMeter } from '../../core/metrics.ts';
import { contend, type Holding } from './contend.ts';
import { ElectionNews } from './election-news.ts';
import { type ElectionTiming, electionTiming, RETRY_JITTER } from './election-timing.ts';
import { LeaseCalls } from './lease-calls.ts';
import type { Claim } from './lease-record.ts';
import { lossOfTenure, lossToAnother } from './loss.ts';
import { ObservedLease } from './observed-lease.ts';
import { release } from './release.ts';
import { type Deprived, renew } from './renew.ts';
import { RenewalLog } from './renewal-log.ts';
import { type Moment, momentOf, Tenure } from './tenure.ts';

export interface LeaderElectorOptions extends Partial<ElectionTiming> {
  /** On connections of its own, and repeating nothing: `Connection.leaseClientFor`. */
  readonly client: Client;
  readonly clock: Clock;
  /** Who we are among the candidates, new in every process: see `leaderIdentity`. */
  readonly identity: string;
  /** The Lease that is contended for. Events about it go to its namespace. */
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly log: Log;
  /** Counts and shows, labelled with the Lease's name. Default: nowhere. */
  readonly meter?: Meter;
  /** Called with each holder that is seen and was not the holder before, ourselves included. */
  readonly onNewLeader?: (identity: string) => void;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** How long after its Lease has expired a leader may still be there, before it is unwell. */
const UNWELL_AFTER_MS = 20_000;

/** A release waits so long for people to be told of it. */
const PARTING_EVENT_MS = 1_000;

/** Half of the renew deadline, so that a second attempt fits in; but no server answers at once. */
const MIN_REQUEST_BOUND_MS = 1_000;

/** Of what should be over: another leads. */
const NOW = Number.NEGATIVE_INFINITY;

type Phase = 'idle' | 'candidate' | 'leading' | 'lost' | 'released';

/**
 * Leadership by a Lease: one process of many acts, and only while it can be sure that no other does.
 *
 * `acquire`, then `hold` until the work is done, then `release`, each once. A leader that cannot renew
 * stops being one `renewDeadlineMs` after the beginning of its last good renewal, by its own clock and
 * before anybody else may lead; it does not stand again. As a fence, it refuses writes from then on,
 * asked each time, so that it holds after a stall in which no timer fired.
 */
export class LeaderElector implements Fence {
  readonly #options: LeaderElectorOptions;
  readonly #timing: ElectionTiming;
  readonly #calls: LeaseCalls;
  readonly #observed: ObservedLease;
  readonly #requests: RenewalLog;
  readonly #news: ElectionNews;
  readonly #random: () => number;
  #phase: Phase = 'idle';
  /** Both there as soon as the phase is `leading`. */
  #holding: Holding | undefined;
  #tenure: Tenure | undefined;
  #loss: LeadershipLostError | undefined;
  #exitBy = Number.POSITIVE_INFINITY;
  /** Ends `hold`, while it runs. */
  #stopHolding: (error: LeadershipLostError) => void = () => {};

  /** @throws ConfigurationError `CONFIG` for times by which no leader can live. */
  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#timing = electionTiming(options);
    const { client, clock, lease, log, meter = noMeter, random = Math.random } = options;
    const boundMs = Math.max(this.#timing.renewDeadlineMs / 2, MIN_REQUEST_BOUND_MS);
    this.#calls = new LeaseCalls({ client, clock, lease, boundMs });
    this.#observed = new ObservedLease(this.#timing.leaseDurationMs);
    this.#requests = new RenewalLog(log, clock);
    this.#random = random;
    const { identity, onNewLeader = () => {} } = options;
    const calls = this.#calls;
    const told = { client, calls, clock, identity, lease, log, meter, onNewLeader, random };
    this.#news = new ElectionNews(told);
  }

  /** Whether writes may begin now. */
  get isLeader(): boolean {
    return this.#phase === 'leading' && this.#tenure?.endAt(this.#now()) === undefined;
  }

  /** Who held the Lease when it was seen last; undefined when nobody did, or it was not seen yet. */
  get holder(): string | undefined {
    return this.#observed.holder;
  }

  /**
   * False when a process that led is still there 20 s after its Lease has expired: it should have
   * ended. For the liveness probe.
   */
  get healthy(): boolean {
    if (this.#phase !== 'leading' && this.#phase !== 'lost') return true;
    const expiresAt = this.#tenure?.expiresAt ?? 0;
    return this.#options.clock.monotonic() <= expiresAt + UNWELL_AFTER_MS;
  }

  /**
   * By when, on `clock.monotonic()`, a process that has lost its leadership must be gone, whatever its
   * stop hooks do: a second before another may lead; in the past when another does. Infinity before.
   */
  get exitBy(): number {
    return this.#exitBy;
  }

  /**
   * Resolves when this process leads. Failures are logged and tried again, for ever.
   *
   * @throws `signal.reason` when aborted first.
   * @throws LeadershipLostError `LEADERSHIP_LOST` when called again: who has led does not stand again.
   */
  async acquire(signal: AbortSignal): Promise<void> {
    if (this.#phase !== 'idle') throw this.#refusal();
    this.#phase = 'candidate';
    this.#news.stands();
    try {
      while (!(await this.#standAndWin(signal))) {
        const waitMs = this.#timing.retryPeriodMs * (1 + RETRY_JITTER * this.#random());
        await sleep(this.#options.clock, waitMs, signal);
      }
    } catch (error) {
      this.#requests.stop();
      throw error;
    }
  }

  /**
   * Renews every `retryPeriodMs`. Resolves when `signal` aborts; leadership then lasts, unrenewed,
   * until `release` or the end of its time: keep holding while guarded work is under way.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST`, at the moment when nothing may begin any more; its
   *   layer is that of the last failed renewal, or `process` when this process did not run.
   */
  async hold(signal: AbortSignal): Promise<void> {
    using holding = linkedAbort(signal);
    this.#stopHolding = (error) => holding.abort(error);
    let cancel = (): void => {};
    const watch = (): void => {
      const leftMs = this.#leftMs();
      if (leftMs > 0) cancel = this.#options.clock.schedule(leftMs, watch);
    };
    try {
      watch();
      if (this.#phase !== 'leading') throw this.#refusal();
      await this.#renewals(holding.signal);
    } catch (error) {
      if (!holding.signal.aborted) throw error;
    } finally {
      cancel();
      this.#requests.stop();
    }
    if (this.#loss !== undefined) throw this.#loss;
  }

  /**
   * Gives the Lease up, so that another can lead within 2.2 × `retryPeriodMs`. Only for after all
   * guarded work: from its beginning no write passes, and the next leader waits for nothing. Never
   * rejects, and takes `renewDeadlineMs` at most: a Lease that could not be given up expires.
   * Does nothing when this process does not lead.
   */
  async release(): Promise<void> {
    if (this.#leftMs() <= 0 || this.#holding === undefined) return;
    this.#phase = 'released';
    const { clock, identity } = this.#options;
    const { lease } = this.#holding;
    const { renewDeadlineMs, retryPeriodMs } = this.#timing;
    const untilMs = clock.monotonic() + renewDeadlineMs;
    await this.#news.stops(lease, Math.min(PARTING_EVENT_MS, renewDeadlineMs / 2));
    try {
      const means = { calls: this.#calls, clock, identity, retryPeriodMs };
      await this.#calls.bounded(
        ({ signal = NEVER_ABORTED }) => release(means, lease, signal),
        NEVER_ABORTED,
        untilMs - clock.monotonic(),
      );
      this.#news.released();
    } catch (error) {
      this.#news.released(error);
    }
  }

  /** Resolves when no request of it is under way; by `exitBy` after a loss. Never rejects. */
  settled(): Promise<void> {
    return this.#news.settled();
  }

  /**
   * @throws LeadershipLostError `LEADERSHIP_LOST` from the end of the time that the last renewal gives,
   *   and before this process leads.
   */
  writeDeadlineAt(): number {
    if (this.#leftMs() <= 0 || this.#tenure === undefined) throw this.#refusal();
    return this.#tenure.cutOffAt;
  }

  async #standAndWin(signal: AbortSignal): Promise<boolean> {
    const { clock, lease: target } = this.#options;
    const { retryPeriodMs } = this.#timing;
    let holding: Holding | undefined;
    try {
      const contest = { calls: this.#calls, clock, target, observed: this.#observed };
      holding = await contend({ ...contest, claim: () => this.#claim() }, signal);
      this.#requests.worked();
    } catch (error) {
      signal.throwIfAborted();
      this.#requests.failed(error);
    }
    this.#news.sees(this.#observed.holder);
    if (holding === undefined) return false;
    this.#holding = holding;
    this.#tenure = new Tenure(this.#timing, holding.since);
    this.#phase = 'leading';
    this.#news.leads(holding.lease, retryPeriodMs);
    return true;
  }

  async #renewals(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let lastAt = this.#holding?.since.monotonicMs ?? 0;
    for (;;) {
      const waitMs = lastAt + this.#timing.retryPeriodMs - clock.monotonic();
      await sleep(clock, Math.max(waitMs, 0), signal);
      if (this.#leftMs() <= 0) throw this.#refusal();
      lastAt = clock.monotonic();
      await this.#renewOnce(signal);
    }
  }

  async #renewOnce(signal: AbortSignal): Promise<void> {
    const { clock, lease: target } = this.#options;
    if (this.#holding === undefined || this.#tenure === undefined) return;
    const renewal = {
      calls: this.#calls,
      clock,
      target,
      claim: () => this.#claim(),
      onSlowPath: () => this.#news.readsAgain(),
      assertSafe: () => void this.writeDeadlineAt(),
    };
    let outcome: Holding | Deprived;
    try {
      outcome = await renew(renewal, this.#holding.lease, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#requests.failed(error);
      return;
    }
    // What was renewed too late does not bring back what has been given up meanwhile.
    if (this.#leftMs() <= 0) throw this.#refusal();
    this.#requests.worked();
    if ('how' in outcome) {
      const isTaken = outcome.how === 'taken';
      this.#lose(lossToAnother(outcome), isTaken ? NOW : this.#tenure.cutOffAt);
      return;
    }
    this.#holding = outcome;
    this.#tenure.renew(outcome.since);
  }

  /** How long writes may still begin; latches the end of it. Not positive while not leading. */
  #leftMs(): number {
    if (this.#phase !== 'leading' || this.#tenure === undefined) return 0;
    const now = this.#now();
    const end = this.#tenure.endAt(now);
    if (end === undefined) return this.#tenure.safeUntil - now.monotonicMs;
    const exitBy = end.kind === 'suspended' ? NOW : this.#tenure.cutOffAt;
    this.#lose(lossOfTenure(end, this.#requests.error, this.#timing), exitBy);
    return 0;
  }

  #lose(error: LeadershipLostError, exitBy: number): void {
    this.#phase = 'lost';
    this.#loss = error;
    this.#exitBy = exitBy;
    if (this.#holding !== undefined) {
      this.#news.loses(error, this.#holding.lease, exitBy - this.#options.clock.monotonic());
    }
    this.#stopHolding(error);
  }

  #refusal(): LeadershipLostError {
    if (this.#loss !== undefined) return this.#loss;
    const isOver = this.#phase === 'released';
    return new LeadershipLostError(
      isOver ? 'this process has given up its leadership' : 'this process does not lead',
    );
  }

  #claim(): Claim {
    const { identity, clock } = this.#options;
    return { identity, leaseDurationMs: this.#timing.leaseDurationMs, nowMs: clock.now() };
  }

  #now(): Moment {
    return momentOf(this.#options.clock);
  }
}
