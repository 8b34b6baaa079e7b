/**
 * Members that share groups, as an abstract machine: what `step`, the preference, the members' freshness and
 * the fence say is asked of the real code. An API server compares and swaps. A member that runs does
 * everything once in each tick, in any order with others: it renews its own Lease and that of its generation, and then
 * observes each group. Requests take no time, but for those that a budget delays.
 */
import { mayWrite, type Transitions } from '../../../operator/manager/sharding/group-machine.ts';
import { Actions, type Request } from './model-actions.ts';
import {
  at,
  type Budgets,
  copyOf,
  type MemberState,
  newState,
  type Part,
  partOf,
  type State,
} from './model-state.ts';
import { fenceAt, MAX_AGE, preferredOf } from './real-parts.ts';

export interface ModelOptions {
  /** The generation of each member. */
  readonly generations: readonly number[];
  readonly groups: number;
  /** How many of the last members come at any later time. Default 0. */
  readonly late?: number;
  readonly budgets: Budgets;
  /** Members do their rounds one after the other, so that there are fewer states. Default: in any order. */
  readonly inOrder?: boolean;
  /** Default: the real ones. */
  readonly transitions?: Transitions;
}

/** A step that can be next. The first that is not a failure is what a fair world does. */
export interface Next {
  readonly title: string;
  readonly isFailure: boolean;
  readonly run: () => State;
}

export class Model {
  readonly #options: ModelOptions;
  readonly #actions: Actions;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#actions = new Actions(options.generations, options.transitions);
  }

  initial(): State {
    const { budgets, generations, groups, late = 0 } = this.#options;
    return newState(generations.length, groups, late, budgets);
  }

  next(state: State): readonly Next[] {
    const all: Next[] = [];
    const add = (title: string, isFailure: boolean, change: (copy: State) => void): void => {
      const run = (): State => {
        const copy = copyOf(state);
        change(copy);
        for (const member of copy.members.keys()) this.#actions.settle(copy, member);
        return copy;
      };
      all.push({ title, isFailure, run });
    };
    for (const member of state.members.keys()) this.#wakes(state, member, add);
    this.#messages(state, add);
    for (const member of state.members.keys()) this.#work(state, member, add);
    for (const member of state.members.keys()) this.#round(state, member, add);
    this.#ticks(state, add);
    this.#failures(state, add);
    return all;
  }

  /** The rule that a state breaks. */
  broken(state: State): string | undefined {
    return this.#twoWriters(state) ?? this.#badParts(state);
  }

  /** Whether each group is where it should be and no key waits, as far as there is anybody to have it. */
  isAtRest(state: State): boolean {
    const { generations } = this.#options;
    const isThere = (member: MemberState): boolean => member.status === 'runs' && !member.stopping;
    const isOn = ({ status, stopping }: MemberState): boolean =>
      status === 'paused' || status === 'absent' || (stopping && status === 'runs');
    if (state.members.some(isOn)) return false;
    const there = [...state.members.keys()].filter((index) => isThere(at(state.members, index)));
    if (there.length === 0) return true;
    const able = there.filter((member) => generations[member] === state.generation);
    const isStuck = (group: number): boolean =>
      able.some((member) => partOf(state, member, group).work === 'stuck');
    const waits = state.isDirty.some((isDirty, group) => isDirty && !isStuck(group));
    if (able.length === 0 || state.message !== undefined || waits) return false;
    const owners = state.holders.map((_, group) =>
      able.filter((member) => this.#owns(state, member, group)),
    );
    if (owners.some(({ length }) => length !== 1)) return false;
    const holders = owners.map(([owner]) => owner);
    return preferredOf(holders, able).every((member, group) => member === holders[group]);
  }

  #owns(state: State, member: number, group: number): boolean {
    const part = partOf(state, member, group);
    const isHeld = part.term !== undefined && !part.isLost;
    return isHeld && part.machine.phase === 'owning' && part.isDispatching && part.isOpen;
  }

  #mayBegin(state: State, member: number, group: number): boolean {
    const { generationTerm } = at(state.members, member);
    const { isLost, machine, term } = partOf(state, member, group);
    if (term === undefined || isLost || generationTerm === undefined || !mayWrite(machine))
      return false;
    return fenceAt(member, term).mayBegin && fenceAt(member, generationTerm).mayBegin;
  }

  /** A write may begin, or one that began in time may be under way. */
  #mayReachServer(state: State, member: number, group: number): boolean {
    const { status } = at(state.members, member);
    const { term, work } = partOf(state, member, group);
    if (status === 'runs' && this.#mayBegin(state, member, group)) return true;
    return work !== 'none' && term !== undefined && fenceAt(member, term).mayBeUnderWay;
  }

  #twoWriters(state: State): string | undefined {
    const { generations } = this.#options;
    const writers = state.members.flatMap((_, member) =>
      state.holders.flatMap((__, group) =>
        this.#mayReachServer(state, member, group) ? [{ member, group }] : [],
      ),
    );
    for (const [index, one] of writers.entries()) {
      for (const two of writers.slice(index + 1)) {
        if (one.member === two.member) continue;
        if (generations[one.member] !== generations[two.member]) return 'I1: two generations write';
        if (one.group === two.group) return 'I1: two members write for one group';
      }
    }
    return undefined;
  }

  #badParts(state: State): string | undefined {
    for (const { parts, status } of state.members) {
      if (status === 'crashed') continue;
      for (const { isDispatching, isLost, isOpen, machine, sends, term, work } of parts) {
        const { phase } = machine;
        const holds = phase !== 'foreign' && phase !== 'claiming';
        if (term !== undefined && !isLost && !holds) return 'a term is held for nothing';
        if (isDispatching !== (phase === 'owning')) return `wrong about new keys in ${phase}`;
        if (work !== 'none' && !isOpen) return 'a reconcile runs without a range';
        if (work !== 'none' && work !== 'aborted' && !mayWrite(machine)) {
          return `a reconcile goes on in ${phase}`;
        }
        if (sends === 'claim' && phase !== 'claiming') return `a claim is sent in ${phase}`;
      }
    }
    return undefined;
  }

  #wakes(state: State, member: number, add: Add): void {
    const { status } = at(state.members, member);
    if (status !== 'paused' && status !== 'absent') return;
    const title = status === 'paused' ? 'wakes' : 'joins';
    add(`${member} ${title}`, false, (copy) => {
      at(copy.members, member).status = 'runs';
    });
  }

  #messages(state: State, add: Add): void {
    const { message } = state;
    if (message === undefined) return;
    const name = `${message.kind} of ${message.member} for ${message.group}`;
    const answer = (copy: State, arrives: boolean): void => {
      if (copy.message !== undefined) this.#actions.answer(copy, copy.message, arrives);
    };
    if (message.stage === 'request') {
      add(`the server gets ${name}`, false, (copy) => {
        if (copy.message !== undefined) this.#actions.serve(copy, copy.message);
      });
      add(`${name} is lost`, true, (copy) => answer(copy, false));
      return;
    }
    if (at(state.members, message.member).status !== 'paused') {
      add(`the answer to ${name} arrives`, false, (copy) => answer(copy, true));
    }
    add(`the answer to ${name} is lost`, true, (copy) => answer(copy, false));
  }

  /** The end of lists and of reconciles, and their beginning. */
  #work(state: State, member: number, add: Add): void {
    const { parts, status } = at(state.members, member);
    if (status !== 'runs') return;
    for (const [group, part] of parts.entries()) {
      const name = `${member} for ${group}`;
      const mine = (copy: State): Part => partOf(copy, member, group);
      if (part.work === 'running' || part.work === 'aborted') {
        add(`a reconcile of ${name} ends`, false, (copy) => {
          if (!this.#mayBegin(copy, member, group) || part.work === 'aborted') {
            copy.isDirty[group] = true;
          }
          mine(copy).work = 'none';
        });
      }
      if (part.machine.phase === 'warming' && part.isOpen) {
        add(`${name} is synced`, false, (copy) =>
          this.#actions.tell(copy, member, group, 'synced'),
        );
      }
      if (part.machine.phase === 'draining' && part.work !== 'none') {
        add(`the drain of ${name} is overdue`, part.work !== 'stuck', (copy) =>
          this.#actions.tell(copy, member, group, 'drain-overdue'),
        );
      }
      const canBegin = part.isDispatching && state.isDirty[group] === true && part.work === 'none';
      if (canBegin && this.#mayBegin(state, member, group)) {
        const begin = (copy: State, work: Part['work']): void => {
          copy.isDirty[group] = false;
          mine(copy).work = work;
        };
        add(`a reconcile of ${name} begins`, false, (copy) => begin(copy, 'running'));
        this.#spend(state, 'stuck', add, `a reconcile of ${name} gets stuck`, (copy) =>
          begin(copy, 'stuck'),
        );
      }
    }
  }

  /** What a member does once in each tick, or the request that it has to send. */
  #round(state: State, member: number, add: Add): void {
    const { hasRun, parts, status } = at(state.members, member);
    if (status !== 'runs') return;
    const canDelay = state.message === undefined;
    for (const [group, { sends }] of parts.entries()) {
      if (sends === 'nothing') continue;
      const name = `${sends} of ${member} for ${group}`;
      const request: Request = { kind: sends, member, group };
      add(name, false, (copy) => this.#actions.request(copy, request, false));
      if (!canDelay) continue;
      this.#spend(state, 'delays', add, `${name}, delayed`, (copy) =>
        this.#actions.request(copy, request, true),
      );
    }
    if (hasRun || parts.some(({ sends }) => sends !== 'nothing')) return;
    const waits = ({ hasRun, status }: MemberState): boolean => status === 'runs' && !hasRun;
    if (this.#options.inOrder && state.members.slice(0, member).some(waits)) return;
    add(`round of ${member}`, false, (copy) => this.#actions.runRound(copy, member));
    if (!canDelay) return;
    for (const kind of ['generation', ...parts.keys()] as const) {
      this.#spend(state, 'delays', add, `round of ${member}, ${kind} delayed`, (copy) =>
        this.#actions.runRound(copy, member, kind),
      );
    }
  }

  #ticks(state: State, add: Add): void {
    const isDone = ({ hasRun, parts, status }: MemberState): boolean =>
      status !== 'runs' || (hasRun && parts.every(({ sends }) => sends === 'nothing'));
    if (!state.members.every(isDone)) return;
    const tick = (copy: State, except?: number): void => {
      if (copy.message !== undefined && copy.message.member !== except) {
        copy.message.age = older(copy.message.age);
      }
      for (const [index, member] of copy.members.entries()) {
        if (member.status === 'runs') member.hasRun = false;
        if (index !== except) ageMember(member);
      }
    };
    add('a tick', false, (copy) => tick(copy));
    for (const member of state.members.keys()) {
      this.#spend(state, 'lags', add, `a tick that the clock of ${member} loses`, (copy) =>
        tick(copy, member),
      );
    }
  }

  #failures(state: State, add: Add): void {
    for (const [index, { status, stopping }] of state.members.entries()) {
      if (status === 'paused') this.#spend(state, 'crashes', add, `${index} crashes`, crash(index));
      if (status !== 'runs') continue;
      this.#spend(state, 'crashes', add, `${index} crashes`, crash(index));
      this.#spend(state, 'pauses', add, `${index} is paused`, (copy) => {
        at(copy.members, index).status = 'paused';
      });
      if (stopping) continue;
      this.#spend(state, 'shutdowns', add, `${index} is to stop`, (copy) => {
        at(copy.members, index).stopping = true;
        for (const other of copy.members) other.isMemberCurrent[index] = false;
        for (const group of copy.holders.keys()) {
          this.#actions.tell(copy, index, group, 'shutdown');
          const part = partOf(copy, index, group);
          if (part.sends === 'claim') part.sends = 'nothing'; // as an elector that is aborted
        }
      });
    }
    for (const [group, holder] of state.holders.entries()) {
      if (state.isDirty[group] === false) {
        this.#spend(state, 'changes', add, `an object of ${group} changes`, (copy) => {
          copy.isDirty[group] = true;
        });
      }
      if (holder !== undefined && holder !== 'deleted') {
        this.#spend(state, 'deletions', add, `the Lease of ${group} is deleted`, (copy) => {
          this.#actions.write(copy, undefined, group, 'deleted');
        });
      }
    }
  }

  #spend(
    state: State,
    budget: keyof Budgets,
    add: Add,
    title: string,
    change: (copy: State) => void,
  ): void {
    const left = state.budgets[budget];
    if (left === 0) return;
    add(title, true, (copy) => {
      copy.budgets = { ...copy.budgets, [budget]: left - 1 };
      change(copy);
    });
  }
}

type Add = (title: string, isFailure: boolean, change: (copy: State) => void) => void;

function older(age: number): number {
  return Math.min(age + 1, MAX_AGE);
}

function ageMember(member: MemberState): void {
  if (member.status === 'absent' || member.status === 'stopped') return;
  const { generationTerm } = member;
  if (generationTerm !== undefined) member.generationTerm = older(generationTerm);
  member.generationAge = older(member.generationAge);
  member.memberAges = member.memberAges.map((age) => (age === undefined ? age : older(age)));
  for (const part of member.parts) {
    part.seenAge = older(part.seenAge);
    if (part.term === undefined) continue;
    part.term = older(part.term);
    if (part.term < MAX_AGE || !part.isLost) continue;
    part.term = undefined;
    part.isLost = false;
  }
}

/** What it sent may still reach the server; nothing else of it matters any more. */
function crash(index: number): (state: State) => void {
  return (state) => {
    const { members } = newState(state.members.length, state.holders.length, 0, state.budgets);
    const before = at(state.members, index);
    const after = at(members, index);
    after.status = 'crashed';
    for (const [group, { term, work }] of before.parts.entries()) {
      if (work === 'none') continue;
      const part = at(after.parts, group);
      part.work = 'aborted';
      part.term = term;
      part.isLost = true;
      state.isDirty[group] = true;
    }
    state.members[index] = after;
  };
}
