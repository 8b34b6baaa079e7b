/** Classes of characters, in brackets and as escapes, as RE2 reads them. */

import { type PatternReader, patternError } from './reader.ts';
import type { CharacterNode, CharacterRanges } from './tree.ts';

/** The characters of `\d`, `\s` and `\w`, which are ASCII only. */
const PERL_CLASSES: Readonly<Record<string, string>> = {
  d: '0-9',
  s: '\\t\\n\\f\\r ',
  w: '0-9A-Za-z_',
};

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t ',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** A node that matches one given character. */
export function literalNode(character: string, ignoresCase: boolean): CharacterNode {
  const source = escaped(character);
  const ranges = [{ source, ignoresCase, isNegated: false }];
  return { kind: 'character', ranges, isNegated: false, literal: character };
}

/** A node that matches any character. It matches a line break only if `breaks` is true. */
export function anyCharacter(breaks: boolean): CharacterNode {
  const ranges = breaks ? [] : [{ source: '\\n', ignoresCase: false, isNegated: false }];
  return { kind: 'character', ranges, isNegated: true };
}

/**
 * Reads an escape that stands for a class, such as `\d` or `\p{Greek}`. Undefined if the pattern continues
 * with anything else.
 */
export function classEscape(
  reader: PatternReader,
  ignoresCase: boolean,
): CharacterRanges | undefined {
  const [, letter = ''] = reader.takeMatch(/\\([dDsSwW])/y) ?? [];
  const source = PERL_CLASSES[letter.toLowerCase()];
  if (source !== undefined) return { source, ignoresCase, isNegated: /[DSW]/.test(letter) };
  return /^\\[pP]/.test(reader.text.slice(reader.at, reader.at + 2))
    ? unicodeClass(reader, ignoresCase)
    : undefined;
}

/** Reads `\pL`, `\p{Lu}`, `\p{Greek}`, `\P{Lu}` and `\p{^Lu}`: categories and scripts. */
function unicodeClass(reader: PatternReader, ignoresCase: boolean): CharacterRanges {
  const start = reader.at;
  const [, kind = '', single = '', long = ''] =
    reader.takeMatch(/\\([pP])(?:([^{])|\{([^}]*)\})/uy) ?? [];
  if (kind === '') throw patternError('invalid character class range', reader.text.slice(start));
  const given = single || long;
  const isInverse = given.startsWith('^');
  const source = propertyOf(isInverse ? given.slice(1) : given);
  if (source === undefined) {
    throw patternError('invalid character class range', reader.since(start));
  }
  return { source, ignoresCase, isNegated: (kind === 'P') !== isInverse };
}

/**
 * The scripts that have a full name of four letters. JavaScript would interpret any other word of four
 * letters as the short name of a script, which RE2 does not know.
 */
const SCRIPTS_OF_FOUR = ['Ahom', 'Cham', 'Kawi', 'Lisu', 'Modi', 'Newa', 'Thai', 'Toto'];

function propertyOf(name: string): string | undefined {
  if (name === 'Any' || name === 'Assigned') return `\\p{${name}}`;
  const isShort = name.length === 4 && !SCRIPTS_OF_FOUR.includes(name);
  return [`\\p{gc=${name}}`, `\\p{Script=${name}}`].find(
    (source, at) => (at === 0 ? name.length <= 2 : !isShort) && isKnown(source),
  );
}

function isKnown(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== '';
  } catch {
    return false;
  }
}

/**
 * Reads a class in brackets.
 *
 * @param reader - positioned at the opening bracket.
 */
export function bracketClass(reader: PatternReader, ignoresCase: boolean): CharacterNode {
  const whole = reader.text.slice(reader.at);
  reader.take();
  const isNegated = reader.skip('^');
  const ranges: CharacterRanges[] = [];
  let plain = '';
  for (let isFirst = true; isFirst || !reader.skip(']'); isFirst = false) {
    const group = namedClass(reader, ignoresCase) ?? classEscape(reader, ignoresCase);
    if (group === undefined) plain += range(reader, whole);
    else ranges.push(group);
  }
  if (plain !== '') ranges.push({ source: plain, ignoresCase, isNegated: false });
  return { kind: 'character', ranges, isNegated };
}

/** Reads `[:alpha:]` or `[:^alpha:]`. */
function namedClass(reader: PatternReader, ignoresCase: boolean): CharacterRanges | undefined {
  const [text, isInverse, name = ''] = reader.takeMatch(/\[:(\^?)(.*?):\]/suy) ?? [];
  if (text === undefined) return undefined;
  const source = Object.hasOwn(POSIX_CLASSES, name) ? POSIX_CLASSES[name] : undefined;
  if (source === undefined) throw patternError('invalid character class range', text);
  return { source, ignoresCase, isNegated: isInverse === '^' };
}

/** Reads a character or a range such as `a-z`, and returns it in the syntax of JavaScript. */
function range(reader: PatternReader, whole: string): string {
  const start = reader.at;
  const low = classCharacter(reader, whole);
  const rest = reader.text.slice(reader.at, reader.at + 2);
  if (!/^-[^\]]$/s.test(rest)) return escaped(low);
  reader.take();
  const high = classCharacter(reader, whole);
  if ((high.codePointAt(0) ?? 0) < (low.codePointAt(0) ?? 0)) {
    throw patternError('invalid character class range', reader.since(start));
  }
  return `${escaped(low)}-${escaped(high)}`;
}

function classCharacter(reader: PatternReader, whole: string): string {
  if (reader.isAtEnd) throw patternError('missing closing ]', whole);
  return reader.startsWith('\\') ? characterEscape(reader) : reader.take();
}

const NAMED: Readonly<Record<string, string>> = {
  a: '\x07',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const MAX_CODE_POINT = 0x10_ff_ff;

/**
 * Reads an escape that stands for one character: a letter such as `\n`, a number, or punctuation.
 *
 * @param reader - positioned at the backslash.
 */
export function characterEscape(reader: PatternReader): string {
  const start = reader.at;
  reader.take();
  const letter = reader.take();
  if (letter === '') throw patternError('trailing backslash at end of expression', '');
  if (NAMED[letter] !== undefined) return NAMED[letter];
  if (letter === 'x') return hexadecimal(reader, start);
  if (/[0-7]/.test(letter)) {
    const [more = ''] = reader.takeMatch(/[0-7]{0,2}/y) ?? [];
    // A single digit other than 0 would be a back reference.
    if (letter === '0' || more !== '') {
      return String.fromCodePoint(Number.parseInt(letter + more, 8));
    }
  } else if (/^[\0-\x7f]$/.test(letter) && !/[0-9A-Za-z]/.test(letter)) return letter;
  throw patternError('invalid escape sequence', reader.since(start));
}

/** Reads `\x41` or `\x{1f600}`. The error contains the escape up to the first invalid character. */
function hexadecimal(reader: PatternReader, start: number): string {
  if (reader.skip('{')) {
    let code = 0;
    for (let digits = 0; ; digits++) {
      const character = reader.take();
      if (character === '}' && digits > 0) return String.fromCodePoint(code);
      code = code * 16 + Number.parseInt(character, 16);
      if (!(/^[0-9a-fA-F]$/.test(character) && code <= MAX_CODE_POINT)) break;
    }
  } else {
    const code = reader.take() + reader.take();
    if (/^[0-9a-fA-F]{2}$/.test(code)) return String.fromCodePoint(Number.parseInt(code, 16));
  }
  throw patternError('invalid escape sequence', reader.since(start));
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
