import type { Fence } from '../../client/connection.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import { LeadershipLostError } from '../../core/errors.ts';
import type { LeaderElector } from '../leader/leader-elector.ts';
import type { ObservedLease } from '../leader/lease-record.ts';
import {
  type Effect,
  type GroupEvent,
  type GroupState,
  NEW_GROUP,
  type Phase,
  step,
} from './group-machine.ts';

/**
 * The right to work on one group. A process has it while it holds the group's Lease and the generation's
 * Lease.
 */
export interface GroupTerm {
  readonly fence: Fence;
  readonly eventFence: Fence;
  /** Aborts when running attempts must end. */
  readonly lost: AbortSignal;
}

/** What a group needs from the caches and controllers of a process. */
export interface ShardedWork {
  /**
   * Resolves when the caches hold the objects of the group.
   *
   * @throws `signal.reason` when `signal` aborts before that.
   */
  open(group: number, signal: AbortSignal): Promise<void>;
  /** Allows attempts for the group to begin, and enqueues all its keys. */
  dispatch(group: number, term: GroupTerm): void;
  /** Allows no more attempts to begin. Resolves when no attempt is running. */
  drain(group: number): Promise<void>;
  /** Allows the caches to drop the objects of the group. */
  drop(group: number): void;
}

interface ShardGroupOptions {
  readonly group: number;
  readonly work: ShardedWork;
  /** The Lease of the group, as this process last saw it. */
  readonly observed: ObservedLease;
  readonly newElector: (observed: ObservedLease) => LeaderElector;
  /** The fence of the generation. */
  readonly generation: Fence;
  /** How long running reconciles may take to finish when the group is handed over, in milliseconds. */
  readonly drainMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: (from: Phase, to: Phase) => void;
  /** Called with the milliseconds of a hand-over, from the end of dispatching to the release. */
  readonly handedOver: (ms: number) => void;
}

/** A term of this process, from acquiring the Lease to releasing it. */
interface Held {
  readonly elector: LeaderElector;
  readonly renewing: AbortController;
  readonly lost: AbortController;
}

/** One group on this replica. It performs the actions that `group-machine.ts` decides. */
export class ShardGroup {
  readonly #options: ShardGroupOptions;
  #state: GroupState = NEW_GROUP;
  #held: Held | undefined;
  /** The elector of the last term, if the term was lost. The next candidacy needs it. */
  #lostElector: LeaderElector | undefined;
  #claiming = new AbortController();
  #cancelDrain: Cancel = () => {};
  /** When dispatching ended, on the monotonic clock. */
  #drainedAt = 0;
  readonly #waiting = new Set<() => void>();

  constructor(options: ShardGroupOptions) {
    this.#options = options;
  }

  get phase(): Phase {
    return this.#state.phase;
  }

  /** True when this process has nothing of the group, and no request about it is pending. */
  get isForeign(): boolean {
    return this.phase === 'foreign' && this.#held === undefined;
  }

  /**
   * False when a lost term should have ended long ago but has not, because a reconcile ignores its signal.
   */
  get healthy(): boolean {
    return this.#held?.elector.healthy ?? true;
  }

  send(event: GroupEvent): void {
    const before = this.phase;
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    if (event.kind === 'shutdown') this.#claiming.abort(new Error('the process stops'));
    for (const effect of effects) this.#do(effect);
    if (state.phase !== before) {
      const { changed, group, log } = this.#options;
      log.debug({ group, from: before, to: state.phase, event: event.kind }, 'group changes');
      changed(before, state.phase);
    }
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when the group is `foreign` and its Lease is released. */
  async untilForeign(): Promise<void> {
    while (!this.isForeign) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  #do(effect: Effect): void {
    const { clock, drainMs, group, work } = this.#options;
    switch (effect) {
      case 'claim':
        void this.#claim();
        return;
      case 'open-range':
        void this.#open();
        return;
      case 'dispatch':
        work.dispatch(group, this.#term());
        return;
      case 'stop-dispatching':
        this.#drainedAt = clock.monotonic();
        void work.drain(group).then(() => {
          this.#cancelDrain();
          this.send({ kind: 'idle' });
        });
        this.#cancelDrain = clock.schedule(drainMs, () => this.send({ kind: 'drain-overdue' }));
        return;
      case 'abort-reconciles':
        this.#cancelDrain();
        this.#held?.lost.abort(this.#held.elector.loss ?? handedOver());
        return;
      case 'drop-range':
        this.#held?.lost.abort(handedOver()); // a list under way
        work.drop(group);
        return;
      case 'release':
        void this.#release();
    }
  }

  #term(): GroupTerm {
    const { generation } = this.#options;
    const { elector, lost } = this.#held as Held;
    const both = (fence: Fence): Fence => ({
      writeDeadlineAt: () => Math.min(fence.writeDeadlineAt(), generation.writeDeadlineAt()),
    });
    return { fence: both(elector.fence), eventFence: both(elector.eventFence), lost: lost.signal };
  }

  async #claim(): Promise<void> {
    const { newElector, observed } = this.#options;
    this.#claiming = new AbortController();
    const elector = this.#lostElector?.nextCandidacy() ?? newElector(observed);
    let isHeld = false;
    try {
      isHeld = await elector.attempt(this.#claiming.signal);
    } catch {
      // The elector has already logged the error.
    }
    if (!isHeld) {
      this.send({ kind: 'refused' });
      return;
    }
    this.#lostElector = undefined;
    const held: Held = { elector, renewing: new AbortController(), lost: new AbortController() };
    this.#held = held;
    elector.renew(held.renewing.signal).catch(() => {
      this.#lostElector = elector;
      if (this.#held === held) this.send({ kind: 'lost' });
    });
    this.send({ kind: 'acquired' });
  }

  async #open(): Promise<void> {
    const { group, work } = this.#options;
    const held = this.#held as Held;
    try {
      await work.open(group, held.lost.signal);
    } catch (error) {
      if (held.lost.signal.aborted) return;
      throw error;
    }
    if (this.#held === held) this.send({ kind: 'synced' });
  }

  async #release(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    held.renewing.abort(new Error('the group is given back'));
    held.lost.abort(handedOver());
    await held.elector.release();
    const { clock, handedOver: report } = this.#options;
    if (this.#drainedAt > 0) report(clock.monotonic() - this.#drainedAt);
    this.#drainedAt = 0;
    this.#held = undefined;
    for (const wake of this.#waiting) wake();
  }
}

function handedOver(): LeadershipLostError {
  return new LeadershipLostError('another replica works on this group from now on');
}
