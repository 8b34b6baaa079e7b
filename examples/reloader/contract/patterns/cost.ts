/**
 * The text of a pattern → an upper bound of the states of its automaton. It is counted before RE2 reads the pattern:
 * RE2 knows the size of an automaton only after it has made it.
 */

/**
 * States that a Unicode class, `\x{…}` or a character beyond ASCII counts as. RE2 keeps up to 700 ranges for each, and
 * looks at each character of one that ignores case. No name has such a character.
 */
const WIDE = 250;

/** States of the two ends of a group. */
const GROUP = 2;

/** The same, and states that any other class counts as, when a flag makes RE2 ignore case: it looks for other forms. */
const FOLDED_WIDE = 500;
const FOLDED_CLASS = 8;

/** So many characters of a class count as one more state: RE2 sorts its ranges. */
const CLASS_CHARACTERS = 8;

/** In this order: the first alternative that fits is the token. */
const TOKEN = new RegExp(
  [
    String.raw`\\Q[^]*?(?:\\E|$)`, // literal text
    String.raw`\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[^]?|[^\]\\])*\]?`, // class
    String.raw`\\[pP](?:\{[^}]*\}?|[^])?`, // Unicode class
    String.raw`\\x\{[^}]*\}?`,
    String.raw`\\[^]?`,
    String.raw`\(\?[imsU-]*\)`, // flags, without a group
    String.raw`\((?:\?(?:P?<\w*>|[imsU-]*:))?`,
    String.raw`\{\d+(?:,\d*)?\}`,
    '[^]',
  ].join('|'),
  'y',
);

interface Level {
  /** States before the last atom. */
  before: number;
  /** States of the last atom, which a repetition copies. */
  last: number;
}

/**
 * States that `^` + `pattern` + `$` needs at most, about: RE2 makes up to four instructions for one. A pattern that RE2
 * refuses has some number.
 */
export function statesOf(pattern: string): number {
  let level: Level = { before: 1, last: 1 }; // the last atom is the ^, which the pattern may repeat
  const outer: Level[] = [];
  const isFolded = /\(\?[a-zA-Z]*i/.test(pattern);
  const add = (states: number): void => {
    level.before += level.last;
    level.last = states;
  };
  for (const [token] of pattern.matchAll(new RegExp(TOKEN, 'gy'))) {
    const first = token.charAt(0);
    if (first === '(' && token.endsWith(')')) continue;
    if (first === '(') {
      add(0);
      outer.push(level);
      level = { before: GROUP, last: 0 };
    } else if (first === ')') {
      const inner = level.before + level.last;
      level = outer.pop() ?? { before: 0, last: 0 };
      level.last += inner;
    } else if ('*+?'.includes(first)) level.last += 1;
    else if (first === '{' && token.length > 1) level.last = repeated(token, level.last);
    else add(statesOfAtom(token, isFolded));
  }
  for (const { before, last } of outer) level.before += before + last;
  return level.before + level.last;
}

/** `{3}` copies the atom three times; of `{3,}` and `{3,5}` each copy may be left out, which takes a state more. */
function repeated(token: string, states: number): number {
  const counts = token.slice(1, -1).split(',').map(Number);
  return Math.max(1, ...counts) * (states + counts.length - 1);
}

function statesOfAtom(token: string, isFolded: boolean): number {
  const count = token.match(/\\[pP]|\\x\{|[^\0-\x7f]/g)?.length ?? 0;
  const wide = count * (isFolded ? FOLDED_WIDE : WIDE);
  if (token.startsWith('\\Q')) return token.length + wide;
  if (!/^(?:\[|\\[dDsSwW])/.test(token)) return 1 + wide;
  const own = isFolded ? FOLDED_CLASS : 1;
  return own + Math.floor(token.length / CLASS_CHARACTERS) + wide;
}
