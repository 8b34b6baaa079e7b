/**
 * Members that share groups, as an abstract machine: what `step`, the preference, the members' freshness and
 * the fence say is asked of the real code. An API server compares and swaps. A member that runs does
 * everything once in each tick, in any order with others: it renews its own Lease and that of its generation, and then
 * observes each group. Requests take no time, but for those that a budget delays.
 */
import {
  type Effect,
  type GroupEvent,
  type GroupObservation,
  mayWrite,
  step,
  type Transitions,
} from '../../../operator/manager/sharding/group-machine.ts';
import {
  type Budgets,
  copyOf,
  type MemberState,
  type Message,
  newState,
  type Part,
  type State,
} from './model-state.ts';
import { fenceAt, freshMembers, isStaleAt, MAX_AGE, preferredOf } from './real-parts.ts';

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

/** A rule was broken in the middle of a step. */
export class BrokenRule extends Error {}

export class Model {
  readonly #options: ModelOptions;

  constructor(options: ModelOptions) {
    this.#options = options;
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
        for (const member of copy.members.keys()) this.#settle(copy, member);
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
      if (copy.message !== undefined) this.#answer(copy, copy.message, arrives);
    };
    if (message.stage === 'request') {
      add(`the server gets ${name}`, false, (copy) => {
        if (copy.message !== undefined) this.#serve(copy, copy.message);
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
        add(`${name} is synced`, false, (copy) => this.#tell(copy, member, group, 'synced'));
      }
      if (part.machine.phase === 'draining' && part.work !== 'none') {
        add(`the drain of ${name} is overdue`, part.work !== 'stuck', (copy) =>
          this.#tell(copy, member, group, 'drain-overdue'),
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
      add(name, false, (copy) => this.#request(copy, request, false));
      if (!canDelay) continue;
      this.#spend(state, 'delays', add, `${name}, delayed`, (copy) =>
        this.#request(copy, request, true),
      );
    }
    if (hasRun || parts.some(({ sends }) => sends !== 'nothing')) return;
    const waits = ({ hasRun, status }: MemberState): boolean => status === 'runs' && !hasRun;
    if (this.#options.inOrder && state.members.slice(0, member).some(waits)) return;
    add(`round of ${member}`, false, (copy) => this.#runRound(copy, member));
    if (!canDelay) return;
    for (const kind of ['generation', ...parts.keys()] as const) {
      this.#spend(state, 'delays', add, `round of ${member}, ${kind} delayed`, (copy) =>
        this.#runRound(copy, member, kind),
      );
    }
  }

  /** @param delayed - a request that takes time. */
  #runRound(state: State, member: number, delayed?: number | 'generation'): void {
    const my = at(state.members, member);
    my.hasRun = true;
    this.#renewMember(state, member);
    this.#request(state, { kind: 'generation', member, group: 0 }, delayed === 'generation');
    for (const [group, part] of my.parts.entries()) {
      this.#giveUp(state, member, group);
      if (part.term !== undefined && !part.isLost) {
        this.#request(state, { kind: 'renew', member, group }, delayed === group);
      }
      if (part.term === undefined || part.isLost) this.#read(state, member, group);
    }
    for (const group of my.parts.keys()) this.#observe(state, member, group);
  }

  /** Does a request, or begins one that takes time. */
  #request(state: State, request: Request, isDelayed: boolean): void {
    const message = this.#send(state, request);
    if (message === undefined) return;
    if (isDelayed) {
      state.message = message;
      return;
    }
    this.#serve(state, message);
    this.#answer(state, message, true);
  }

  /** Undefined when there is nothing to send. */
  #send(state: State, { kind, member, group }: Request): Message | undefined {
    const part = partOf(state, member, group);
    const my = at(state.members, member);
    if (kind === 'generation') {
      if (!this.#readGeneration(state, member)) return undefined;
    } else {
      part.sends = 'nothing';
    }
    if (kind === 'claim' && part.isLost) {
      this.#tell(state, member, group, 'refused'); // as an elector does until its last term has expired
      return undefined;
    }
    const isCurrent = kind === 'generation' ? my.isGenerationCurrent : part.isCurrent;
    return { kind, member, group, stage: 'request', isCurrent, age: 0, isGivenUp: false };
  }

  #serve(state: State, message: Message): void {
    const { group, isCurrent, kind, member } = message;
    message.stage = 'conflict';
    if (kind === 'generation') {
      if (!isCurrent) return;
      message.stage = 'accepted';
      state.generation = this.#options.generations[member];
      for (const [index, other] of state.members.entries()) {
        if (index !== member) other.isGenerationCurrent = false;
      }
      if (state.message?.kind === 'generation') state.message.isCurrent = false;
      return;
    }
    const holder = state.holders[group];
    // A renewal reads again after a conflict, at once, and creates a Lease that is gone.
    const isRepeated = kind !== 'claim' && message !== state.message;
    if (kind !== 'claim' && holder !== member && !(isRepeated && holder === 'deleted')) return;
    if (kind === 'claim' ? !isCurrent : !isCurrent && !isRepeated) return;
    message.stage = 'accepted';
    this.#write(state, member, group, kind === 'release' ? undefined : member);
  }

  #write(
    state: State,
    by: number | undefined,
    group: number,
    holder: State['holders'][number],
  ): void {
    state.holders[group] = holder;
    for (const [index, { parts }] of state.members.entries()) {
      if (index !== by) at(parts, group).isCurrent = false;
    }
    const { message } = state;
    if (message?.group === group && message.kind !== 'generation') message.isCurrent = false;
    if (by === undefined || holder === 'deleted') return;
    const mine = partOf(state, by, group);
    mine.seenAge = 0;
    mine.isCurrent = true;
    mine.seenHolder = holder;
  }

  /** @param arrives - false when the request or its answer is lost. */
  #answer(state: State, message: Message, arrives: boolean): void {
    if (message === state.message) state.message = undefined;
    if (message.isGivenUp) return;
    const { age, group, kind, member, stage } = message;
    const my = at(state.members, member);
    if (my.status === 'crashed') return;
    const part = at(my.parts, group);
    const isAccepted = arrives && stage === 'accepted';
    const inTime = fenceAt(member, age).mayBegin;
    if (kind === 'generation' && isAccepted && inTime) my.generationTerm = age;
    if (kind === 'claim') {
      if (isAccepted && inTime) {
        part.term = age;
        this.#tell(state, member, group, 'acquired');
      } else {
        this.#tell(state, member, group, 'refused');
      }
    }
    if (kind === 'renew' && part.term !== undefined && !part.isLost) {
      if (isAccepted && fenceAt(member, part.term).mayBegin && inTime) part.term = age;
      const holder = state.holders[group];
      const isTaken = holder !== member && holder !== 'deleted';
      if (arrives && stage === 'conflict' && isTaken) this.#lose(state, member, group);
    }
  }

  /** Of a request that is under way still, the member takes no answer. */
  #giveUp(state: State, member: number, group: number): void {
    const { message } = state;
    if (message === undefined || message.member !== member || message.group !== group) return;
    if (message.kind === 'generation' || message.isGivenUp) return;
    message.isGivenUp = true;
    if (message.kind === 'claim') this.#tell(state, member, group, 'refused');
  }

  #renewMember(state: State, member: number): void {
    const my = at(state.members, member);
    this.#expire(state, member);
    const { message } = state;
    if (message?.member === member && message.kind === 'generation') message.isGivenUp = true;
    for (const other of state.members) other.isMemberCurrent[member] = false;
    for (const [index, other] of state.members.entries()) {
      if (my.isMemberCurrent[index]) continue;
      my.isMemberCurrent[index] = true;
      my.memberAges[index] = other.stopping ? undefined : 0;
    }
  }

  /** Whether the Lease of the generation may be written. */
  #readGeneration(state: State, member: number): boolean {
    const my = at(state.members, member);
    if (!my.isGenerationCurrent) {
      my.isGenerationCurrent = true;
      my.generationAge = 0;
    }
    const mine = this.#options.generations[member];
    const isOther = state.generation !== undefined && state.generation !== mine;
    if (!isOther || isStaleAt(member, my.generationAge)) return true;
    if (my.generationTerm !== undefined) this.#loseGeneration(state, member);
    return false;
  }

  #loseGeneration(state: State, member: number): void {
    const my = at(state.members, member);
    my.generationTerm = undefined;
    for (const group of my.parts.keys()) this.#tell(state, member, group, 'generation-lost');
  }

  /** What a timer does when a term is over. */
  #expire(state: State, member: number): void {
    const { generationTerm, parts } = at(state.members, member);
    if (generationTerm !== undefined && !fenceAt(member, generationTerm).mayBegin) {
      this.#loseGeneration(state, member);
    }
    for (const [group, { isLost, term }] of parts.entries()) {
      if (term === undefined || isLost || fenceAt(member, term).mayBegin) continue;
      this.#lose(state, member, group);
    }
  }

  #lose(state: State, member: number, group: number): void {
    partOf(state, member, group).isLost = true;
    this.#tell(state, member, group, 'lost');
  }

  #read(state: State, member: number, group: number): void {
    const part = partOf(state, member, group);
    const holder = state.holders[group];
    if (part.isCurrent) return;
    part.isCurrent = true;
    part.seenAge = 0;
    part.seenHolder = holder === 'deleted' ? 'unknown' : holder;
  }

  #observe(state: State, member: number, group: number): void {
    const { generations } = this.#options;
    const my = at(state.members, member);
    const { seenAge, seenHolder } = at(my.parts, group);
    const seen = my.memberAges.map((age, index) =>
      my.stopping && index === member ? undefined : age,
    );
    const fresh = freshMembers(member, generations, seen);
    const preferred = preferredOf(
      my.parts.map((part) => (part.seenHolder === 'unknown' ? undefined : part.seenHolder)),
      fresh,
    )[group];
    const { generationTerm } = my;
    const observation: GroupObservation = {
      generationHeld: generationTerm !== undefined && fenceAt(member, generationTerm).mayBegin,
      holder: seenHolder === undefined ? 'none' : seenHolder === member ? 'self' : 'other',
      stale: isStaleAt(member, seenAge),
      preferred: preferred === undefined ? 'nobody' : preferred === member ? 'self' : 'other',
    };
    this.#apply(state, member, group, { kind: 'observed', observation });
  }

  #tell(
    state: State,
    member: number,
    group: number,
    kind: Exclude<GroupEvent['kind'], 'observed'>,
  ): void {
    this.#apply(state, member, group, { kind });
  }

  #apply(state: State, member: number, group: number, event: GroupEvent): void {
    const part = partOf(state, member, group);
    const after = step(part.machine, event, this.#options.transitions);
    part.machine = after.state;
    for (const effect of after.effects) this.#perform(state, member, group, effect);
    const { phase } = part.machine;
    if (part.isOpen !== (phase !== 'foreign' && phase !== 'claiming')) {
      throw new BrokenRule(`the range is ${part.isOpen ? 'open' : 'not open'} in ${phase}`);
    }
    const endsWrites: readonly string[] = ['lost', 'generation-lost', 'drain-overdue'];
    if (endsWrites.includes(event.kind) && mayWrite(part.machine)) {
      throw new BrokenRule(`writes may begin after ${event.kind}`);
    }
  }

  #perform(state: State, member: number, group: number, effect: Effect): void {
    const part = partOf(state, member, group);
    switch (effect) {
      case 'claim':
        part.sends = 'claim';
        break;
      case 'open-range':
        if (part.term === undefined || part.isLost) {
          throw new BrokenRule(
            'I4: the list begins before the write of the Lease was acknowledged',
          );
        }
        part.isOpen = true;
        break;
      case 'dispatch':
        part.isDispatching = true;
        break;
      case 'stop-dispatching':
        part.isDispatching = false;
        break;
      case 'abort-reconciles':
        if (part.work !== 'none') part.work = 'aborted';
        break;
      case 'drop-range':
        part.isOpen = false;
        break;
      case 'release':
        if (part.work !== 'none')
          throw new BrokenRule('a Lease is released while a reconcile runs');
        if (part.term === undefined || part.isLost) break;
        if (!fenceAt(member, part.term).mayBegin) {
          part.isLost = true;
          break;
        }
        part.term = undefined;
        part.sends = 'release';
    }
  }

  /** What follows without any time. */
  #settle(state: State, member: number): void {
    const my = at(state.members, member);
    if (my.status !== 'runs') return;
    for (const [group, part] of my.parts.entries()) {
      const { phase } = part.machine;
      const waits = phase === 'draining' || phase === 'lost';
      if (waits && !part.isDispatching && part.work === 'none') {
        this.#tell(state, member, group, 'idle');
      }
    }
    const isOver = my.parts.every(
      ({ machine, sends }) => machine.phase === 'foreign' && sends === 'nothing',
    );
    if (my.stopping && isOver && state.message?.member !== member) my.status = 'stopped';
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
          this.#tell(copy, index, group, 'shutdown');
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
          this.#write(copy, undefined, group, 'deleted');
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

type Request = Pick<Message, 'kind' | 'member' | 'group'>;

type Add = (title: string, isFailure: boolean, change: (copy: State) => void) => void;

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

function partOf(state: State, member: number, group: number): Part {
  return at(at(state.members, member).parts, group);
}

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
