/** What members and the API server do in one step of the model: they change the state that they are given. */
import {
  type Effect,
  type GroupEvent,
  type GroupObservation,
  mayWrite,
  step,
  type Transitions,
} from '../../../operator/manager/sharding/group-machine.ts';
import { at, type Message, partOf, type State } from './model-state.ts';
import { fenceAt, freshMembers, isStaleAt, preferredOf } from './real-parts.ts';

/** A rule was broken in the middle of a step. */
export class BrokenRule extends Error {}

export type Request = Pick<Message, 'kind' | 'member' | 'group'>;

export class Actions {
  readonly #generations: readonly number[];
  readonly #transitions: Transitions | undefined;

  constructor(generations: readonly number[], transitions: Transitions | undefined) {
    this.#generations = generations;
    this.#transitions = transitions;
  }

  /** @param delayed - a request that takes time. */
  runRound(state: State, member: number, delayed?: number | 'generation'): void {
    const my = at(state.members, member);
    my.hasRun = true;
    this.#renewMember(state, member);
    this.request(state, { kind: 'generation', member, group: 0 }, delayed === 'generation');
    for (const [group, part] of my.parts.entries()) {
      this.#giveUp(state, member, group);
      if (part.term !== undefined && !part.isLost) {
        this.request(state, { kind: 'renew', member, group }, delayed === group);
      }
      if (part.term === undefined || part.isLost) this.#read(state, member, group);
    }
    for (const group of my.parts.keys()) this.#observe(state, member, group);
  }

  /** Does a request, or begins one that takes time. */
  request(state: State, request: Request, isDelayed: boolean): void {
    const message = this.#send(state, request);
    if (message === undefined) return;
    if (isDelayed) {
      state.message = message;
      return;
    }
    this.serve(state, message);
    this.answer(state, message, true);
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
      this.tell(state, member, group, 'refused'); // as an elector does until its last term has expired
      return undefined;
    }
    const isCurrent = kind === 'generation' ? my.isGenerationCurrent : part.isCurrent;
    return { kind, member, group, stage: 'request', isCurrent, age: 0, isGivenUp: false };
  }

  serve(state: State, message: Message): void {
    const { group, isCurrent, kind, member } = message;
    message.stage = 'conflict';
    if (kind === 'generation') {
      if (!isCurrent) return;
      message.stage = 'accepted';
      state.generation = this.#generations[member];
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
    this.write(state, member, group, kind === 'release' ? undefined : member);
  }

  write(
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
  answer(state: State, message: Message, arrives: boolean): void {
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
        this.tell(state, member, group, 'acquired');
      } else {
        this.tell(state, member, group, 'refused');
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
    if (message.kind === 'claim') this.tell(state, member, group, 'refused');
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
    const mine = this.#generations[member];
    const isOther = state.generation !== undefined && state.generation !== mine;
    if (!isOther || isStaleAt(member, my.generationAge)) return true;
    if (my.generationTerm !== undefined) this.#loseGeneration(state, member);
    return false;
  }

  #loseGeneration(state: State, member: number): void {
    const my = at(state.members, member);
    my.generationTerm = undefined;
    for (const group of my.parts.keys()) this.tell(state, member, group, 'generation-lost');
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
    this.tell(state, member, group, 'lost');
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
    const generations = this.#generations;
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

  tell(
    state: State,
    member: number,
    group: number,
    kind: Exclude<GroupEvent['kind'], 'observed'>,
  ): void {
    this.#apply(state, member, group, { kind });
  }

  #apply(state: State, member: number, group: number, event: GroupEvent): void {
    const part = partOf(state, member, group);
    const after = step(part.machine, event, this.#transitions);
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
  settle(state: State, member: number): void {
    const my = at(state.members, member);
    if (my.status !== 'runs') return;
    for (const [group, part] of my.parts.entries()) {
      const { phase } = part.machine;
      const waits = phase === 'draining' || phase === 'lost';
      if (waits && !part.isDispatching && part.work === 'none') {
        this.tell(state, member, group, 'idle');
      }
    }
    const isOver = my.parts.every(
      ({ machine, sends }) => machine.phase === 'foreign' && sends === 'nothing',
    );
    if (my.stopping && isOver && state.message?.member !== member) my.status = 'stopped';
  }
}
