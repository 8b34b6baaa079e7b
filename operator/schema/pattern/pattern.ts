/**
 * Regular expressions of the API server (RE2).
 *
 * A pattern is translated to JavaScript's syntax first. Syntax that both have with different meanings (`.`, `\s`,
 * escapes of punctuation) is rewritten. Syntax that one of them lacks is refused. So an accepted pattern means
 * the same in both. It is matched by an automaton and not by `RegExp`, which backtracks: `(a+)+$` would cost it
 * 2^n steps for n letters.
 */

import type { Work } from '../work.ts';
import { PatternAutomaton } from './automaton.ts';
import { type PatternNode, patternTree } from './tree.ts';

/** RE2's limit of repetitions. */
const MAX_REPETITIONS = 1_000;

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** The characters of `\s` in RE2. JavaScript's also has the vertical tab and the spaces of Unicode. */
const SPACE = '\\t\\n\\f\\r ';

const OUTSIDE =
  /\\(?:p\{\^?\w+\}|p[A-Z]|P\{\w+\}|P[A-Z]|x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[\s\S])|\(\?P?<[A-Za-z_]\w*>|\(\?:|\(\??|\{\d+(?:,\d*)?\}|\[\^?\]?|[\s\S]/uy;
const INSIDE =
  /\\(?:p\{\w+\}|p[A-Z]|P\{\w+\}|P[A-Z]|x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[\s\S])|\[:\^?\w+:\]|[\s\S]/uy;

/** A pattern that can be compared with texts. */
export interface Pattern {
  /** True for JavaScript's flag `i`. */
  readonly ignoresCase: boolean;
  /** @throws PatternCostError when the pattern is too large. */
  tree(): PatternNode;
  /**
   * True when some part of `text` matches. The time grows with the length of the text times that of the pattern.
   *
   * @throws PatternCostError when the pattern is too large.
   * @throws TooMuchWork
   */
  test(text: string, work: Work): boolean;
}

/** Patterns that were compared lately, by their texts. */
const KNOWN = new Map<string, Pattern>();

/** This bounds the memory: a pattern has at most 10,000 states. */
const MAX_KNOWN = 50;

/** The same as `patternMatcher`, for a pattern that is asked for again and again. */
export function knownPattern(pattern: string): Pattern {
  const known = KNOWN.get(pattern);
  if (known !== undefined) return known;
  const made = patternMatcher(pattern);
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(pattern, made);
  return made;
}

/**
 * The pattern that RE2 makes of a text. It matches anywhere in a text unless it is anchored.
 *
 * @throws SyntaxError for a pattern that RE2 or JavaScript does not accept, with the token that is refused.
 */
export function patternMatcher(pattern: string): Pattern {
  const ignoresCase = pattern.startsWith('(?i)');
  const source = translate(ignoresCase ? pattern.slice('(?i)'.length) : pattern);
  new RegExp(source, 'u'); // refuses what is not in the syntax, and matches nothing
  let tree: PatternNode | undefined;
  let automaton: PatternAutomaton | undefined;
  const treeOf = (): PatternNode => {
    tree ??= patternTree(source);
    return tree;
  };
  return {
    ignoresCase,
    tree: treeOf,
    test(text, work) {
      automaton ??= new PatternAutomaton(treeOf(), ignoresCase, work);
      return automaton.test(text, work);
    },
  };
}

function translate(pattern: string): string {
  let source = '';
  let inClass = false;
  let at = 0;
  while (at < pattern.length) {
    const token = tokenAt(pattern, at, inClass ? INSIDE : OUTSIDE);
    at += token.length;
    if (inClass) {
      inClass = token !== ']';
      source += translateInClass(token);
    } else {
      inClass = token.startsWith('[');
      source += translateOutside(token);
    }
  }
  return source;
}

function tokenAt(pattern: string, at: number, tokens: RegExp): string {
  tokens.lastIndex = at;
  return tokens.exec(pattern)?.[0] ?? '';
}

function translateOutside(token: string): string {
  if (token.startsWith('\\')) return translateEscape(token, false);
  if (token === '.') return '[^\\n]';
  if (token === '}' || token === ']' || token === '{') return `\\${token}`;
  if (token === '[]' || token === '[^]') throw refused(token);
  if (token.startsWith('(?') && token.endsWith('>')) return token.replace('(?P<', '(?<');
  if (token === '(?') throw refused('(?');
  if (token.length > 2 && token.startsWith('{')) refuseManyRepetitions(token);
  return token;
}

function translateInClass(token: string): string {
  if (token.startsWith('\\')) return translateEscape(token, true);
  if (!token.startsWith('[:')) return token;
  const name = token.slice(2, -2);
  return (Object.hasOwn(POSIX_CLASSES, name) && POSIX_CLASSES[name]) || fail(token);
}

function translateEscape(token: string, inClass: boolean): string {
  const what = token.slice(1);
  if (/^[pP]/.test(what)) return translateProperty(token);
  if (what.startsWith('x{')) return `\\u${what.slice(1)}`;
  if (/^x../.test(what) || /^[dDwWfnrtv]$/.test(what)) return token;
  if (what === 's') return inClass ? SPACE : `[${SPACE}]`;
  if (!inClass && what === 'S') return `[^${SPACE}]`;
  if (!inClass && /^[bB]$/.test(what)) return token;
  if (!inClass && what === 'A') return '^';
  if (!inClass && what === 'z') return '$';
  if (what === 'a') return '\\x07';
  // RE2 allows an escape of any punctuation, JavaScript only necessary ones.
  if (/^[!-/:-@[-`{-~]$/.test(what))
    return `\\x${what.charCodeAt(0).toString(16).padStart(2, '0')}`;
  throw refused(token);
}

/**
 * `\pL`, `\p{Lu}` and `\p{Greek}`: categories and scripts. RE2 names a script without the prefix `Script=`.
 */
function translateProperty(token: string): string {
  const name = token.slice(2).replace(/[{}]/g, '');
  if (name.startsWith('^')) throw refused(token);
  const isCategory = name.length <= 2 || name === 'Any';
  return `\\${token.charAt(1)}{${isCategory ? name : `Script=${name}`}}`;
}

function refuseManyRepetitions(token: string): void {
  const most = Math.max(...(token.match(/\d+/g) ?? []).map(Number));
  if (most > MAX_REPETITIONS) throw refused(token);
}

function fail(token: string): never {
  throw refused(token);
}

function refused(token: string): SyntaxError {
  return new SyntaxError(`${token} is not in the syntax that RE2 and JavaScript have in common`);
}
