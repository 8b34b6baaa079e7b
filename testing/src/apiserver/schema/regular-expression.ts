import { RE2JS } from 're2js';

/** A regular expression as the server understands it, which is RE2's syntax and not JavaScript's. */
export interface RegularExpression {
  /** True when some part of `text` matches. */
  test(text: string): boolean;
  /** The parts of `text` that match, from left to right, at most `limit` of them. */
  findAll(text: string, limit: number): readonly string[];
}

/** Compiled once: validation asks for the same few patterns over and over. The one that was asked for last is last. */
const COMPILED = new Map<string, RegularExpression>();
/** Characters of the patterns in memory: patterns of rules may be made from the objects themselves. */
const MAX_CHARACTERS = 262_144;
/** Patterns in memory. */
const MAX_COMPILED = 1_000;
let characters = 0;

/**
 * The expression of a pattern.
 *
 * @throws SyntaxError with RE2's words for a pattern that is none, lookarounds included.
 */
export function regularExpression(pattern: string): RegularExpression {
  const known = COMPILED.get(pattern);
  const expression = known ?? compile(pattern);
  if (known === undefined) characters += pattern.length;
  COMPILED.delete(pattern);
  COMPILED.set(pattern, expression);
  for (const oldest of COMPILED.keys()) {
    if (characters <= MAX_CHARACTERS && COMPILED.size <= MAX_COMPILED) break;
    COMPILED.delete(oldest);
    characters -= oldest.length;
  }
  return expression;
}

function compile(pattern: string): RegularExpression {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  return {
    test: (text) => compiled.matcher(text).find(),
    findAll: (text, limit) => findAll(compiled, text, limit),
  };
}

function findAll(compiled: RE2JS, text: string, limit: number): readonly string[] {
  const found: string[] = [];
  const matcher = compiled.matcher(text);
  while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}
