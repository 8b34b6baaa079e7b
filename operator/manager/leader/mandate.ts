import type { Fence } from '../../client/connection.ts';
import type { Clock } from '../../core/clock.ts';
import { LeadershipLostError } from '../../core/errors.ts';
import type { Holding, LostTerm } from './contend.ts';
import type { ElectionTiming } from './election-timing.ts';
import { transitionsOf } from './lease-record.ts';
import { lossOfTenure, lossToAnother } from './loss.ts';
import type { Deprived } from './renew.ts';
import { momentOf, Tenure } from './tenure.ts';

interface MandateOptions {
  readonly clock: Clock;
  readonly timing: ElectionTiming;
  /** What the last request about the Lease failed with; undefined when it worked. */
  readonly lastFailure: () => unknown;
  /** Told once. */
  readonly onLoss: (error: LeadershipLostError) => void;
}

type State =
  | { readonly phase: 'none' | 'released' }
  | { readonly phase: 'held'; readonly holding: Holding; readonly tenure: Tenure }
  | {
      readonly phase: 'lost';
      readonly holding: Holding;
      readonly tenure: Tenure;
      readonly loss: LeadershipLostError;
      readonly exitBy: number;
    };

/** How long after the Lease has expired a leader may still be there, before it is unwell. */
const UNWELL_AFTER_MS = 20_000;

/** Of what should be over: another may act. */
const NOW = Number.NEGATIVE_INFINITY;

/**
 * The right to act: begun once, renewed, and then lost or given up for ever. Who asks learns by the
 * clock whether it is over, and the first who learns it makes it so, whatever timers have fired.
 */
export class Mandate implements Fence {
  readonly #options: MandateOptions;
  #state: State = { phase: 'none' };

  constructor(options: MandateOptions) {
    this.#options = options;
  }

  /** The Lease as it was seen last; undefined before it was ours. */
  get holding(): Holding | undefined {
    return 'holding' in this.#state ? this.#state.holding : undefined;
  }

  /** Of a mandate that is lost. */
  get loss(): LeadershipLostError | undefined {
    return this.#state.phase === 'lost' ? this.#state.loss : undefined;
  }

  /** Undefined unless the mandate is lost. */
  get lostTerm(): LostTerm | undefined {
    if (this.#state.phase !== 'lost') return undefined;
    const { holding, tenure } = this.#state;
    return { transitions: transitionsOf(holding.lease), expiresAt: tenure.expiresAt };
  }

  /** Whether writes may begin now. */
  get isValid(): boolean {
    const state = this.#state;
    return (
      state.phase === 'held' && state.tenure.endAt(momentOf(this.#options.clock)) === undefined
    );
  }

  /** False when it should be long over, and is neither given up nor is the process gone. */
  get healthy(): boolean {
    if (!('tenure' in this.#state)) return true;
    return this.#options.clock.monotonic() <= this.#state.tenure.expiresAt + UNWELL_AFTER_MS;
  }

  /** By when, on the monotonic clock, a process that has lost it must be gone; infinity before. */
  get exitBy(): number {
    return this.#state.phase === 'lost' ? this.#state.exitBy : Number.POSITIVE_INFINITY;
  }

  /** False when the answer came so late that its time is over: then nothing has begun. */
  begin(holding: Holding): boolean {
    const tenure = new Tenure(this.#options.timing, holding.since);
    if (tenure.endAt(momentOf(this.#options.clock)) !== undefined) return false;
    this.#state = { phase: 'held', holding, tenure };
    return true;
  }

  /** What was renewed too late does not bring back what is over. */
  renew(holding: Holding): void {
    if (this.leftMs() > 0) this.begin(holding);
  }

  /** Nothing may act by it any more, and nobody has taken it from us. */
  giveUp(): void {
    this.#state = { phase: 'released' };
  }

  /** The Lease says that it is over. */
  deprive(deprived: Deprived): void {
    if (this.leftMs() <= 0 || this.#state.phase !== 'held') return;
    const exitBy = deprived.how === 'taken' ? NOW : this.#state.tenure.cutOffAt;
    this.#lose(this.#state, lossToAnother(deprived), exitBy);
  }

  /** How long writes may still begin. Not positive when they may not. */
  leftMs(): number {
    if (this.#state.phase !== 'held') return 0;
    const { tenure } = this.#state;
    const { clock, timing, lastFailure } = this.#options;
    const now = momentOf(clock);
    const end = tenure.endAt(now);
    if (end === undefined) return tenure.safeUntil - now.monotonicMs;
    const exitBy = end.kind === 'suspended' ? NOW : tenure.cutOffAt;
    this.#lose(this.#state, lossOfTenure(end, lastFailure(), timing), exitBy);
    return 0;
  }

  /**
   * @throws LeadershipLostError `LEADERSHIP_LOST` from the end of the time that the last renewal gives,
   *   and before there is a mandate.
   */
  writeDeadlineAt(): number {
    if (this.leftMs() <= 0 || this.#state.phase !== 'held') throw this.refusal();
    return this.#state.tenure.cutOffAt;
  }

  /**
   * The last moment of what tells of the work: infinity while there was no mandate, and until `exitBy`
   * after a loss.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST` when it is over.
   */
  newsDeadlineAt(): number {
    this.leftMs();
    const state = this.#state;
    if (state.phase === 'none') return Number.POSITIVE_INFINITY;
    if (state.phase === 'held') return state.tenure.cutOffAt;
    if (this.#options.clock.monotonic() < this.exitBy && state.phase === 'lost') return this.exitBy;
    throw this.refusal();
  }

  /** Why writes may not begin now. */
  refusal(): LeadershipLostError {
    const { phase } = this.#state;
    const text = phase === 'released' ? 'has given up its leadership' : 'does not lead';
    return this.loss ?? new LeadershipLostError(`this process ${text}`);
  }

  #lose(
    { holding, tenure }: State & { phase: 'held' },
    loss: LeadershipLostError,
    by: number,
  ): void {
    this.#state = { phase: 'lost', holding, tenure, loss, exitBy: by };
    this.#options.onLoss(loss);
  }
}
