/**
 * Regular expressions of the API server (RE2). They are matched by an automaton and not by `RegExp`, which
 * has another syntax and backtracks: for `(a+)+$` it would need 2^n steps for n letters.
 */

import { UNLIMITED, type Work } from '../work.ts';
import { PatternAutomaton } from './automaton.ts';
import { parsePattern } from './parse.ts';
import type { PatternNode } from './tree.ts';

/** A pattern that can be compared with texts. It matches anywhere in a text unless it is anchored. */
export interface Pattern {
  readonly tree: PatternNode;
  /** The approximate number of states of the pattern's automaton. */
  readonly size: number;
  /**
   * True when some part of `text` matches. The time grows with the length of the text times the length of the
   * pattern.
   *
   * @throws PatternCostError when the pattern is too large.
   * @throws TooMuchWork
   */
  test(text: string, work: Work): boolean;
  /**
   * The parts of `text` that match, from left to right, at most `limit` of them.
   *
   * @throws PatternCostError when the pattern is too large.
   * @throws TooMuchWork
   */
  findAll(text: string, limit: number, work?: Work): readonly string[];
}

/** Recently used patterns, keyed by their source text, and ordered by the time of their last use. */
const KNOWN = new Map<string, Pattern>();

/** Limits for the remembered patterns. They limit the memory, because patterns may come from objects. */
const MAX_KNOWN = 1_000;
const MAX_KNOWN_SIZE = 300_000;
let knownSize = 0;

/**
 * The same as `patternMatcher`, for a pattern that is used repeatedly.
 *
 * @throws SyntaxError in the same cases as `patternMatcher`.
 */
export function knownPattern(pattern: string): Pattern {
  const known = KNOWN.get(pattern);
  const matcher = known ?? patternMatcher(pattern);
  if (known === undefined) knownSize += costOf(pattern, matcher);
  KNOWN.delete(pattern);
  KNOWN.set(pattern, matcher);
  for (const [oldest, { size }] of KNOWN) {
    if (KNOWN.size <= MAX_KNOWN && knownSize <= MAX_KNOWN_SIZE) break;
    KNOWN.delete(oldest);
    knownSize -= costOf(oldest, { size });
  }
  return matcher;
}

function costOf(pattern: string, { size }: Pick<Pattern, 'size'>): number {
  return Math.max(pattern.length, size);
}

/**
 * A matcher that treats `pattern` like Go's package regexp.
 *
 * @throws SyntaxError with Go's message for a pattern that Go does not accept.
 */
export function patternMatcher(pattern: string): Pattern {
  const { node: tree, size } = parsePattern(pattern);
  let automaton: PatternAutomaton | undefined;
  const automatonWithin = (work: Work): PatternAutomaton => {
    automaton ??= new PatternAutomaton(tree, work);
    return automaton;
  };
  return {
    tree,
    size,
    test: (text, work) => automatonWithin(work).test(text, work),
    findAll: (text, limit, work = UNLIMITED) =>
      allMatches(automatonWithin(work), text, limit, work),
  };
}

/**
 * All matches, as Go's FindAllString returns them: an empty match right after another match does not count.
 */
function allMatches(
  automaton: PatternAutomaton,
  text: string,
  limit: number,
  work: Work,
): readonly string[] {
  const found: string[] = [];
  let lastEnd = -1;
  for (let at = 0; at <= text.length && found.length < limit; ) {
    const match = automaton.find(text, at, work);
    if (match === undefined) break;
    const isEmpty = match.end === match.start;
    if (!(isEmpty && match.start === lastEnd)) found.push(text.slice(match.start, match.end));
    lastEnd = match.end;
    at = match.end > at ? match.end : at + Math.max(characterLength(text, at), 1);
  }
  return found;
}

function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1;
}
