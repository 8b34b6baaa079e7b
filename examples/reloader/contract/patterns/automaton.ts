/**
 * Patterns → one automaton that says whether a name matches any of them. RE2 makes the program of the patterns. It is
 * run here, because here its steps and its memory are counted: RE2 itself keeps up to 8 MB for each pattern.
 */
import { RE2Set } from 're2js';
import type { PatternWork } from './work.ts';

/** The automaton of the patterns that RE2 accepts. */
export interface CompiledPatterns {
  /** Undefined when there is no pattern. */
  readonly automaton: Automaton | undefined;
  /** Pattern → why RE2 does not accept it. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * @param patterns - with few states: `statesOf` bounds the time and the memory of this call.
 * @param grown - called when the automaton takes more memory than before, or less.
 */
export function compilePatterns(
  patterns: readonly string[],
  grown?: (bytes: number) => void,
): CompiledPatterns {
  const set = new RE2Set();
  const refused = new Map<string, string>();
  for (const pattern of patterns) {
    try {
      set.add(`^${pattern}$`);
    } catch (error) {
      refused.set(pattern, error instanceof Error ? error.message : String(error));
    }
  }
  if (refused.size === patterns.length) return { automaton: undefined, refused };
  set.compile();
  const { inst, start } = set.prog;
  return { automaton: new Automaton(inst as readonly Instruction[], start, grown), refused };
}

/** An instruction of the program, as Go has them (regexp/syntax, `Inst`). */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}

const OP = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  emptyWidth: 4,
  match: 6,
  nop: 7,
  firstRune: 8,
  lastRune: 11,
} as const;

/** What can be true between two characters: `EmptyOp` of Go. */
const EMPTY = {
  begin: 1 | 4, // of the line and of the text: names have one line
  end: 2 | 8,
  wordBoundary: 16,
  noWordBoundary: 32,
} as const;

/** Where the program can be between two characters of a name. */
interface State {
  /** Without the start of the program, at which every state can be. */
  readonly positions: readonly number[];
  readonly before: 'begin' | 'word' | 'other';
  /** The states after a character. Undefined: this state is not kept. */
  readonly next: Map<number, State | typeof MATCHED> | undefined;
}

/** Whatever follows, the name matches. */
const MATCHED = 'matched';

/** In place of a character: the name has ended. */
const END = -1;

/**
 * Bytes of states that an automaton keeps between two names. When they are used up, the states are made anew. Thirty
 * patterns as people write them need a half of it.
 */
export const MAX_STATE_BYTES: number = 1024 * 1024;

/** A state with more positions is not kept: to find it again would take as long as to make it. */
const MAX_KEPT_POSITIONS = 64;

/** Bytes that V8 takes for a state and its key, for each of its positions, and for each entry of `next`. */
const STATE_BYTES = 400;
const POSITION_BYTES = 24;
const NEXT_BYTES = 40;

/** Bytes of an instruction with its ranges, in the mean of patterns at the limit. */
const INSTRUCTION_BYTES = 300;

/** Other names are no names of Kubernetes, and match nothing. */
const NAME_CHARACTERS = /^[ -~]*$/;

/** The automaton of some patterns. */
export class Automaton {
  readonly #program: readonly Instruction[];
  readonly #start: number;
  readonly #grown: (bytes: number) => void;
  readonly #states = new Map<string, State>();
  #stateBytes = 0;
  /** The last round in which an instruction was visited, and in which a character led to it. */
  readonly #visitedIn: Uint32Array;
  readonly #reachedIn: Uint32Array;
  #round = 0;

  constructor(
    program: readonly Instruction[],
    start: number,
    grown: (bytes: number) => void = () => {},
  ) {
    this.#grown = grown;
    this.#program = program;
    this.#start = start;
    this.#visitedIn = new Uint32Array(program.length);
    this.#reachedIn = new Uint32Array(program.length);
  }

  /** Memory that it takes, with the states that are kept. */
  get bytes(): number {
    return this.#program.length * INSTRUCTION_BYTES + this.#stateBytes;
  }

  /** True when a pattern matches `name`. False, too, when `work` is over before that is known. */
  matches(name: string, work: PatternWork): boolean {
    if (!NAME_CHARACTERS.test(name)) return false;
    let state = this.#stateOf([], 'begin');
    for (let at = 0; at <= name.length && !work.isOver; at++) {
      const character = at < name.length ? name.charCodeAt(at) : END;
      work.spend(1);
      const next = state.next?.get(character) ?? this.#step(state, character, work);
      if (next === MATCHED) return true;
      state = next;
    }
    return false;
  }

  #step(state: State, character: number, work: PatternWork): State | typeof MATCHED {
    const reached = this.#reachedFrom(state, character, work);
    if (reached === MATCHED) return this.#keep(state, character, MATCHED);
    const before = isWordCharacter(character) ? 'word' : 'other';
    return this.#keep(state, character, this.#stateOf(reached, before));
  }

  /** The positions after the character, each once. */
  #reachedFrom(
    { positions, before }: State,
    character: number,
    work: PatternWork,
  ): number[] | typeof MATCHED {
    const holds = emptyWidths(before, character);
    const round = ++this.#round;
    const open = [this.#start, ...positions];
    const reached: number[] = [];
    let visited = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { [at]: instruction } = this.#program;
      if (instruction === undefined || this.#visitedIn[at] === round) continue;
      this.#visitedIn[at] = round;
      visited++;
      const { op, out, arg } = instruction;
      if (op === OP.match) return MATCHED;
      if (op === OP.alt || op === OP.altMatch) open.push(out, arg);
      else if (op === OP.capture || op === OP.nop) open.push(out);
      else if (op === OP.emptyWidth) {
        if ((arg & ~holds) === 0) open.push(out);
      } else if (op >= OP.firstRune && op <= OP.lastRune && character !== END) {
        if (this.#reachedIn[out] === round || !instruction.matchRune(character)) continue;
        this.#reachedIn[out] = round;
        reached.push(out);
      }
    }
    work.spend(visited + reached.length);
    return reached;
  }

  #stateOf(positions: number[], before: State['before']): State {
    if (positions.length > MAX_KEPT_POSITIONS) return { positions, before, next: undefined };
    const key = `${before} ${positions.sort((a, b) => a - b).join()}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = { positions, before, next: new Map() };
    this.#grow(STATE_BYTES + POSITION_BYTES * positions.length);
    this.#states.set(key, state);
    return state;
  }

  /** Only states that are kept refer to each other: what no state refers to is no longer in memory. */
  #keep<T extends State | typeof MATCHED>({ next }: State, character: number, to: T): T {
    if (next === undefined || (to !== MATCHED && to.next === undefined)) return to;
    this.#grow(NEXT_BYTES);
    next.set(character, to);
    return to;
  }

  #grow(bytes: number): void {
    const before = this.#stateBytes;
    if (before + bytes > MAX_STATE_BYTES) {
      this.#states.clear();
      this.#stateBytes = 0;
    }
    this.#stateBytes += bytes;
    this.#grown(this.#stateBytes - before);
  }
}

/** What is true between the character before and this one. */
function emptyWidths(before: State['before'], character: number): number {
  const isBoundary = (before === 'word') !== isWordCharacter(character);
  return (
    (before === 'begin' ? EMPTY.begin : 0) |
    (character === END ? EMPTY.end : 0) |
    (isBoundary ? EMPTY.wordBoundary : EMPTY.noWordBoundary)
  );
}

function isWordCharacter(character: number): boolean {
  return character !== END && /\w/.test(String.fromCharCode(character));
}
