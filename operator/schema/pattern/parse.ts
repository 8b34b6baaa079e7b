/**
 * Regular expressions of the API server: the syntax that Go's package regexp accepts (RE2 with Perl's
 * extensions), and its errors. There are no lookarounds and no back references.
 */

import {
  anyCharacter,
  bracketClass,
  characterEscape,
  classEscape,
  literalNode,
} from './parse-class.ts';
import { PatternReader, patternError } from './reader.ts';
import type { Assertion, CharacterNode, PatternNode } from './tree.ts';

/**
 * Go's limits for the depth of a pattern, for the number of its instructions, and for the repetitions of its
 * innermost part.
 */
const MAX_HEIGHT = 1_000;
const MAX_SIZE = 3_355_443;
const MAX_REPETITIONS = 1_000;

/** A part of a pattern, with the sizes for which Go has limits. */
export interface Parsed {
  readonly node: PatternNode;
  /** Its nesting depth. */
  readonly height: number;
  /** The approximate number of states of its automaton. */
  readonly size: number;
  /** How often its innermost part is repeated, which is the product of the nested repetitions. */
  readonly repetitions: number;
}

/** The flags that `(?i)`, `(?m)`, `(?s)` and `(?U)` set. */
interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
}

/** A group that is not closed yet, or the pattern itself. */
interface Group {
  readonly isCapture: boolean;
  /** The flags before the group, which apply again after it. */
  readonly flags: Flags;
  readonly options: Parsed[];
  parts: Parsed[];
}

/**
 * Reads a pattern.
 *
 * @throws SyntaxError with Go's message for a pattern that Go does not accept.
 */
export function parsePattern(pattern: string): Parsed {
  return new PatternParser(pattern).parse();
}

const EMPTY: Parsed = {
  node: { kind: 'sequence', parts: [] },
  height: 1,
  size: 1,
  repetitions: 1,
};

/** Groups are kept on an explicit stack, so their depth does not use JavaScript's call stack. */
class PatternParser {
  readonly #reader: PatternReader;
  readonly #groups: Group[] = [];
  #flags: Flags = { i: false, m: false, s: false, U: false };
  #group: Group = { isCapture: false, flags: this.#flags, options: [], parts: [] };
  /** The start of the repetition that ends at the current position; undefined if no repetition ends there. */
  #lastRepetition: number | undefined;

  constructor(pattern: string) {
    this.#reader = new PatternReader(pattern);
  }

  parse(): Parsed {
    while (!this.#reader.isAtEnd) {
      const start = this.#reader.at;
      const isRepetition = this.#readRepetition();
      if (!isRepetition) this.#readPart();
      this.#lastRepetition = isRepetition ? start : undefined;
    }
    if (this.#groups.length > 0) throw patternError('missing closing )', this.#reader.text);
    return this.#choice(this.#group);
  }

  #readPart(): void {
    const reader = this.#reader;
    if (reader.startsWith('[')) this.#addCharacter(bracketClass(reader, this.#flags.i));
    else if (reader.startsWith('\\')) this.#readEscape();
    else if (reader.startsWith('(?')) this.#readFlags();
    else this.#readCharacter(reader.take());
  }

  #readCharacter(character: string): void {
    const { i, m, s } = this.#flags;
    switch (character) {
      case '(':
        this.#open(true);
        break;
      case ')':
        this.#close();
        break;
      case '|':
        this.#group.options.push(this.#sequence(this.#group.parts));
        this.#group.parts = [];
        break;
      case '^':
        this.#addAssertion(m ? 'line start' : 'text start');
        break;
      case '$':
        this.#addAssertion(m ? 'line end' : 'text end');
        break;
      case '.':
        this.#addCharacter(anyCharacter(s));
        break;
      default:
        this.#addCharacter(literalNode(character, i));
    }
  }

  #readEscape(): void {
    const reader = this.#reader;
    const { i } = this.#flags;
    const [, letter = ''] = reader.takeMatch(/\\([AbBCQz])/y) ?? [];
    const assertion = Object.hasOwn(ASSERTIONS, letter) ? ASSERTIONS[letter] : undefined;
    if (assertion !== undefined) this.#addAssertion(assertion);
    else if (letter === 'C') throw patternError('invalid escape sequence', '\\C');
    else if (letter === 'Q') {
      const [text = '', literal = text] = reader.takeMatch(/([\s\S]*?)(?:\\E|$)/y) ?? [];
      for (const character of literal) this.#addCharacter(literalNode(character, i));
    } else {
      const ranges = classEscape(reader, i);
      this.#addCharacter(
        ranges === undefined
          ? literalNode(characterEscape(reader), i)
          : { kind: 'character', ranges: [ranges], isNegated: false },
      );
    }
  }

  /** Reads `(?P<name>`, `(?<name>`, `(?i)`, `(?i-s:` or `(?:`. */
  #readFlags(): void {
    const reader = this.#reader;
    const start = reader.at;
    // This pattern requires a name of at least one character, and a character after the bracket.
    if (/^\(\?(?:P<.|<.)/s.test(reader.text.slice(start, start + 5))) {
      const [capture, name = ''] = reader.takeMatch(/\(\?P?<([^>]*)>/y) ?? [];
      if (capture === undefined)
        throw patternError('invalid named capture', reader.text.slice(start));
      if (!/^\w+$/.test(name)) throw patternError('invalid named capture', capture);
      this.#open(true);
      return;
    }
    const [text = '', on = '', off, end] =
      reader.takeMatch(/\(\?([imsU]*)(?:-([imsU]+))?([:)])/y) ?? [];
    if (text === '') {
      // The error contains the text up to the first invalid character.
      reader.takeMatch(/\(\?[imsU]*(?:-[imsU]*)?/y);
      reader.take();
      throw patternError('invalid or unsupported Perl syntax', reader.since(start));
    }
    if (end === ':') this.#open(false);
    this.#flags = { ...this.#flags, ...flagsOf(on, true), ...flagsOf(off ?? '', false) };
  }

  #open(isCapture: boolean): void {
    this.#groups.push(this.#group);
    this.#group = { isCapture, flags: this.#flags, options: [], parts: [] };
  }

  #close(): void {
    const around = this.#groups.pop();
    if (around === undefined) throw patternError('unexpected )', this.#reader.text);
    const { isCapture, flags } = this.#group;
    const inner = this.#choice(this.#group);
    this.#flags = flags;
    this.#group = around;
    this.#add(isCapture ? { ...inner, height: inner.height + 1, size: inner.size + 2 } : inner);
  }

  /**
   * Reads a repetition at the current position. Returns true if there was a repetition. If a brace does not
   * begin a repetition, it is a plain character.
   */
  #readRepetition(): boolean {
    const found = this.#reader.takeMatch(REPETITION);
    if (found === undefined) return false;
    const [operator, sign, , , , question = ''] = found;
    const { least, most } = countsOf(found);
    const isCounted = sign === undefined;
    const times = most === Number.POSITIVE_INFINITY ? least : most;
    if (isCounted && (least > most || Math.max(least, times) > MAX_REPETITIONS)) {
      const count = operator.slice(0, operator.length - question.length);
      throw patternError('invalid repeat count', count);
    }
    if (this.#lastRepetition !== undefined) {
      const both = this.#reader.since(this.#lastRepetition);
      throw patternError('invalid nested repetition operator', both);
    }
    const part = this.#group.parts.pop();
    if (part === undefined) throw patternError('missing argument to repetition operator', operator);
    // Go does not count a repetition of zero times.
    const factor = !isCounted || (times === 0 && most > 0) ? 1 : times;
    const repetitions = part.repetitions * factor;
    if (isCounted && Math.max(least, times) >= 2 && repetitions > MAX_REPETITIONS) {
      throw patternError('invalid repeat count', operator);
    }
    const isLazy = (question === '?') !== this.#flags.U;
    const node: PatternNode = { kind: 'repeat', part: part.node, least, most, isLazy };
    const copies = isCounted ? Math.max(times, 1) : 1;
    const size = part.size * copies + 2 + Math.max(copies - least, 0);
    this.#add({ node, height: part.height + 1, size, repetitions });
    return true;
  }

  #addCharacter(node: CharacterNode): void {
    this.#add({ node, height: 1, size: 1, repetitions: 1 });
  }

  #addAssertion(assertion: Assertion): void {
    this.#add({ node: { kind: 'assertion', assertion }, height: 1, size: 1, repetitions: 1 });
  }

  #add(part: Parsed): void {
    if (part.height > MAX_HEIGHT) {
      throw patternError('expression nests too deeply', this.#reader.text);
    }
    if (part.size > MAX_SIZE) throw patternError('expression too large', this.#reader.text);
    this.#group.parts.push(part);
  }

  #choice({ options, parts }: Group): Parsed {
    const all = [...options, this.#sequence(parts)];
    const [only] = all;
    if (only !== undefined && all.length === 1) return only;
    return this.#joined({ kind: 'choice', options: all.map(({ node }) => node) }, all);
  }

  #sequence(parts: readonly Parsed[]): Parsed {
    const [only = EMPTY] = parts;
    if (parts.length < 2) return only;
    return this.#joined({ kind: 'sequence', parts: parts.map(({ node }) => node) }, parts);
  }

  #joined(node: PatternNode, parts: readonly Parsed[]): Parsed {
    const joined = { height: 0, size: 0, repetitions: 0 };
    for (const { height, size, repetitions } of parts) {
      joined.height = Math.max(joined.height, height + 1);
      joined.size += size;
      joined.repetitions = Math.max(joined.repetitions, repetitions);
    }
    if (joined.size > MAX_SIZE) throw patternError('expression too large', this.#reader.text);
    return { node, ...joined };
  }
}

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: 'text start',
  b: 'word boundary',
  B: 'no word boundary',
  z: 'text end',
};

function flagsOf(letters: string, value: boolean): Partial<Flags> {
  return Object.fromEntries([...letters].map((letter) => [letter, value]));
}

/** Matches `*`, `+`, `?`, `{2}`, `{2,}` or `{2,3}`, with a question mark after it if it is lazy. */
const REPETITION = /(?:([*+?])|\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\})(\?)?/y;

function countsOf([, sign, low, comma, high]: RegExpExecArray): {
  readonly least: number;
  readonly most: number;
} {
  if (sign !== undefined) {
    return { least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
  }
  const least = Number(low);
  if (comma === undefined) return { least, most: least };
  return { least, most: high === undefined ? Number.POSITIVE_INFINITY : Number(high) };
}
