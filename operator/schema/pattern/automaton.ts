import type { Work } from '../work.ts';
import { CharacterSet } from './character-set.ts';
import { PatternCostError, type PatternNode } from './tree.ts';

/** States of one automaton. `{1000}` takes its part a thousand times. Patterns of real definitions have a few hundred. */
const MAX_STATES = 10_000;

const MAX_PARTS = 5 * MAX_STATES;

/** A state of the automaton. The next state is the one after it, where it names none. */
type State =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly source: string }
  | Split
  | { readonly kind: 'end' };

interface Split {
  readonly kind: 'split';
  next: number;
  other: number;
}

interface Building {
  readonly ignoresCase: boolean;
  readonly work: Work;
}

/**
 * Compares texts with a pattern without backtracking: all states that a character leads to are followed together, so
 * that a text costs at most its length times the number of states (Thompson's simulation, as in RE2).
 */
export class PatternAutomaton {
  readonly #states: State[] = [];
  readonly #sets = new Map<string, CharacterSet>();
  /** Parts that were added: a part may have no state, and be repeated. */
  #parts = 0;

  /**
   * @throws PatternCostError for more than 10,000 states.
   * @throws TooMuchWork
   */
  constructor(tree: PatternNode, ignoresCase: boolean, work: Work) {
    this.#add(tree, { ignoresCase, work });
    this.#push({ kind: 'end' });
  }

  /**
   * True when some part of `text` matches.
   *
   * @param work - a step is one state that one character is compared with, or that is passed.
   * @throws TooMuchWork
   */
  test(text: string, work: Work): boolean {
    return new Run(this.#states, text, work).matches();
  }

  /** The number of its states. */
  get size(): number {
    return this.#states.length;
  }

  #push(state: State): void {
    if (this.#states.length >= MAX_STATES) {
      throw new PatternCostError(`it has more than ${MAX_STATES} states`);
    }
    this.#states.push(state);
  }

  #add(node: PatternNode, how: Building): void {
    how.work.spend(1);
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) throw new PatternCostError(`it has more than ${MAX_PARTS} parts`);
    switch (node.kind) {
      case 'sequence':
        for (const part of node.parts) this.#add(part, how);
        break;
      case 'choice':
        this.#addChoice(node.options, how);
        break;
      case 'repeat':
        this.#addRepeat(node, how);
        break;
      case 'assertion':
        this.#push(node);
        break;
      case 'character': {
        const set = this.#sets.get(node.source) ?? new CharacterSet(node, how.ignoresCase);
        this.#sets.set(node.source, set);
        this.#push({ kind: 'character', set });
      }
    }
  }

  #addChoice(options: readonly PatternNode[], how: Building): void {
    const ends: Split[] = [];
    for (const [at, option] of options.entries()) {
      const split = this.#split();
      this.#add(option, how);
      if (at < options.length - 1) ends.push(this.#split());
      split.other = at < options.length - 1 ? this.#states.length : split.next;
    }
    for (const end of ends) {
      end.next = this.#states.length;
      end.other = end.next;
    }
  }

  #addRepeat({ part, least, most }: Extract<PatternNode, { kind: 'repeat' }>, how: Building): void {
    for (let count = 0; count < least; count += 1) this.#add(part, how);
    if (most === Number.POSITIVE_INFINITY) {
      const start = this.#states.length;
      const split = this.#split();
      this.#add(part, how);
      const back = this.#split();
      back.next = start;
      back.other = start;
      split.other = this.#states.length;
      return;
    }
    const splits: Split[] = [];
    for (let count = least; count < most; count += 1) {
      splits.push(this.#split());
      this.#add(part, how);
    }
    for (const split of splits) split.other = this.#states.length;
  }

  /** A state that leads to the next one, and to another that is set later. */
  #split(): Split {
    const next = this.#states.length + 1;
    const split: Split = { kind: 'split', next, other: next };
    this.#push(split);
    return split;
  }
}

/** One text on its way through the automaton. */
class Run {
  readonly #states: readonly State[];
  readonly #text: string;
  readonly #work: Work;
  /** For each state the last place where it was reached, so that it is followed once at each place. */
  readonly #reachedAt: Int32Array;
  #hasEnded = false;

  constructor(states: readonly State[], text: string, work: Work) {
    this.#states = states;
    this.#text = text;
    this.#work = work;
    this.#reachedAt = new Int32Array(states.length).fill(-1);
  }

  matches(): boolean {
    let current: number[] = [];
    for (let at = 0; ; ) {
      this.#follow(0, at, current); // a match may begin at any place
      if (this.#hasEnded) return true;
      if (at >= this.#text.length) return false;
      const character = String.fromCodePoint(this.#text.codePointAt(at) ?? 0);
      at += character.length;
      const next: number[] = [];
      for (const index of current) {
        this.#work.spend(1);
        const state = this.#states[index];
        if (state?.kind === 'character' && state.set.has(character)) {
          this.#follow(index + 1, at, next);
        }
      }
      current = next;
    }
  }

  /** Adds the states that wait for a character and are reached from `start` without one. */
  #follow(start: number, at: number, found: number[]): void {
    const open = [start];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.#reachedAt[index] === at) continue;
      this.#reachedAt[index] = at;
      this.#work.spend(1);
      const state = this.#states[index];
      if (state?.kind === 'end') this.#hasEnded = true;
      else if (state?.kind === 'character') found.push(index);
      else if (state?.kind === 'split') open.push(state.other, state.next);
      else if (state !== undefined && this.#holds(state.source, at)) open.push(index + 1);
    }
  }

  #holds(assertion: string, at: number): boolean {
    if (assertion === '^') return at === 0;
    if (assertion === '$') return at === this.#text.length;
    const isWord = (index: number): boolean => /^\w$/.test(this.#text.charAt(index));
    return (isWord(at - 1) !== isWord(at)) === (assertion === '\\b');
  }
}
