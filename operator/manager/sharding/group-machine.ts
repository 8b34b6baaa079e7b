/**
 * One group on one member, as a table. The clock, the requests about the Lease and the fence are
 * elsewhere: this decides what they are for.
 *
 * - `foreign`: nothing of the group is here. This is where a group begins.
 * - `claiming`: a request for the Lease is under way.
 * - `warming`: the Lease is ours; the range is listed.
 * - `owning`: keys are reconciled.
 * - `draining`: running reconciles end, and no key begins.
 * - `lost`: the Lease may be of another; running reconciles are aborted.
 */
export type Phase = 'foreign' | 'claiming' | 'warming' | 'owning' | 'draining' | 'lost';

/**
 * What the member does after a step, in this order.
 *
 * - `claim`: acquire the Lease; the answer is `acquired` or `refused`.
 * - `open-range`: list and watch the objects of the group; the end of the list is `synced`.
 * - `dispatch`: give the keys of the group to workers, also those that were enqueued before.
 * - `stop-dispatching`: no more. From then on the end of the last running reconcile is `idle`.
 * - `abort-reconciles`: end them; `idle` follows.
 * - `drop-range`: forget the objects and keys of the group.
 * - `release`: end the term, and release the Lease if it is still ours.
 */
export type Effect =
  | 'claim'
  | 'open-range'
  | 'dispatch'
  | 'stop-dispatching'
  | 'abort-reconciles'
  | 'drop-range'
  | 'release';

/** What a member knows when it has read the Lease of a group: once in each retry period. */
export interface GroupObservation {
  /** Whether this member may act for its generation: no group may be held without. */
  readonly generationHeld: boolean;
  /** `other` also while a holder that is not in the Lease any more may act. */
  readonly holder: 'none' | 'self' | 'other';
  /** Whether the holder has had all the time that it asked for, by the clock of this member. */
  readonly stale: boolean;
  /** The fresh member that should hold it. */
  readonly preferred: 'self' | 'other' | 'nobody';
}

/**
 * - `acquired`, `refused`: the answer to `claim`. A claim that failed is refused, whatever became of it.
 * - `synced`: the list is complete.
 * - `idle`: no reconcile runs and none may begin.
 * - `drain-overdue`: running reconciles had all the time of a drain.
 * - `lost`: the term is over.
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

/** A signal, or what an observation has shown: the group may be taken, or should go to another. */
export type Trigger = Signal | 'free' | 'unpreferred';

export interface GroupState {
  readonly phase: Phase;
  /** How many observations in a row have said what is acted on only when it lasts. */
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

/** A trigger that a phase does not name changes nothing. */
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

/** Renewals at which another member has to be preferred before a group is handed over. */
const UNPREFERRED_RENEWALS = 2;

/**
 * Observations before a member takes a free group that another should take. Members see that a Lease is old up to two
 * retry periods apart, and the preferred one claims the group at its next observation. With fewer, replicas that start
 * together take groups of each other, and hold more of them for a while than they ever should.
 */
const FREE_OBSERVATIONS = 4;

/**
 * The next state, and what to do. It is a pure function.
 *
 * @param transitions - another table only in tests.
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

/** Whether writes may begin, as far as the machine is asked; the fence of the term is asked, too. */
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
