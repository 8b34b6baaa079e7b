import type { Fence } from '../../client/connection.ts';
import { linkedAbort, NEVER_ABORTED } from '../../core/abort.ts';
import { sleep } from '../../core/clock.ts';
import type { LeadershipLostError } from '../../core/errors.ts';
import { noMeter } from '../../core/metrics.ts';
import { contend, type Holding, type LostTerm } from './contend.ts';
import { ElectionNews } from './election-news.ts';
import { type ElectionTiming, electionTiming, RETRY_JITTER } from './election-timing.ts';
import type { LeaderElectorOptions } from './leader-elector-options.ts';
import { LeaseCalls } from './lease-calls.ts';
import type { Claim, StoredLease } from './lease-record.ts';
import { Mandate } from './mandate.ts';
import { ObservedLease } from './observed-lease.ts';
import { release } from './release.ts';
import { renew } from './renew.ts';
import { RenewalLog } from './renewal-log.ts';

export type { LeaderElectorOptions };

/** Half of the renew deadline, so that a second attempt fits in; but no server answers at once. */
const MIN_REQUEST_BOUND_MS = 1_000;

/** A release waits so long for people to be told of it. */
const PARTING_EVENT_MS = 1_000;

/** What the candidacies of one process share. */
interface Shared {
  readonly calls: LeaseCalls;
  readonly observed: ObservedLease;
  readonly requests: RenewalLog;
  readonly news: ElectionNews;
}

/**
 * Leadership by a Lease: one process of many acts, and only while it can be sure that no other does.
 *
 * `acquire`, then `hold` until the work is done, then `release`, each once. A leader that cannot renew
 * stops being one `renewDeadlineMs` after the beginning of its last good renewal, by its own clock and
 * before anybody else may lead; it does not stand again, but its `nextCandidacy` may. As a fence, it
 * refuses writes from then on, asked each time, so that it holds after a stall in which no timer fired.
 */
export class LeaderElector implements Fence {
  readonly #options: LeaderElectorOptions;
  readonly #timing: ElectionTiming;
  readonly #random: () => number;
  readonly #calls: LeaseCalls;
  readonly #observed: ObservedLease;
  readonly #requests: RenewalLog;
  readonly #news: ElectionNews;
  readonly #mandate: Mandate;
  /** Undefined for the first candidacy of a process. */
  readonly #lostTerm: LostTerm | undefined;
  #hasStood = false;
  /** Ends `hold`, while it runs. */
  #stopHolding: (error: LeadershipLostError) => void = () => {};

  /**
   * @param before - of the candidacy before: see `nextCandidacy`.
   * @throws ConfigurationError `CONFIG` for times by which no leader can live.
   */
  constructor(
    options: LeaderElectorOptions,
    before?: { readonly shared: Shared; readonly lostTerm: LostTerm },
  ) {
    const timing = electionTiming(options);
    const { clock, random = Math.random } = options;
    const { calls, news, observed, requests } = before?.shared ?? sharedOf(options, timing);
    this.#options = options;
    this.#timing = timing;
    this.#random = random;
    this.#calls = calls;
    this.#observed = observed;
    this.#requests = requests;
    this.#news = news;
    this.#lostTerm = before?.lostTerm;
    this.#mandate = new Mandate({
      clock,
      timing,
      lastFailure: () => this.#requests.error,
      onLoss: (error) => this.#lost(error),
    });
  }

  /** For writes; it is the elector itself. */
  get fence(): Fence {
    return this;
  }

  /**
   * For Events, which tell what was done: they pass before this process leads, and after a loss until
   * `exitBy`, so that none is sent when another may act.
   */
  get eventFence(): Fence {
    return { writeDeadlineAt: () => this.#mandate.newsDeadlineAt() };
  }

  /** `namespace/name` of the Lease. */
  get leaseName(): string {
    const { namespace, name } = this.#options.lease;
    return `${namespace}/${name}`;
  }

  /** Whether writes may begin now. */
  get isLeader(): boolean {
    return this.#mandate.isValid;
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
    return this.#mandate.healthy;
  }

  /**
   * By when, on `clock.monotonic()`, a process that has lost its leadership must be gone, whatever its
   * stop hooks do: a second before another may lead; in the past when another does. Infinity before.
   */
  get exitBy(): number {
    return this.#mandate.exitBy;
  }

  /**
   * Resolves when this process leads. Failures are logged and tried again, for ever.
   *
   * @throws `signal.reason` when aborted first; after what was under way then has ended, and a Lease
   *   that it won has been given back.
   * @throws LeadershipLostError `LEADERSHIP_LOST` when called again: who has led does not stand again.
   */
  async acquire(signal: AbortSignal): Promise<void> {
    if (this.#hasStood) throw this.#mandate.refusal();
    this.#hasStood = true;
    if (this.#lostTerm === undefined) this.#news.stands();
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
   * Another candidacy of this process, after this one was lost: the same identity, and a fence of its
   * own, which passes nothing that began under this one. It reads the Lease at once and takes it no
   * earlier than another process could, be it that the Lease still names this process; and it
   * counts as another holder in `leaseTransitions`.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST` when this candidacy is not lost.
   */
  nextCandidacy(): LeaderElector {
    const { lostTerm } = this.#mandate;
    if (lostTerm === undefined) throw this.#mandate.refusal();
    const shared = {
      calls: this.#calls,
      news: this.#news,
      observed: this.#observed,
      requests: this.#requests,
    };
    return new LeaderElector(this.#options, { shared, lostTerm });
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
      const leftMs = this.#mandate.leftMs();
      if (leftMs > 0) cancel = this.#options.clock.schedule(leftMs, watch);
    };
    try {
      watch();
      await this.#renewals(holding.signal);
    } catch (error) {
      if (!holding.signal.aborted) throw error;
    } finally {
      cancel();
      this.#requests.stop();
    }
    if (this.#mandate.loss !== undefined) throw this.#mandate.loss;
  }

  /**
   * Gives the Lease up, so that another can lead within 2.2 × `retryPeriodMs`. Only for after all
   * guarded work: from its beginning no write passes, and the next leader waits for nothing. Never
   * rejects, and takes `renewDeadlineMs` at most: a Lease that could not be given up expires.
   * Does nothing when this process does not lead.
   *
   * @param limitMs - takes so long at most, where there is less time than `renewDeadlineMs`.
   */
  async release(limitMs: number = Number.POSITIVE_INFINITY): Promise<void> {
    const { holding } = this.#mandate;
    if (this.#mandate.leftMs() <= 0 || holding === undefined) return;
    this.#mandate.giveUp();
    const { clock } = this.#options;
    const untilMs = clock.monotonic() + Math.min(this.#timing.renewDeadlineMs, limitMs);
    await this.#news.stops(holding.lease, PARTING_EVENT_MS);
    await this.#giveBack(holding.lease, untilMs);
  }

  async #giveBack(lease: StoredLease, untilMs: number): Promise<void> {
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
      this.#news.released();
    } catch (error) {
      this.#news.released(failure ?? error); // that time is over is no reason
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
    return this.#mandate.writeDeadlineAt();
  }

  async #standAndWin(signal: AbortSignal): Promise<boolean> {
    const { clock, lease: target } = this.#options;
    let holding: Holding | undefined;
    try {
      const [observed, lostTerm] = [this.#observed, this.#lostTerm];
      const contest = { calls: this.#calls, clock, target, observed, lostTerm };
      holding = await contend({ ...contest, claim: () => this.#claim() }, signal);
      this.#requests.worked();
    } catch (error) {
      signal.throwIfAborted();
      this.#requests.failed(error);
    }
    this.#news.sees(this.#observed.holder);
    if (signal.aborted) {
      // Won when it was not wanted any more: others are not to wait until it expires.
      const untilMs = clock.monotonic() + this.#timing.renewDeadlineMs;
      if (holding !== undefined) await this.#giveBack(holding.lease, untilMs);
      signal.throwIfAborted();
    }
    if (holding === undefined || !this.#mandate.begin(holding)) return false;
    const leftMs = this.#mandate.leftMs();
    this.#news.leads(holding.lease, Math.min(leftMs, this.#timing.retryPeriodMs));
    return true;
  }

  async #renewals(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let lastAt = this.#mandate.holding?.since.monotonicMs ?? 0;
    while (this.#mandate.leftMs() > 0) {
      const waitMs = lastAt + this.#timing.retryPeriodMs - clock.monotonic();
      await sleep(clock, Math.max(waitMs, 0), signal);
      lastAt = clock.monotonic();
      await this.#renewOnce(signal);
    }
    throw this.#mandate.refusal();
  }

  async #renewOnce(signal: AbortSignal): Promise<void> {
    const { clock, lease: target } = this.#options;
    const { holding } = this.#mandate;
    if (this.#mandate.leftMs() <= 0 || holding === undefined) return;
    const renewal = {
      calls: this.#calls,
      clock,
      target,
      claim: () => this.#claim(),
      observed: this.#observed,
      onSlowPath: () => this.#news.readsAgain(),
      assertSafe: () => void this.#mandate.writeDeadlineAt(),
    };
    try {
      const outcome = await renew(renewal, holding.lease, signal);
      this.#news.sees(this.#observed.holder);
      if ('how' in outcome) this.#mandate.deprive(outcome);
      else this.#mandate.renew(outcome);
      this.#requests.worked();
    } catch (error) {
      signal.throwIfAborted();
      this.#requests.failed(error);
    }
  }

  #lost(error: LeadershipLostError): void {
    const { holding } = this.#mandate;
    const leftMs = this.#mandate.exitBy - this.#options.clock.monotonic();
    if (holding !== undefined) this.#news.loses(error, holding.lease, leftMs);
    this.#stopHolding(error);
  }

  #claim(): Claim {
    const { identity, clock } = this.#options;
    return { identity, leaseDurationMs: this.#timing.leaseDurationMs, nowMs: clock.now() };
  }
}

function sharedOf(options: LeaderElectorOptions, timing: ElectionTiming): Shared {
  const { client, clock, identity, lease, log } = options;
  const {
    meter = noMeter,
    onLost = 'exit',
    onNewLeader = () => {},
    random = Math.random,
  } = options;
  const boundMs = Math.max(timing.renewDeadlineMs / 2, MIN_REQUEST_BOUND_MS);
  const calls = new LeaseCalls({ client, clock, lease, boundMs });
  const told = { client, calls, clock, identity, lease, log, meter, onLost, onNewLeader, random };
  return {
    calls,
    observed: new ObservedLease(timing.leaseDurationMs),
    requests: new RenewalLog(log, clock),
    news: new ElectionNews(told),
  };
}
