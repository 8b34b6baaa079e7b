import process from 'node:process';
import { rebuildJson } from './json-walk.ts';

const { randomUUID } = process.getBuiltinModule('node:crypto');

/** The maximum nesting depth of JSON (`maxNestingDepth`, Go: encoding/json/scanner.go). */
export const MAX_DEPTH = 10_000;

/** Integers with at most this many characters are exact as JavaScript numbers. */
const SURELY_EXACT_LENGTH = 15;
/** Integers that do not fit into 64 bits have at least this many digits. */
const INT64_LENGTH = 19;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Fractions are recorded only up to this depth. No integer field is nested deeper, and the paths of deeply
 * nested numbers could be as long as the document.
 */
const MAX_FRACTION_DEPTH = 64;

/** The maximum number of duplicates that are recorded, as in the server's decoder. */
const MAX_DUPLICATES = 100;

/** The error for a string that is not JSON, with Go's message. */
export class GoSyntaxError extends Error {
  override readonly name: string = 'GoSyntaxError';
}

/** The error for JSON with more than 10 000 levels. */
export class GoDepthError extends GoSyntaxError {
  override readonly name = 'GoDepthError';
}

/**
 * Numbers that are not valid in integer fields, keyed by their paths: numbers with a point or an exponent,
 * and numbers that do not fit into 64 bits.
 */
export type Fractions = ReadonlyMap<string, string>;

export interface GoJson {
  readonly value: unknown;
  readonly fractions: Fractions;
  /** Paths of fields that occur twice in one object: `data.a`, `spec.containers[0].name`. */
  readonly duplicates: readonly string[];
  /**
   * The first number that is too large for a float64, such as `1e400`. The value contains Infinity in place
   * of this number.
   */
  readonly overflow: string | undefined;
}

/**
 * Go's message for a number that is too large for a float64. `wanted` is the type into which the number
 * should be decoded.
 */
export function overflowText(number: string, wanted = 'Go value'): string {
  return `json: cannot unmarshal number ${number} into ${wanted} of type float64`;
}

/**
 * Parses JSON. If a field occurs twice, the last one counts. `__proto__` is an ordinary field.
 *
 * Numbers are read like on the server (`UnmarshalCaseSensitivePreserveInts`, sigs.k8s.io/json): an integer of
 * 64 bits is exact, and every other number is a float64. Here, an integer that a JavaScript number would
 * round becomes a bigint. All other numbers become JavaScript numbers.
 *
 * @throws GoDepthError for JSON that is nested deeper than 10 000 levels.
 * @throws GoSyntaxError for any other string that is not JSON.
 */
export function parseGoJson(text: string): GoJson {
  const scanner = new Scanner(text);
  scanner.run();
  const { duplicates, longIntegers, fractions, overflow } = scanner;
  const value =
    longIntegers.length === 0 ? JSON.parse(text) : withExactIntegers(text, longIntegers);
  return { value, fractions, duplicates: [...duplicates], overflow };
}

/** An integer as a number if that is exact, otherwise as a bigint. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return String(number) === String(value) ? number : value;
}

/** In Go, an integer zero has no sign. A JavaScript number would keep the minus sign. */
const MINUS_ZERO = '-0';

/** The position of an integer that may be too long for a JavaScript number. */
type Span = readonly [from: number, to: number];

/**
 * Parses JSON with long integers. For `JSON.parse` they are replaced with strings that begin with a unique
 * mark, because there is no other way to read them without recursion.
 */
function withExactIntegers(text: string, spans: readonly Span[]): unknown {
  const mark = `int64:${randomUUID()}:`;
  const pieces: string[] = [];
  let from = 0;
  for (const [start, end] of spans) {
    const written = text.slice(start, end);
    const number = goInteger(written);
    if (typeof number !== 'bigint' && written !== MINUS_ZERO) continue;
    pieces.push(text.slice(from, start), typeof number === 'bigint' ? `"${mark}${number}"` : '0');
    from = end;
  }
  if (pieces.length === 0) return JSON.parse(text);
  pieces.push(text.slice(from));
  return rebuildJson(JSON.parse(pieces.join('')), {
    scalar: (leaf) =>
      typeof leaf === 'string' && leaf.startsWith(mark) ? BigInt(leaf.slice(mark.length)) : leaf,
  });
}

/** An integer as Go reads it. If it does not fit into 64 bits, Go reads it as a float64. */
function goInteger(text: string): number | bigint {
  const value = BigInt(text);
  return value < INT64_MIN || value > INT64_MAX ? Number(text) : exactInteger(value);
}

/** An object or a list that has not ended yet. */
interface Level {
  /** The names of the fields that were read so far; undefined in a list. */
  readonly keys: Set<string> | undefined;
  /** The name of the field, or the index, that is being read. */
  key: string;
  index: number;
}

const WHITESPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Matches the characters of a string up to its end, an escape or a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression is about control characters
const PLAIN = /[^"\\\u0000-\u001f]*/y;

/** Scans JSON without recursion, and reports the error that Go would report. */
class Scanner {
  readonly duplicates = new Set<string>();
  readonly fractions = new Map<string, string>();
  /** Integers that a JavaScript number may be unable to hold exactly. */
  readonly longIntegers: Span[] = [];
  overflow: string | undefined;
  readonly #text: string;
  readonly #levels: Level[] = [];
  #at = 0;
  #valueComes = false;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    this.#value();
    while (this.#valueComes || this.#levels.length > 0) {
      if (this.#valueComes) this.#readValue();
      else this.#next();
    }
    this.#space();
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value');
  }

  /**
   * Remembers that a value comes next. `run` reads the value, so that nested values do not need nested calls.
   */
  #value(): void {
    this.#valueComes = true;
  }

  /** Reads one value, or the beginning of an object or a list. */
  #readValue(): void {
    this.#valueComes = false;
    this.#space();
    const character = this.#text[this.#at];
    if (character === '{' || character === '[') {
      this.#open(character);
    } else if (character === '"') {
      this.#string();
    } else if (character === 't') {
      this.#literal('true');
    } else if (character === 'f') {
      this.#literal('false');
    } else if (character === 'n') {
      this.#literal('null');
    } else if (character === '-' || (character !== undefined && /[0-9]/.test(character))) {
      this.#number();
    } else {
      throw this.#unexpected('looking for beginning of value');
    }
  }

  #open(character: '{' | '['): void {
    if (this.#levels.length >= MAX_DEPTH) {
      throw new GoDepthError(`invalid character '${character}' exceeded max depth`);
    }
    this.#at++;
    this.#space();
    const isObject = character === '{';
    if (this.#text[this.#at] === (isObject ? '}' : ']')) {
      this.#at++;
      return;
    }
    this.#levels.push({ keys: isObject ? new Set() : undefined, key: '', index: 0 });
    if (isObject) this.#field();
    else this.#value();
  }

  /** Reads what follows a value: the next value, or the end of the enclosing object or list. */
  #next(): void {
    this.#space();
    const level = this.#levels.at(-1);
    if (level === undefined) return;
    const isObject = level.keys !== undefined;
    const character = this.#text[this.#at];
    if (character === (isObject ? '}' : ']')) {
      this.#at++;
      this.#levels.pop();
    } else if (character === ',') {
      this.#at++;
      level.index++;
      if (isObject) this.#field();
      else this.#value();
    } else {
      throw this.#unexpected(isObject ? 'after object key:value pair' : 'after array element');
    }
  }

  #field(): void {
    this.#space();
    if (this.#text[this.#at] !== '"') {
      throw this.#unexpected('looking for beginning of object key string');
    }
    const start = this.#at;
    this.#string();
    const level = this.#levels.at(-1);
    if (level?.keys !== undefined) {
      level.key = String(JSON.parse(this.#text.slice(start, this.#at)));
      if (level.keys.has(level.key)) this.#duplicate();
      level.keys.add(level.key);
    }
    this.#space();
    if (this.#text[this.#at] !== ':') throw this.#unexpected('after object key');
    this.#at++;
    this.#value();
  }

  #duplicate(): void {
    if (this.duplicates.size < MAX_DUPLICATES) this.duplicates.add(this.#path());
  }

  #path(): string {
    const path = this.#levels.map(({ keys, key, index }) =>
      keys === undefined ? `[${index}]` : `.${key}`,
    );
    return path.join('').replace(/^\./, '');
  }

  #string(): void {
    this.#at++;
    for (;;) {
      this.#skip(PLAIN);
      const character = this.#text[this.#at];
      if (character === '"') {
        this.#at++;
        return;
      }
      if (character !== '\\') throw this.#unexpected('in string literal');
      this.#at++;
      this.#escape();
    }
  }

  #escape(): void {
    const character = this.#text[this.#at] ?? '';
    if (character === '' || !'"\\/bfnrtu'.includes(character)) {
      throw this.#unexpected('in string escape code');
    }
    this.#at++;
    if (character !== 'u') return;
    for (let digits = 0; digits < 4; digits++, this.#at++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) {
        throw this.#unexpected('in \\u hexadecimal character escape');
      }
    }
  }

  #number(): void {
    const start = this.#at;
    this.#skip(NUMBER);
    const rest = this.#text[this.#at] ?? '';
    const text = this.#text.slice(start, this.#at);
    if (text === '') {
      this.#at = start + 1; // a minus sign without digits
      throw this.#unexpected('in numeric literal');
    }
    if (/[.eE]/.test(text)) this.#fraction(text);
    else if (text.length > SURELY_EXACT_LENGTH) this.#longInteger(text, start);
    else if (text === MINUS_ZERO) this.longIntegers.push([start, this.#at]);
    if (rest === '.' && !/[.eE]/.test(text)) {
      this.#at++;
      throw this.#unexpected('after decimal point in numeric literal');
    }
    if (/[eE]/.test(rest) && !/[eE]/.test(text)) {
      this.#at++;
      if (/[+-]/.test(this.#text[this.#at] ?? '')) this.#at++;
      throw this.#unexpected('in exponent of numeric literal');
    }
  }

  /**
   * Records a long integer. An integer that does not fit into 64 bits counts as a float, like a number with a
   * point.
   */
  #longInteger(text: string, start: number): void {
    this.longIntegers.push([start, this.#at]);
    if (text.length < INT64_LENGTH) return;
    const value = BigInt(text);
    if (value < INT64_MIN || value > INT64_MAX) this.#fraction(text);
  }

  #fraction(text: string): void {
    if (this.overflow === undefined && !Number.isFinite(Number(text))) this.overflow = text;
    if (this.#levels.length <= MAX_FRACTION_DEPTH) this.fractions.set(this.#path(), text);
  }

  #literal(word: string): void {
    for (const [index, expected] of [...word].entries()) {
      if (this.#text[this.#at] !== expected) {
        throw this.#unexpected(`in literal ${word} (expecting '${word[index]}')`);
      }
      this.#at++;
    }
  }

  #space(): void {
    this.#skip(WHITESPACE);
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (pattern.test(this.#text)) this.#at = pattern.lastIndex;
  }

  #unexpected(where: string): GoSyntaxError {
    const character = this.#text.codePointAt(this.#at);
    // At the end of the input, Go's scanner sees a space. It reports this space inside a literal such as
    // `true`, and otherwise reports the end of the input.
    const inWord = /literal/.test(where) && where !== 'in string literal';
    if (character === undefined && inWord)
      return new GoSyntaxError(`invalid character ' ' ${where}`);
    if (character === undefined) return new GoSyntaxError('unexpected end of JSON input');
    return new GoSyntaxError(`invalid character ${quoted(character)} ${where}`);
  }
}

const NAMED: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  39: "\\'",
  92: '\\\\',
};

/** A character as Go quotes it in errors. Go reads bytes, and its error contains only the first byte. */
function quoted(codePoint: number): string {
  const byte = Buffer.from(String.fromCodePoint(codePoint))[0] ?? 0;
  const named = NAMED[byte];
  if (named !== undefined) return `'${named}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  if (byte >= 0x80 && byte < 0xa1) return `'\\u00${byte.toString(16)}'`;
  return `'${String.fromCharCode(byte)}'`;
}
