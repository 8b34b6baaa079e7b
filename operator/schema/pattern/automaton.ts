import type { Work } from '../work.ts';
import { CharacterSet } from './character-set.ts';
import { type Assertion, type CharacterNode, PatternCostError, type PatternNode } from './tree.ts';

/**
 * Maximum number of states of an automaton. A repetition such as `{1000}` multiplies the states of the
 * repeated part by a thousand. Patterns of real definitions have a few hundred states.
 */
const MAX_STATES = 100_000;

const MAX_PARTS = 5 * MAX_STATES;

/** A state of the automaton. A state without the member `next` is followed by the next state in the list. */
type State =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | Split
  | { readonly kind: 'end' };

interface Split {
  readonly kind: 'split';
  next: number;
  other: number;
}

/**
 * Compares texts with a pattern without backtracking: all states that a character can lead to are followed at
 * the same time. So the number of steps for a text is at most its length times the number of states
 * (Thompson's simulation, as in RE2).
 */
export class PatternAutomaton {
  readonly #states: State[] = [];
  readonly #sets = new Map<CharacterNode | string, CharacterSet>();
  /**
   * Number of added parts of the pattern. They are limited as well, because a part that needs no state could
   * be repeated without limit.
   */
  #parts = 0;

  /**
   * @throws PatternCostError for more than 100,000 states.
   * @throws TooMuchWork
   */
  constructor(tree: PatternNode, work: Work) {
    this.#add(tree, work);
    this.#push({ kind: 'end' });
  }

  /**
   * True when some part of `text` matches.
   *
   * @param work - one step is counted for each state that is reached, and for each comparison of a state with
   *   a character.
   * @throws TooMuchWork
   */
  test(text: string, work: Work): boolean {
    return new Run(this.#states, text, work).matches();
  }

  /**
   * The first match that begins at `from` or later, as Perl and Go choose it: of all matches that begin
   * first, the match that the pattern prefers.
   *
   * @param work - the step limit, as in the method `test`.
   * @throws TooMuchWork
   */
  find(text: string, from: number, work: Work): Match | undefined {
    work.spend(this.#states.length);
    return new Run(this.#states, text, work).find(from);
  }

  #push(state: State): void {
    if (this.#states.length >= MAX_STATES) {
      throw new PatternCostError(`it has more than ${MAX_STATES} states`);
    }
    this.#states.push(state);
  }

  #add(node: PatternNode, work: Work): void {
    work.spend(1);
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) throw new PatternCostError(`it has more than ${MAX_PARTS} parts`);
    switch (node.kind) {
      case 'sequence':
        for (const part of node.parts) this.#add(part, work);
        break;
      case 'choice':
        this.#addChoice(node.options, work);
        break;
      case 'repeat':
        this.#addRepeat(node, work);
        break;
      case 'assertion':
        this.#push(node);
        break;
      case 'character': {
        const key = setKey(node);
        const set = this.#sets.get(key) ?? new CharacterSet(node);
        this.#sets.set(key, set);
        this.#push({ kind: 'character', set });
      }
    }
  }

  #addChoice(options: readonly PatternNode[], work: Work): void {
    const ends: Split[] = [];
    for (const [at, option] of options.entries()) {
      const split = this.#split();
      this.#add(option, work);
      if (at < options.length - 1) ends.push(this.#split());
      split.other = at < options.length - 1 ? this.#states.length : split.next;
    }
    for (const end of ends) {
      end.next = this.#states.length;
      end.other = end.next;
    }
  }

  #addRepeat(node: Extract<PatternNode, { kind: 'repeat' }>, work: Work): void {
    const { part, least, most, isLazy } = node;
    const isOpen = most === Number.POSITIVE_INFINITY;
    const optional: Split[] = [];
    for (let count = 0; count < least; count += 1) {
      const start = this.#states.length;
      this.#add(part, work);
      if (isOpen && count === least - 1) this.#addBack(start, isLazy);
    }
    // As in Go, `x*` is treated as `(x+)?`. This makes a difference if `x` can match an empty text.
    for (let count = least; isOpen ? least === 0 && count < 1 : count < most; count += 1) {
      optional.push(this.#split());
      const start = this.#states.length;
      this.#add(part, work);
      if (isOpen) this.#addBack(start, isLazy);
    }
    for (const split of optional) {
      split.other = this.#states.length;
      if (isLazy) [split.next, split.other] = [split.other, split.next];
    }
  }

  /**
   * Adds a state that either leads back to the state `start`, to repeat the part, or continues after the
   * part.
   */
  #addBack(start: number, isLazy: boolean): void {
    const back = this.#split();
    if (isLazy) back.other = start;
    else back.next = start;
  }

  /**
   * Adds a state that leads to the following state, and also to the state `other`, which the caller sets
   * later.
   */
  #split(): Split {
    const next = this.#states.length + 1;
    const split: Split = { kind: 'split', next, other: next };
    this.#push(split);
    return split;
  }
}

/**
 * The key of the character set of a node. Nodes with the same character have the same key, and so have the
 * copies of a repeated part. So they share one set.
 */
function setKey(node: CharacterNode): CharacterNode | string {
  const { literal, ranges } = node;
  return literal === undefined ? node : `${literal}${ranges[0]?.ignoresCase === true}`;
}

/** The range of a text that a pattern matches. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** A state of the automaton that was reached, and the position where its match began. */
interface Thread {
  readonly index: number;
  readonly start: number;
}

/** Runs the automaton on one text. */
class Run {
  readonly #states: readonly State[];
  readonly #text: string;
  readonly #work: Work;
  /**
   * For each state, the last position in the text at which it was reached. So a state is followed only once
   * at each position.
   */
  readonly #reachedAt: Int32Array;

  constructor(states: readonly State[], text: string, work: Work) {
    this.#states = states;
    this.#text = text;
    this.#work = work;
    this.#reachedAt = new Int32Array(states.length).fill(-1);
  }

  matches(): boolean {
    let current: Thread[] = [];
    for (let at = 0; ; ) {
      this.#follow(0, at, 0, current); // a match may begin at any position
      if (this.#reachedAt.at(-1) === at) return true;
      if (at >= this.#text.length) return false;
      const character = characterAt(this.#text, at);
      at += character.length;
      current = this.#step(current, character, at);
    }
  }

  /** Finds a match. The lists of threads are in the order in which the pattern prefers their matches. */
  find(from: number): Match | undefined {
    let found: Match | undefined;
    let current: Thread[] = [];
    for (let at = from; ; ) {
      if (found === undefined) this.#follow(0, at, at, current);
      const end = current.findIndex(({ index }) => this.#states[index]?.kind === 'end');
      const ended = current[end];
      if (ended !== undefined) {
        found = { start: ended.start, end: at };
        current.length = end; // drops threads that the pattern prefers less
      }
      if (at >= this.#text.length || (found !== undefined && current.length === 0)) return found;
      const character = characterAt(this.#text, at);
      at += character.length;
      current = this.#step(current, character, at);
    }
  }

  /** The threads of the automaton after it has read `character`. */
  #step(current: readonly Thread[], character: string, at: number): Thread[] {
    const next: Thread[] = [];
    for (const { index, start } of current) {
      this.#work.spend(1);
      const state = this.#states[index];
      if (state?.kind === 'character' && state.set.has(character)) {
        this.#follow(index + 1, at, start, next);
      }
    }
    return next;
  }

  /**
   * Adds the states that can be reached from `from` without reading a character. Only states that read a
   * character, and the final state, are added.
   */
  #follow(from: number, at: number, start: number, found: Thread[]): void {
    const open = [from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.#reachedAt[index] === at) continue;
      this.#reachedAt[index] = at;
      this.#work.spend(1);
      const state = this.#states[index];
      if (state?.kind === 'end' || state?.kind === 'character') found.push({ index, start });
      else if (state?.kind === 'split') open.push(state.other, state.next);
      else if (state !== undefined && this.#holds(state.assertion, at)) open.push(index + 1);
    }
  }

  #holds(assertion: Assertion, at: number): boolean {
    const text = this.#text;
    switch (assertion) {
      case 'text start':
        return at === 0;
      case 'text end':
        return at === text.length;
      case 'line start':
        return at === 0 || text[at - 1] === '\n';
      case 'line end':
        return at === text.length || text[at] === '\n';
      default: {
        const isBoundary = isWord(text.charAt(at - 1)) !== isWord(text.charAt(at));
        return isBoundary === (assertion === 'word boundary');
      }
    }
  }
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function isWord(character: string): boolean {
  return /^\w$/.test(character);
}
