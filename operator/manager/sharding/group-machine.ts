/**
 * The state machine of one group on one member, as a table. It only decides; the clock, the requests about
 * the Lease and the fence are elsewhere.
 *
 * - `foreign`: this process has nothing of the group. Every group begins in this phase.
 * - `claiming`: a request for the Lease has been sent.
 * - `warming`: this process holds the Lease and lists the objects of the group.
 * - `owning`: keys are reconciled.
 * - `draining`: running reconciles may end, and no reconcile may begin.
 * - `lost`: another process may hold the Lease; running reconciles are aborted.
 */
export type Phase = 'foreign' | 'claiming' | 'warming' | 'owning' | 'draining' | 'lost';

/**
 * What the member does after a step, in this order.
 *
 * - `claim`: acquires the Lease. The answer is `acquired` or `refused`.
 * - `open-range`: lists and watches the objects of the group. When the list is complete, `synced` follows.
 * - `dispatch`: gives the keys of the group to workers, including keys that were enqueued before.
 * - `stop-dispatching`: gives no more keys to workers. When the last running reconcile has ended, `idle`
 *   follows.
 * - `abort-reconciles`: aborts the running reconciles; `idle` follows.
 * - `drop-range`: forgets the objects and keys of the group.
 * - `release`: ends the term, and releases the Lease if this process still holds it.
 */
export type Effect =
  | 'claim'
  | 'open-range'
  | 'dispatch'
  | 'stop-dispatching'
  | 'abort-reconciles'
  | 'drop-range'
  | 'release';

/** What a member knows after it has read the Lease of a group, once per retry period. */
export interface GroupObservation {
  /** True if this member may act for its generation. Otherwise it may hold no group. */
  readonly generationHeld: boolean;
  /**
   * `other` also stands for a previous holder that may still act although the Lease no longer contains its
   * name.
   */
  readonly holder: 'none' | 'self' | 'other';
  /** True if the duration that the holder has requested is over, by the clock of this member. */
  readonly stale: boolean;
  /** Which member should hold the group. Only members whose Leases have not expired are considered. */
  readonly preferred: 'self' | 'other' | 'nobody';
}

/**
 * - `acquired`, `refused`: the answer to `claim`. A failed claim counts as refused, even if its outcome is
 *   unknown.
 * - `synced`: the list is complete.
 * - `idle`: no reconcile is running, and none may begin.
 * - `drain-overdue`: the drain time for running reconciles is over.
 * - `lost`: the term of the group is over.
 * - `generation-lost`: the term of the generation is over.
 * - `shutdown`: the process stops. The group is not claimed again.
 */
type Signal =
  | 'acquired'
  | 'refused'
  | 'synced'
  | 'idle'
  | 'drain-overdue'
  | 'lost'
  | 'generation-lost'
  | 'shutdown';

export type GroupEvent =
  | { readonly kind: 'observed'; readonly observation: GroupObservation }
  | { readonly kind: Signal };

/**
 * A signal, or the result of an observation: `free` if the group may be taken, `unpreferred` if
 * another member should hold it.
 */
export type Trigger = Signal | 'free' | 'unpreferred';

export interface GroupState {
  readonly phase: Phase;
  /**
   * How many successive observations had the same result. For some results the machine acts only when they
   * have lasted for several observations.
   */
  readonly patience: number;
  readonly stopping: boolean;
}

export const NEW_GROUP: GroupState = { phase: 'foreign', patience: 0, stopping: false };

interface Transition {
  readonly to: Phase;
  readonly effects: readonly Effect[];
}

export type Transitions = Readonly<Record<Phase, Readonly<Partial<Record<Trigger, Transition>>>>>;

const DRAIN: Transition = { to: 'draining', effects: ['stop-dispatching'] };
const LOSE: Transition = { to: 'lost', effects: ['stop-dispatching', 'abort-reconciles'] };
const ABORT: Transition = { to: 'lost', effects: ['abort-reconciles'] };
const LEAVE: Transition = { to: 'foreign', effects: ['drop-range', 'release'] };

/** A trigger that is not listed for a phase changes nothing. */
export const TRANSITIONS: Transitions = {
  foreign: {
    free: { to: 'claiming', effects: ['claim'] },
    acquired: { to: 'foreign', effects: ['release'] }, // the claim was under way when the stop began
  },
  claiming: {
    acquired: { to: 'warming', effects: ['open-range'] },
    refused: { to: 'foreign', effects: [] },
    shutdown: { to: 'foreign', effects: [] },
  },
  warming: {
    synced: { to: 'owning', effects: ['dispatch'] },
    unpreferred: LEAVE,
    lost: LEAVE,
    'generation-lost': LEAVE,
    shutdown: LEAVE,
  },
  owning: {
    unpreferred: DRAIN,
    shutdown: DRAIN,
    lost: LOSE,
    'generation-lost': LOSE,
  },
  draining: {
    idle: LEAVE,
    'drain-overdue': ABORT,
    lost: ABORT,
    'generation-lost': ABORT,
  },
  lost: {
    idle: LEAVE,
  },
};

/** All phases. */
export const PHASES = Object.keys(TRANSITIONS) as readonly Phase[];

/** A group is handed over when another member was preferred at this many renewals in a row. */
const UNPREFERRED_RENEWALS = 2;

/**
 * The number of observations before a member takes a free group for which another member is preferred. Two
 * members may notice an expired Lease up to two retry periods apart, and the preferred member claims the
 * group at its next observation. If this number were smaller, replicas that start together would take each
 * other's groups, and temporarily hold more groups than they should.
 */
const FREE_OBSERVATIONS = 4;

/**
 * Returns the next state and the actions to perform. This is a pure function.
 *
 * @param transitions - the table of transitions. Only tests pass a table.
 */
export function step(
  state: GroupState,
  event: GroupEvent,
  transitions: Transitions = TRANSITIONS,
): { readonly state: GroupState; readonly effects: readonly Effect[] } {
  const stopping = state.stopping || event.kind === 'shutdown';
  const { patience, trigger } =
    event.kind === 'observed'
      ? judged(state, event.observation)
      : { patience: state.patience, trigger: event.kind };
  const transition = trigger && transitions[state.phase][trigger];
  if (transition === undefined) {
    return { state: { phase: state.phase, patience, stopping }, effects: [] };
  }
  return { state: { phase: transition.to, patience: 0, stopping }, effects: transition.effects };
}

/**
 * True when writes may begin according to the machine. In addition, the fence of the term must allow them.
 */
export function mayWrite({ phase }: GroupState): boolean {
  return phase === 'owning' || phase === 'draining';
}

interface Judgement {
  readonly patience: number;
  readonly trigger?: Trigger;
}

function judged(state: GroupState, observation: GroupObservation): Judgement {
  if (!observation.generationHeld) return { patience: 0, trigger: 'generation-lost' };
  switch (state.phase) {
    case 'foreign':
      return state.stopping ? { patience: 0 } : judgedForeign(state, observation);
    case 'warming':
    case 'owning':
      return observation.preferred === 'other'
        ? waited(state, UNPREFERRED_RENEWALS, 'unpreferred')
        : { patience: 0 };
    default:
      return { patience: 0 };
  }
}

function judgedForeign(state: GroupState, observation: GroupObservation): Judgement {
  const isFree = observation.holder !== 'other' || observation.stale;
  if (!isFree) return { patience: 0 };
  if (observation.preferred === 'self') return { patience: 0, trigger: 'free' };
  return waited(state, FREE_OBSERVATIONS, 'free');
}

function waited(state: GroupState, enough: number, trigger: Trigger): Judgement {
  const patience = state.patience + 1;
  return patience < enough ? { patience } : { patience, trigger };
}
