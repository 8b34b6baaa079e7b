/** One moment of a set of members, the API server and what is under way between them. */
import { type GroupState, NEW_GROUP } from '../../../operator/manager/sharding/group-machine.ts';

/** What can still go wrong, how often; and what happens without being wrong. */
export interface Budgets {
  /** A member ends without a word. */
  readonly crashes: number;
  /** A member does not run for any time; its clock goes on. */
  readonly pauses: number;
  /** A request or its answer takes any time, or is lost. */
  readonly delays: number;
  /** An object is changed, so that its key is enqueued. */
  readonly changes: number;
  /** A reconcile does not end before it is aborted. */
  readonly stuck: number;
  /** A member stops in order. */
  readonly shutdowns: number;
  /** Somebody deletes the Lease of a group. */
  readonly deletions: number;
  /** The clock of a member loses a tick. */
  readonly lags: number;
}

export const NO_FAILURES: Budgets = {
  crashes: 0,
  pauses: 0,
  delays: 0,
  changes: 0,
  stuck: 0,
  shutdowns: 0,
  deletions: 0,
  lags: 0,
};

/** A reconcile of a key of the group. */
export type Work = 'none' | 'running' | 'stuck' | 'aborted';

/** A group as one member has it. */
export interface Part {
  machine: GroupState;
  /** Asked for by the machine, and not sent yet. */
  sends: 'nothing' | 'claim' | 'release';
  /** Ticks since the beginning of the request that wrote the Lease last; undefined for no term. */
  term: number | undefined;
  /** The term is over. It is remembered until its Lease has expired, as an elector does. */
  isLost: boolean;
  /** The Lease has not changed since this member read it. */
  isCurrent: boolean;
  /** Ticks since this member saw it change. */
  seenAge: number;
  /** `unknown`: there is no Lease, or it was not read yet. Somebody may hold it. */
  seenHolder: number | undefined | 'unknown';
  isOpen: boolean;
  isDispatching: boolean;
  work: Work;
}

export interface MemberState {
  status: 'absent' | 'runs' | 'paused' | 'crashed' | 'stopped';
  /** It has done what it does in each tick. */
  hasRun: boolean;
  stopping: boolean;
  /** Ticks since it renewed the Lease of its generation; undefined for no term. */
  generationTerm: number | undefined;
  isGenerationCurrent: boolean;
  generationAge: number;
  /** The Leases of members: whether the last change was read, and the ticks since; undefined for none. */
  isMemberCurrent: boolean[];
  memberAges: (number | undefined)[];
  parts: Part[];
}

/** A request whose way takes time. There is one at a time. */
export interface Message {
  readonly kind: 'claim' | 'renew' | 'release' | 'generation';
  readonly member: number;
  readonly group: number;
  stage: 'request' | 'accepted' | 'conflict';
  /** The Lease has not changed since the member read it: the write would be accepted. */
  isCurrent: boolean;
  /** Ticks since it was sent. */
  age: number;
  /** The member does not wait for the answer any more. */
  isGivenUp: boolean;
}

export interface State {
  /** Of the Lease of each group: a member, nobody, or there is no Lease. */
  holders: (number | undefined | 'deleted')[];
  /** The generation that holds the Lease of the whole set. */
  generation: number | undefined;
  /** Whether an object of the group waits for a reconcile. */
  isDirty: boolean[];
  members: MemberState[];
  message: Message | undefined;
  budgets: Budgets;
}

export function newState(members: number, groups: number, late: number, budgets: Budgets): State {
  const part = (): Part => ({
    machine: NEW_GROUP,
    sends: 'nothing',
    term: undefined,
    isLost: false,
    isCurrent: false,
    seenAge: 0,
    seenHolder: 'unknown',
    isOpen: false,
    isDispatching: false,
    work: 'none',
  });
  const member = (_: unknown, index: number): MemberState => ({
    status: index < members - late ? 'runs' : 'absent',
    hasRun: false,
    stopping: false,
    generationTerm: undefined,
    isGenerationCurrent: false,
    generationAge: 0,
    isMemberCurrent: Array.from({ length: members }, () => true),
    memberAges: Array.from({ length: members }, () => undefined),
    parts: Array.from({ length: groups }, part),
  });
  return {
    holders: Array.from({ length: groups }, () => undefined),
    generation: undefined,
    isDirty: Array.from({ length: groups }, () => false),
    members: Array.from({ length: members }, member),
    message: undefined,
    budgets,
  };
}

export function copyOf(state: State): State {
  return {
    holders: state.holders.slice(),
    generation: state.generation,
    isDirty: state.isDirty.slice(),
    members: state.members.map(copyOfMember),
    message: state.message && { ...state.message },
    budgets: state.budgets,
  };
}

/** Field by field: this runs for each step. */
function copyOfMember(member: MemberState): MemberState {
  return {
    status: member.status,
    hasRun: member.hasRun,
    stopping: member.stopping,
    generationTerm: member.generationTerm,
    isGenerationCurrent: member.isGenerationCurrent,
    generationAge: member.generationAge,
    isMemberCurrent: member.isMemberCurrent.slice(),
    memberAges: member.memberAges.slice(),
    parts: member.parts.map(copyOfPart),
  };
}

function copyOfPart(part: Part): Part {
  return {
    machine: part.machine,
    sends: part.sends,
    term: part.term,
    isLost: part.isLost,
    isCurrent: part.isCurrent,
    seenAge: part.seenAge,
    seenHolder: part.seenHolder,
    isOpen: part.isOpen,
    isDispatching: part.isDispatching,
    work: part.work,
  };
}

const PHASES = { foreign: 0, claiming: 1, warming: 2, owning: 3, draining: 4, lost: 5 } as const;
const WORK = { none: 0, running: 4, stuck: 8, aborted: 12 } as const;
const SENDS = { nothing: 0, claim: 4, release: 8 } as const;
const STATUS = { absent: 0, runs: 1, paused: 2, crashed: 3, stopped: 4 } as const;
const KINDS = { claim: 0, renew: 1, release: 2, generation: 3 } as const;
const STAGES = { request: 0, accepted: 4, conflict: 8 } as const;

const codes: number[] = [];
let packed = 0;
let shift = 0;

/** Four numbers below 16 are one character. */
function put(number: number): void {
  packed |= number << shift;
  shift += 4;
  if (shift === 16) flush();
}

function flush(): void {
  codes.push(packed);
  packed = 0;
  shift = 0;
}

const optional = (value: number | undefined): number => (value === undefined ? 0 : value + 1);

/** The state in few characters, the same for the same state. */
export function encode(state: State): string {
  codes.length = 0;
  for (const holder of state.holders) put(holder === 'deleted' ? 15 : optional(holder));
  put(optional(state.generation));
  for (const dirty of state.isDirty) put(dirty ? 1 : 0);
  for (const member of state.members) putMember(member);
  const { message, budgets } = state;
  put(budgets.crashes + 4 * budgets.pauses);
  put(budgets.delays + 4 * budgets.changes);
  put(budgets.stuck + 4 * budgets.shutdowns);
  put(budgets.deletions + 4 * budgets.lags);
  if (message !== undefined) {
    put(KINDS[message.kind] + STAGES[message.stage]);
    put(message.member);
    put(message.group);
    put(message.age + (message.isCurrent ? 8 : 0));
    put(message.isGivenUp ? 1 : 0);
  }
  flush();
  return String.fromCharCode(...codes);
}

function putMember(member: MemberState): void {
  put(STATUS[member.status] + (member.hasRun ? 8 : 0));
  put((member.stopping ? 1 : 0) + (member.isGenerationCurrent ? 2 : 0));
  put(optional(member.generationTerm));
  put(member.generationAge);
  for (let other = 0; other < member.memberAges.length; other++) {
    put(optional(member.memberAges[other]) + (member.isMemberCurrent[other] ? 8 : 0));
  }
  for (const part of member.parts) {
    put(PHASES[part.machine.phase] + (part.machine.stopping ? 8 : 0));
    put(part.machine.patience + SENDS[part.sends]);
    put(optional(part.term) + (part.isLost ? 8 : 0));
    put(part.seenAge + (part.isCurrent ? 8 : 0));
    put(part.seenHolder === 'unknown' ? 14 : optional(part.seenHolder));
    put((part.isOpen ? 1 : 0) + (part.isDispatching ? 2 : 0) + WORK[part.work]);
  }
}

export function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

export function partOf(state: State, member: number, group: number): Part {
  return at(at(state.members, member).parts, group);
}
